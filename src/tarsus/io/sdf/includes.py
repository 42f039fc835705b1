"""Models of other files: what stands for an <include>."""

from __future__ import annotations

import os

from lxml import etree

from tarsus.io.includes import ORIGIN, DocumentReport, IncludeReader
from tarsus.io.packages import PackageFinder, Resolution
from tarsus.io.sdf.elements import child_text
from tarsus.io.sdf.merging import merge_model
from tarsus.io.sdf.version import NEWEST, parse_version, remember_version
from tarsus.io.xml import parse_xml_text, read_bytes

MAX_INCLUDES = 64
"""Largest number of files that one model may include."""
_MAX_CONFIG = 2**20
"""Largest model.config that is read [bytes]."""
_OVERRIDES = ("static", "pose")


def insert_includes(root: etree._Element, report: DocumentReport, finder: PackageFinder, budget: int) -> None:
    """Put the models of included files in place of <include>."""
    reader = IncludeReader(report, budget, MAX_INCLUDES, repeatable=True)
    merged: list[tuple[etree._Element, etree._Element]] = []
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
        remember_version(included, model, report)
        _override(node, model)
        parent = node.getparent()
        if parent is not None:
            parent.replace(node, model)
        if node.get("merge", "false").strip().lower() not in ("0", "false", ""):
            merged.append((node, model))
        pending += [(inner, (*chain, path)) for inner in model.iter("include")]
    for node, model in reversed(merged):  # inner ones first
        merge_model(node, model, report)


def _override(include: etree._Element, model: etree._Element) -> None:
    """Name, pose, static and placement_frame of an <include> win over those of the included model."""
    if child_text(include, "name"):
        model.set("name", child_text(include, "name"))
    frame = child_text(include, "placement_frame")
    if frame:
        model.set("placement_frame", frame)
    elif include.find("pose") is not None:
        model.attrib.pop("placement_frame", "")
    for tag in _OVERRIDES:
        given, own = include.find(tag), model.find(tag)
        if given is not None:
            if own is not None:
                model.remove(own)
            model.insert(0, given)


def _resolved(finder: PackageFinder, uri: str, beside: str) -> Resolution:
    """Return the file that is meant: `uri` itself, or the model of the directory it names."""
    place = beside if finder.directory is not None else ""
    found = finder.resolve(uri, place)
    if found.verdict != "missing":
        return found
    directory = uri.rstrip("/")
    config = finder.resolve(f"{directory}/model.config", place)
    name = "model.sdf" if config.path is None else _configured(config.path)
    inside = finder.resolve(f"{directory}/{name}", place)
    return found if inside.verdict == "missing" else inside


def _configured(path: str) -> str:
    """Name of the file that a model.config gives for the newest version of SDF that is known."""
    root, _ = parse_xml_text(read_bytes(path, max_size=_MAX_CONFIG), path)
    files = []
    for node in root.iterchildren("sdf"):
        version = parse_version(node.get("version", "")) or (0, 0)
        if (node.text or "").strip():
            files.append((version <= NEWEST, version, (node.text or "").strip()))
    return max(files, key=lambda file: file[:2])[2] if files else "model.sdf"
