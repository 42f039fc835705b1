"""Included models that are merged: their parts become parts of the model that includes them."""

from __future__ import annotations

from lxml import etree

from tarsus.io.includes import ORIGIN, DocumentReport
from tarsus.io.sdf.elements import child_text
from tarsus.io.sdf.scope import MODEL, canonical_name
from tarsus.io.sdf.version import pass_version_on, version_of
from tarsus.io.xml import tag_of

_PARTS = ("link", "joint", "frame", "model", "gripper")
_REFERENCES = (("pose", "relative_to"), ("xyz", "expressed_in"), ("frame", "attached_to"))
"""Elements and their attributes that name a frame."""


def merge_model(include: etree._Element, model: etree._Element, report: DocumentReport) -> None:
    """Replace a model by its links, joints, frames and nested models.

    A frame ``_merged__NAME__model__`` stands for the frame of the model that is no more, as SDFormat names it.
    """
    parent = model.getparent()
    name = model.get("name", "").strip()
    if parent is None or tag_of(parent) != "model":
        report.error("merge", "only a model can merge what it includes", include)
        return
    own = f"_merged__{name}__model__"
    stand_in = _stand_in(model, own)
    for part in [part for part in model if tag_of(part) in _PARTS]:
        _rename_frame(part, own)
        _anchor(part, own)
        if ORIGIN not in part.attrib:
            part.set(ORIGIN, model.get(ORIGIN, ""))
        pass_version_on(model, part)
        model.addprevious(part)
    model.addprevious(stand_in)
    parent.remove(model)


def _stand_in(model: etree._Element, own: str) -> etree._Element:
    """Return the frame in place of the model."""
    attributes = {"name": own, "attached_to": canonical_name(model, ""), ORIGIN: model.get(ORIGIN, "")}
    frame = etree.Element("frame", attributes)
    pass_version_on(model, frame)
    placement = model.get("placement_frame", "").strip()
    if placement:
        frame.set("placement_frame", placement)
    pose = model.find("pose")
    frame.append(etree.Element("pose") if pose is None else pose)
    if not (frame[0].get("relative_to") or frame[0].get("frame")):
        frame[0].set("relative_to", MODEL)
    return frame


def _rename_frame(part: etree._Element, own: str) -> None:
    """Let everything outside nested models that names the frame of the model name the one in its place."""
    nodes = [part, part.find("pose")] if tag_of(part) == "model" else part.iter()
    for node in nodes:
        if node is None:
            continue
        for tag, attribute in _REFERENCES:
            if tag_of(node) == tag and node.get(attribute, "").strip() == MODEL:
                node.set(attribute, own)
        if tag_of(node) in ("parent", "child") and (node.text or "").strip() == MODEL:
            node.text = own
        if tag_of(node) in ("axis", "axis2"):
            _express(node, own)


def _express(axis: etree._Element, own: str) -> None:
    """Name the frame of an axis that is given in the frame of the model by default or by an old flag."""
    flag = child_text(axis, "use_parent_model_frame", str(int(version_of(axis) <= (1, 4)))).lower()
    xyz = axis.find("xyz")
    if xyz is not None and not xyz.get("expressed_in") and flag in ("1", "true"):
        xyz.set("expressed_in", own)


def _anchor(part: etree._Element, own: str) -> None:
    """Say what the pose of a part is relative to where that was the model."""
    if tag_of(part) not in ("link", "model", "frame") or part.get("attached_to"):
        return
    if tag_of(part) == "frame":
        part.set("attached_to", own)
        return
    pose = part.find("pose")
    if pose is None:
        pose = etree.SubElement(part, "pose")
    if not (pose.get("relative_to") or pose.get("frame")):
        pose.set("relative_to", own)
