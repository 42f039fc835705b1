"""The model in an SDF file: alone, in a world, one of several, or all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.io.includes import DocumentReport
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.elements import child_numbers, child_text, relative_to
from tarsus.io.sdf.includes import insert_includes
from tarsus.io.sdf.scope import MODEL, WORLD, collect
from tarsus.io.sdf.version import remember_version
from tarsus.io.xml import parse_xml_text, tag_of

ALL = "*"
"""Name that stands for all models of a file."""
_SHOWN = 8
"""Names of models that a message lists."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is read of a file.

    Attributes
    ----------
    model : element
        A <model>, or what holds all of them.
    gravity : tuple of float
        Of the world around it [m/s^2].
    X_WM : ndarray, shape (4, 4)
        Pose in the world of the frame that the pose of the model is relative to.
    is_world : bool
        Whether all models are meant.
    """

    model: etree._Element
    gravity: tuple[float, float, float]
    X_WM: FloatArray
    is_world: bool


def open_document(
    data: bytes | str, name: str, finder: PackageFinder, max_size: int, model_name: str | None = None
) -> tuple[Document, DocumentReport]:
    """Parse a file, insert what it includes, and find its model.

    Of several models, `model_name` chooses one, "*" all of them; without a name, the one that is not static is meant.

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
    remember_version(root, root, report)
    insert_includes(root, report, finder, max_size - len(data))
    report.raise_if_errors()
    world = root.find("world")
    place = root if world is None else world
    model = _choose(place, report, model_name)
    report.raise_if_errors()
    assert model is not None
    x, y, z = child_numbers(report, world, "gravity", [0.0, 0.0, -9.81])
    return Document(model, (x, y, z), _anchor(place, model, report), model is place), report


def _anchor(place: etree._Element, model: etree._Element, report: DocumentReport) -> FloatArray:
    """Pose (4, 4) in the world of what the pose of a model is relative to."""
    given = relative_to(model)
    if model is place or given in ("", WORLD, MODEL):
        return np.eye(4)
    return collect(place, report, is_world=True).named_pose(given, "", model)


def _choose(place: etree._Element, report: DocumentReport, name: str | None) -> etree._Element | None:
    models = list(place.iterchildren("model"))
    if not models:
        report.error("missing-model", f"there is no <model> in <{tag_of(place)}>", place)
        return None
    if name == ALL:
        return place
    if name is not None:
        return _named(models, report, name)
    if len(models) == 1:
        return models[0]
    moving = [model for model in models if child_text(model, "static").lower() not in ("1", "true")]
    names = _names(models)
    if len(moving) != 1:
        message = f"there are {len(models)} models: {names}; name= chooses one of them (--name), {ALL!r} all together"
        report.error("several-models", message, models[1], shown(names))
        return None
    chosen = moving[0].get("name", "")
    message = f"of the models {names} only {chosen!r} is read, which is not static; name={ALL!r} reads all together"
    report.warning("several-models", message, moving[0], shown(names))
    return moving[0]


def _named(models: list[etree._Element], report: DocumentReport, name: str) -> etree._Element | None:
    found = [model for model in models if model.get("name", "").strip() == name]
    if len(found) == 1:
        return found[0]
    if found:
        message = f"there are {len(found)} models {shown(name)!r}, which cannot be told apart"
        report.error("duplicate-name", message, found[1], shown(name))
        return None
    hint = nearest(name[:100], (model.get("name", "") for model in models))
    message = f"there is no model {shown(name)!r}{hint}; there are {_names(models)}"
    report.error("unknown-model", message, models[0], shown(name))
    return None


def _names(models: list[etree._Element]) -> str:
    more = ", ..." if len(models) > _SHOWN else ""
    return ", ".join(repr(shown(model.get("name", ""))) for model in models[:_SHOWN]) + more
