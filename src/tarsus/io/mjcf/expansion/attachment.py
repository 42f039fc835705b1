"""Models attached to others: <model> assets and the <attach> elements that copy parts of them, within bounds.

An attached part brings along what it needs: the settings it was written under, its default classes and assets, and the
actuators, tendons, equality constraints and contact pairs that refer to nothing but it. All names get the prefix.
"""

from __future__ import annotations

import copy
import ntpath
import os
from collections.abc import Callable, Iterator

from lxml import etree

from tarsus.errors import nearest
from tarsus.io.includes import ORIGIN, DocumentReport, IncludeReader
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import tag_of

MAX_ATTACHED_ELEMENTS = 200_000
"""Largest number of elements that all <attach> elements of a model may produce."""
MAX_ATTACHED_DEPTH = 32
"""How many models may be attached one inside the other."""
SCOPE = "{urn:tarsus}scope"
"""Attribute of elements that came with an attached model; its value names the settings they were written under."""
DIRECTORY = "{urn:tarsus}directory"
"""Attribute of the <compiler> of an attached model: where its file is."""

_NAMING = ("name", "class", "childclass")
_REFERENCES = frozenset(
    "body body1 body2 bodyname joint joint1 joint2 jointinparent jointparent site site1 site2 cranksite slidersite "
    "refsite sidesite geom geom1 geom2 tendon tendon1 tendon2 actuator mesh material texture hfield target objname "
    "refname subtree1 subtree2 flex".split()
)
_LINKED = _REFERENCES - {"mesh", "material", "texture", "hfield"}
"""References that decide whether an element belongs to an attached part; assets come along anyway."""
_REFERRING = ("tendon", "equality", "contact", "actuator", "sensor")
_TOP = "main"


class Attacher:
    """Writes out the <attach> elements of a document.

    Parameters
    ----------
    report : DocumentReport
    finder : PackageFinder
    reader : IncludeReader
        Opens files within its bounds.
    insert_includes : callable
        Writes out the includes of an attached document (root, files around it).
    """

    def __init__(
        self,
        report: DocumentReport,
        finder: PackageFinder,
        reader: IncludeReader,
        insert_includes: Callable[[etree._Element, tuple[str, ...]], None],
    ) -> None:
        self._report = report
        self._finder = finder
        self._reader = reader
        self._insert_includes = insert_includes
        self._budget = MAX_ATTACHED_ELEMENTS
        self._scopes = 0

    def write_out(self, root: etree._Element, chain: tuple[str, ...]) -> None:
        """Put copies in place of <attach>; `chain` lists the files around `root`, its own last."""
        children = self._children(root, chain)
        if self._report.has_errors:
            return
        parts: dict[tuple[str, str], _Attached] = {}
        for node in list(root.iter("attach")):
            name, prefix = node.get("model"), node.get("prefix", "")
            if name is None:
                self._report.error("not-supported", "<attach> of a part of the same model is not supported", node)
                return
            if name not in children:
                message = f"there is no model {shown(name)!r} among the assets{nearest(name[:100], children)}"
                self._report.error("unknown-model", message, node, shown(name))
                return
            path, child = children[name]
            if (name, prefix) not in parts:
                self._scopes += 1
                parts[name, prefix] = _Attached(root, child, path, prefix, str(self._scopes), self._report)
            if not self._spend(child, node) or not parts[name, prefix].put(node):
                return

    def _spend(self, child: etree._Element, node: etree._Element) -> bool:
        self._budget -= sum(1 for _ in child.iter())
        if self._budget < 0:
            message = f"<attach> elements make more than {MAX_ATTACHED_ELEMENTS} copies of elements"
            self._report.error("attach-size", message, node)
        return self._budget >= 0

    def _children(self, root: etree._Element, chain: tuple[str, ...]) -> dict[str, tuple[str, etree._Element]]:
        """Path and document of the <model> assets by name."""
        children: dict[str, tuple[str, etree._Element]] = {}
        wanted = {node.get("model") for node in root.iter("attach")}
        for section in root.iterchildren("asset"):
            for node in list(section.iterchildren("model")):
                if node.get("name") in wanted or node.get("name") is None:
                    opened = self._open(node, chain)
                    if opened is None:
                        return children
                    children[str(node.get("name") or opened[1].get("model", ""))] = opened
                section.remove(node)
        return children

    def _open(self, node: etree._Element, chain: tuple[str, ...]) -> tuple[str, etree._Element] | None:
        uri = node.get("file")
        if not uri:
            self._report.error("missing-attribute", "<model> needs the attribute 'file'", node)
            return None
        if len(chain) > MAX_ATTACHED_DEPTH:
            message = f"models are attached to each other more than {MAX_ATTACHED_DEPTH} deep"
            self._report.error("nesting", message, node)
            return None
        found = self._finder.resolve(uri, os.path.dirname(chain[-1]) if self._finder.directory is not None else "")
        opened = self._reader.open(node, uri, found, chain)
        if opened is None:
            return None
        path, child = opened
        if tag_of(child) != "mujoco":
            message = f"the root element of the attached {shown(uri)!r} is <{tag_of(child)}>, expected <mujoco>"
            self._report.error("root-element", message, node, tag_of(child))
            return None
        for element in child:
            element.set(ORIGIN, path)
        self._insert_includes(child, (*chain, path))
        if not self._report.has_errors:
            self.write_out(child, (*chain, path))
        return None if self._report.has_errors else (path, child)


