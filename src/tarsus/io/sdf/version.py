"""The version of SDF that an element is written in; files of several versions may be put together."""

from __future__ import annotations

import re

from lxml import etree

from tarsus.io.numbers import shown
from tarsus.io.xml import Report

NEWEST = (1, 12)
"""Newest version of SDF that is known here."""
_VERSION = "{urn:tarsus}version"
_DEFAULT = "1.9"


def parse_version(text: str) -> tuple[int, int] | None:
    """Return the two numbers of a version such as "1.9"; None if it is none."""
    match = re.fullmatch(r"([0-9]{1,3})\.([0-9]{1,3})", text.strip())
    return None if match is None else (int(match[1]), int(match[2]))


def remember_version(root: etree._Element, target: etree._Element, report: Report) -> None:
    """Note on `target` in which version the file with the given root is written."""
    text: str = root.get("version", "").strip()
    if parse_version(text) is None:
        message = f"version {shown(text)!r} of <sdf> is not known; {_DEFAULT} is assumed"
        report.warning("sdf-version", message, root, shown(text))
        text = _DEFAULT
    target.set(_VERSION, text)


def pass_version_on(source: etree._Element, target: etree._Element) -> None:
    """Note on `target`, which is about to be moved, the version that is noted on `source`."""
    text = source.get(_VERSION)
    if text is not None and target.get(_VERSION) is None:
        target.set(_VERSION, text)


def version_of(node: etree._Element) -> tuple[int, int]:
    """Version of SDF that an element is written in."""
    place: etree._Element | None = node
    while place is not None:
        text = place.get(_VERSION)
        if text is not None:
            return parse_version(text) or (1, 9)
        place = place.getparent()
    return 1, 9
