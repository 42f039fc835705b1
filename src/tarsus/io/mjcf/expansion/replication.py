"""Replicas of MJCF, written out within bounds."""

from __future__ import annotations

import copy

from lxml import etree

from tarsus.io.includes import DocumentReport
from tarsus.io.numbers import shown
from tarsus.io.xml import tag_of

MAX_REPLICATED_ELEMENTS = 200_000
"""Largest number of elements that all <replicate> elements of a model may produce."""
MAX_REFERENCE_CHECKS = 5_000_000
"""Largest number of elements looked at in search of references to replicated ones."""

REPEAT = "{urn:tarsus}repeat"
"""Attribute of a <frame> whose pose is to be applied so many times."""
_REFERENCES = ("body", "body1", "body2", "joint", "joint1", "joint2", "jointinparent", "site", "site1", "site2")
_REFERRING_SECTIONS = ("actuator", "equality", "tendon", "sensor", "contact")


class Replicator:
    """Writes out <replicate>: a <frame> for each copy, names with a suffix, and copies of what refers to them."""

    def __init__(self, report: DocumentReport) -> None:
        self._report = report
        self._budget = MAX_REPLICATED_ELEMENTS
        self._checks = MAX_REFERENCE_CHECKS

    def write_out(self, root: etree._Element) -> None:
        """Put copies in place of all <replicate> elements below `root`."""
        # Innermost first: the suffix of an inner replica is appended before that of an outer one.
        for node in reversed(list(root.iter("replicate"))):
            if not self._expand(root, node):
                return

    def _expand(self, root: etree._Element, node: etree._Element) -> bool:
        text = node.get("count", "").strip()
        if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) == 0:
            message = f"count {shown(text)!r} of <replicate> is not a positive whole number"
            self._report.error("replicate-count", message, node, shown(text))
            return False
        count, size = int(text), sum(1 for _ in node.iter())
        names = {name for child in node.iterdescendants() if (name := child.get("name"))}
        referring = self._referring(root, names)
        self._budget -= count * (size + len(referring))
        if self._budget < 0 or self._checks < 0:
            message = f"<replicate> elements make more than {MAX_REPLICATED_ELEMENTS} copies of elements"
            self._report.error("replicate-size", message, node, text)
            return False
        if any(tag_of(child) in ("joint", "freejoint", "inertial") for child in node):
            self._report.error("replicate-joint", "a joint cannot be a direct child of <replicate>", node)
            return False
        suffixes = [f"{node.get('sep', '')}{i:0{len(text.lstrip('0'))}d}" for i in range(count)]
        self._replace(node, suffixes)
        for element in referring:
            self._copy_reference(element, names, suffixes)
        return True

    def _replace(self, node: etree._Element, suffixes: list[str]) -> None:
        """Put nested frames in place of `node`: each copy stands in the frame of the one before it."""
        parent = node.getparent()
        assert parent is not None
        copies = []
        for i, suffix in enumerate(suffixes):
            frame = copy.deepcopy(node)
            frame.tag = "frame"
            frame.attrib.clear()
            frame.set(REPEAT, str(i))
            for key, target in (("offset", "pos"), ("euler", "euler")):
                if node.get(key) is not None:
                    frame.set(target, node.get(key, ""))
            for element in frame.iterdescendants():
                if element.get("name"):
                    element.set("name", element.get("name", "") + suffix)
            copies.append(frame)
        for frame in copies:
            node.addprevious(frame)
        parent.remove(node)

    def _copy_reference(self, element: etree._Element, names: set[str], suffixes: list[str]) -> None:
        parent = element.getparent()
        if parent is None:
            return
        copies = []
        for suffix in suffixes:
            twin = copy.deepcopy(element)
            for key in ("name", *_REFERENCES):
                value = twin.get(key)
                if value is not None and (key == "name" or value in names):
                    twin.set(key, value + suffix)
            copies.append(twin)
        for twin in copies:
            element.addprevious(twin)
        parent.remove(element)

    def _referring(self, root: etree._Element, names: set[str]) -> list[etree._Element]:
        """Elements outside the tree that refer to one of `names`."""
        found: list[etree._Element] = []
        for section in root if names else ():
            if tag_of(section) in _REFERRING_SECTIONS and self._checks > 0:
                self._checks -= len(section)
                found += [node for node in section if any(node.get(key) in names for key in _REFERENCES)]
        return found