class _Attached:
    """One model under one prefix in the document that it is attached to."""

    def __init__(
        self, root: etree._Element, child: etree._Element, path: str, prefix: str, scope: str, report: DocumentReport
    ) -> None:
        self._root = root
        self._child = child
        self._path = path
        self._prefix = prefix
        self._scope = scope
        self._report = report
        self._top = next((node for node in child.iterchildren("default") if node.get(SCOPE) is None), None)
        self._moved: set[etree._Element] = set()
        self._names: set[str] = set()
        self._move_settings()

    @property
    def _main(self) -> str:
        """Class of what has none of its own."""
        name = _TOP if self._top is None else self._top.get("class", _TOP)
        return f"{self._prefix}{name}"

    def put(self, node: etree._Element) -> bool:
        """Put what an <attach> element asks for in its place, and what refers to it into its sections."""
        found = self._part(node)
        if found is None:
            return False
        frame = etree.Element("frame")
        frame.set("childclass", self._main)
        self._mark(frame)
        self._names |= {name for part in found for element in part.iter() if (name := element.get("name"))}
        frame.extend([self._renamed(part) for part in found])
        parent = node.getparent()
        assert parent is not None
        parent.replace(node, frame)
        self._move_referring()
        return True

    def _part(self, node: etree._Element) -> list[etree._Element] | None:
        """Elements of the child that are attached."""
        for kind in ("body", "frame"):
            name = node.get(kind)
            if name is None:
                continue
            places = [place for world in self._child.iterchildren("worldbody") for place in world.iter(kind)]
            part = next((place for place in places if place.get("name") == name), None)
            if part is None:
                names = [place.get("name", "") for place in places]
                message = f"there is no {kind} {shown(name)!r} in the attached model{nearest(name[:100], names)}"
                self._report.error(f"unknown-{kind}", message, node, shown(name))
                return None
            return [part]
        return [part for world in self._child.iterchildren("worldbody") for part in world if tag_of(part)]

    def _move_settings(self) -> None:
        """Settings, default classes and assets of the child, marked as its own."""
        # A child without settings has those of MuJoCo, not those of its parent; so it is with defaults.
        for tag in ("compiler", "default"):
            nodes = list(self._child.iterchildren(tag))
            if all(node.get(SCOPE) is not None for node in nodes):
                nodes.append(etree.Element(tag))
            for node in nodes:
                twin = self._renamed(node)
                if tag == "default" and node.get(SCOPE) is None:
                    twin.set("class", self._main)
                if tag == "compiler" and node.get(SCOPE) is None:
                    twin.set(DIRECTORY, os.path.dirname(self._path))
                self._root.append(twin)
        for section in self._child.iterchildren("asset"):
            copied = self._renamed(section)
            for node in copied:
                if not node.get("name") and node.get("file"):
                    base = os.path.splitext(ntpath.basename(node.get("file", "")))[0]
                    node.set("name", self._prefix + base)
                if tag_of(node) in ("mesh", "material"):
                    node.set("class", node.get("class", self._main))
            self._root.append(copied)

    def _move_referring(self) -> None:
        """Copy what refers to nothing but attached elements."""
        for tag in (*_REFERRING, "keyframe"):
            for section in self._child.iterchildren(tag):
                copied = etree.Element(tag)
                inner = section.get(SCOPE)
                if inner is not None:
                    copied.set(SCOPE, inner)
                self._mark(copied)
                for node in section:
                    if not tag_of(node) or node in self._moved or not self._belongs(node):
                        continue
                    self._moved.add(node)
                    if node.get("name"):
                        self._names.add(node.get("name", ""))
                    twin = self._renamed(node)
                    if tag == "keyframe" and inner is not None and node.get("name"):
                        twin.set("name", node.get("name", ""))  # as in MuJoCo, where only the innermost prefix counts
                    if tag != "keyframe" and tag != "sensor":
                        twin.set("class", twin.get("class", self._main))
                    copied.append(twin)
                if len(copied):
                    self._root.append(copied)

    def _belongs(self, node: etree._Element) -> bool:
        return all(
            value in self._names or value == "world"
            for element in node.iter()
            for key, value in _attributes(element)
            if key in _LINKED
        )

    def _renamed(self, node: etree._Element) -> etree._Element:
        """Copy with the prefix before all names and references."""
        twin = copy.deepcopy(node)
        self._mark(twin)
        for element in twin.iter():
            for key, value in list(_attributes(element)):
                is_name = key in _NAMING or (key in _REFERENCES and value != "world")
                if is_name and value:
                    element.set(key, self._prefix + value)
        return twin

    def _mark(self, node: etree._Element) -> None:
        if node.get(SCOPE) is None:
            node.set(SCOPE, self._scope)
        if node.get(ORIGIN) is None:
            node.set(ORIGIN, self._path)


def _attributes(element: etree._Element) -> Iterator[tuple[str, str]]:
    """Attributes of an element that is neither a comment nor an instruction."""
    if tag_of(element):
        yield from ((str(key), str(value)) for key, value in element.attrib.items())
