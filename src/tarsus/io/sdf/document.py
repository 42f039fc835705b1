"""The model in an SDF file: alone, in a world, or behind an <include>."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from lxml import etree

from tarsus.io.includes import ORIGIN, DocumentReport, IncludeReader
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder, Resolution
from tarsus.io.sdf.elements import child_numbers, child_text
from tarsus.io.xml import parse_xml_text, tag_of

MAX_INCLUDES = 64
"""Largest number of files that one model may include."""
VERSION = "{urn:tarsus}version"
"""Attribute that remembers the version of SDF a model was written in."""
_DEFAULT_VERSION = "1.9"
_OVERRIDES = ("static", "pose")


@dataclass(frozen=True, slots=True)
class Document:
    """The model of a file.

    Attributes
    ----------
    model : element
    gravity : tuple of float
        Of the world around it [m/s^2].
    """

    model: etree._Element
    gravity: tuple[float, float, float]


def open_document(
    data: bytes | str, name: str, finder: PackageFinder, max_size: int
) -> tuple[Document, DocumentReport]:
    """Parse a file, insert what it includes, and find its model.

    A world may hold several models if all but one are static; that one is meant.

    Raises
    ------
    ModelFileError
        If a file is not well-formed, an include is out of bounds, or there is not exactly one model to choose.
    """
    root, first = parse_xml_text(data, name, max_size=max_size)
    report = DocumentReport(problems=first.problems, file=name)
    if tag_of(root) != "sdf":
        report.error("root-element", f"the root element is <{tag_of(root)}>, expected <sdf>", root, tag_of(root))
        report.raise_if_errors()
    root.set(VERSION, _version(root, report))
    _insert_includes(root, report, finder, max_size - len(data))
    report.raise_if_errors()
    world = root.find("world")
    model = _choose(root if world is None else world, report)
    report.raise_if_errors()
    assert model is not None
    x, y, z = child_numbers(report, world, "gravity", [0.0, 0.0, -9.81])
    return Document(model, (x, y, z)), report


def version_of(node: etree._Element) -> tuple[int, int]:
    """Version of SDF that an element is written in."""
    place: etree._Element | None = node
    while place is not None:
        text = place.get(VERSION)
        if text is not None:
            major, _, minor = text.partition(".")
            return int(major), int(minor)
        place = place.getparent()
    return 1, 9


def _version(root: etree._Element, report: DocumentReport) -> str:
    text: str = root.get("version", "").strip()
    if not re.fullmatch(r"[0-9]{1,3}\.[0-9]{1,3}", text):
        message = f"version {shown(text)!r} of <sdf> is not known; {_DEFAULT_VERSION} is assumed"
        report.warning("sdf-version", message, root, shown(text))
        return _DEFAULT_VERSION
    return text


def _choose(place: etree._Element, report: DocumentReport) -> etree._Element | None:
    models = list(place.iterchildren("model"))
    if not models:
        report.error("missing-model", f"there is no <model> in <{tag_of(place)}>", place)
        return None
    if len(models) == 1:
        return models[0]
    moving = [model for model in models if child_text(model, "static").lower() not in ("1", "true")]
    names = ", ".join(repr(model.get("name", "")) for model in models[:8])
    if len(moving) != 1:
        message = f"there are {len(models)} models: {names}; expected one, or one that is not static"
        report.error("several-models", message, models[1], shown(names))
        return None
    message = f"of the models {names} only {moving[0].get('name', '')!r} is read; the others are static"
    report.warning("several-models", message, moving[0], shown(names))
    return moving[0]


def _insert_includes(root: etree._Element, report: DocumentReport, finder: PackageFinder, budget: int) -> None:
    """Put the models of included files in place of <include>."""
    reader = IncludeReader(report, budget, MAX_INCLUDES, repeatable=True)
    pending: list[tuple[etree._Element, tuple[str, ...]]] = [(node, (reader.main,)) for node in root.iter("include")]
    while pending and not report.has_errors:
        node, chain = pending.pop()
        uri = child_text(node, "uri")
        if not uri:
            report.error("missing-element", "<include> needs a <uri>", node)
            return
        opened = reader.open(node, uri, _resolved(finder, uri, os.path.dirname(chain[-1])), chain)
        if opened is None:
            return
        path, included = opened
        models = list(included.iterchildren("model"))
        if len(models) != 1:
            report.error("missing-model", f"{uri!r} holds {len(models)} models, expected one", node, uri)
            return
        model = models[0]
        model.set(ORIGIN, path)
        model.set(VERSION, _version(included, report))
        _override(node, model, report)
        parent = node.getparent()
        if parent is not None:
            parent.replace(node, model)
        pending += [(inner, (*chain, path)) for inner in model.iter("include")]


def _override(include: etree._Element, model: etree._Element, report: DocumentReport) -> None:
    """Name, pose and static of an <include> win over those of the included model."""
    if child_text(include, "name"):
        model.set("name", child_text(include, "name"))
    if include.find("placement_frame") is not None or include.get("merge", "false") not in ("0", "false"):
        message = "placement_frame and merge of <include> are not supported"
        report.error("not-supported", message, include)
    for tag in _OVERRIDES:
        given, own = include.find(tag), model.find(tag)
        if given is not None:
            if own is not None:
                model.remove(own)
            model.insert(0, given)


def _resolved(finder: PackageFinder, uri: str, beside: str) -> Resolution:
    """Return the file that is meant: `uri` itself or model.sdf in the directory it names."""
    found = finder.resolve(uri, beside if finder.directory is not None else "")
    if found.verdict != "missing":
        return found
    inside = finder.resolve(f"{uri.rstrip('/')}/model.sdf", beside if finder.directory is not None else "")
    return found if inside.verdict == "missing" else inside
