"""Values that SDF writes as text of child elements."""

from __future__ import annotations

import math

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.numbers import parse_floats, shown
from tarsus.io.urdf.shapes import IDENTITY, pose_of_xyz_rpy
from tarsus.io.xml import Report, tag_of
from tarsus.spatial.pose import pose
from tarsus.spatial.quaternion import rotation_matrix_from_quaternion

UNLIMITED = 1e16
"""Limits of this size and above mean that there is none."""
_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "infinity": math.inf, "-infinity": -math.inf}


def child_text(node: etree._Element | None, tag: str, default: str = "") -> str:
    """Text of the first child with a tag, without white space around it."""
    child = None if node is None else node.find(tag)
    return default if child is None else (child.text or "").strip()


def child_number(report: Report, node: etree._Element | None, tag: str, default: float) -> float:
    """Return the number in the first child with a tag; infinity may be written out."""
    child = None if node is None else node.find(tag)
    if child is None:
        return default
    text = child.text or ""
    if text.strip().lower() in _INFINITE:
        return _INFINITE[text.strip().lower()]
    values = parse_floats(report, child, text, 1, tag)
    return default if values is None else values[0]


def child_numbers(report: Report, node: etree._Element | None, tag: str, default: list[float]) -> list[float]:
    """As many numbers as `default` has, in the first child with a tag."""
    child = None if node is None else node.find(tag)
    values = None if child is None else parse_floats(report, child, child.text or "", len(default), tag)
    return default if values is None else list(values)


def child_flag(report: Report, node: etree._Element, tag: str, default: bool) -> bool:
    """Truth value in the first child with a tag."""
    child = node.find(tag)
    if child is None:
        return default
    word = (child.text or "").strip().lower()
    if word not in ("0", "1", "false", "true"):
        report.error("keyword", f"{tag}: {shown(word)!r} is neither true nor false", child, shown(word))
        return default
    return word in ("1", "true")


def read_pose(report: Report, node: etree._Element | None) -> FloatArray:
    """Pose (4, 4) of a <pose> element: position, then roll, pitch, yaw about fixed axes, or a quaternion."""
    text = "" if node is None else node.text or ""
    if node is None or not text.strip():
        return IDENTITY
    kind = node.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        values = parse_floats(report, node, text, 7, "pose")
        if values is None:
            return IDENTITY
        x, y, z, w = values[3:]
        norm = math.hypot(w, x, y, z)
        if not 0.0 < norm < math.inf:
            report.error("zero-rotation", "the quaternion of a pose is zero", node, shown(text.strip()))
            return IDENTITY
        return pose(values[:3], rotation_matrix_from_quaternion(np.array([w, x, y, z]) / norm))
    if kind != "euler_rpy":
        report.error("keyword", f"rotation_format {shown(kind)!r} is not known", node, shown(kind))
        return IDENTITY
    values = parse_floats(report, node, text, 6, "pose")
    if values is None:
        return IDENTITY
    angles = list(values[3:])
    if node.get("degrees", "false").strip().lower() in ("1", "true"):
        angles = [math.radians(angle) for angle in angles]
    return pose_of_xyz_rpy(values[:3], angles)


def relative_to(node: etree._Element) -> str:
    """Name of the frame that the <pose> of an element is relative to; empty for the usual one."""
    place = node.find("pose")
    return "" if place is None else place.get("relative_to") or place.get("frame") or ""


def name_of(report: Report, node: etree._Element) -> str:
    """Name of an element, or an empty text after an error."""
    name: str = node.get("name", "").strip()
    if not name:
        report.error("missing-name", f"<{tag_of(node)}> has no name", node)
    return name
