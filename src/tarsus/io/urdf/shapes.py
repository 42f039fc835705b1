"""Origins, geometries and materials of URDF."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from tarsus.io.mesh_notes import note_mesh_defects
from tarsus.io.numbers import floats, number, parse_floats
from tarsus.io.packages import PackageFinder
from tarsus.io.report import Report
from tarsus.untrusted_xml import tag_of

Color = tuple[float, float, float, float]
UNLIMITED = 1e300
"""URDF has no word for a limit that is not there; what is larger than this is no limit."""
DEFAULT_COLOR: Color = Shape(Sphere(1.0)).color
IDENTITY: FloatArray = np.eye(4)
IDENTITY.flags.writeable = False
_ZEROS = (0.0, 0.0, 0.0)


def pose_of_xyz_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> FloatArray:
    """Pose, shape (4, 4), from a position [m] and roll, pitch, yaw about the fixed axes x, y, z [rad].

    R = Rz(yaw) Ry(pitch) Rx(roll).
    """
    roll, pitch, yaw = rpy
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    x, y, z = xyz
    X = np.zeros((4, 4))
    X[0] = cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x
    X[1] = sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y
    X[2] = -sp, cp * sr, cp * cr, z
    X[3, 3] = 1.0
    return X


def origin_pose(report: Report, origin: etree._Element | None) -> FloatArray:
    """Pose of an ``<origin xyz rpy>``, shape (4, 4); the identity where it is missing."""
    if origin is None:
        return IDENTITY
    xyz, rpy = (_triple(report, origin, attribute) for attribute in ("xyz", "rpy"))
    return IDENTITY if not any(xyz) and not any(rpy) else pose_of_xyz_rpy(xyz, rpy)


def _triple(report: Report, node: etree._Element, attribute: str) -> Sequence[float]:
    text = node.get(attribute)
    values = None if text is None else parse_floats(report, node, text, 3, attribute)
    return _ZEROS if values is None else values


def _own_color(report: Report, material: etree._Element) -> Color | None:
    node = material.find("color")
    if node is None:
        return None
    rgba = floats(report, node, "rgba", 4)
    if rgba is None:
        if node.get("rgba") is None:
            report.error("missing-attribute", "<color> needs the attribute 'rgba'", node)
        return DEFAULT_COLOR
    if rgba.min() < 0.0 or rgba.max() > 1.0:
        message = f"color {node.get('rgba')!r} has values outside 0..1"
        report.warning("color-range", message, node, node.get("rgba", ""))
        rgba = np.clip(rgba, 0.0, 1.0)
    r, g, b, a = rgba.tolist()
    return (r, g, b, a)


class ShapeReader:
    """Reads the shapes of one URDF.

    Parameters
    ----------
    report : Report
    finder : PackageFinder
        Finds the meshes.
    check_meshes : bool
        Also look into the mesh files that were found.
    """

    def __init__(self, report: Report, finder: PackageFinder, check_meshes: bool = False) -> None:
        self._report = report
        self._finder = finder
        self._check_meshes = check_meshes
        self._checked: set[str] = set()
        self._colors: dict[str, Color] = {}
        self._unknown: set[str] = set()

    def collect_materials(self, root: etree._Element) -> None:
        """Remember the named colours of a robot, global ones first; what is wrong with the others is told later."""
        self._remember_colors(root.iterfind("material"), self._report)
        self._remember_colors(root.iterfind("link/visual/material"), Report())

    def _remember_colors(self, materials: Iterable[etree._Element], report: Report) -> None:
        for material in materials:
            color, name = _own_color(report, material), material.get("name", "")
            if color is not None and name:
                self._colors.setdefault(name, color)
            elif name and material.find("texture") is not None:
                self._colors.setdefault(name, DEFAULT_COLOR)

    def shape(self, node: etree._Element) -> Shape | None:
        """Shape of a ``<visual>`` or ``<collision>``; None after noting what is wrong with it."""
        origin = geometry = material = None
        for child in node:
            tag = child.tag
            if tag == "origin":
                origin = child
            elif tag == "geometry":
                geometry = child
            elif tag == "material":
                material = child
        pose = origin_pose(self._report, origin)
        solid = self._geometry(node, geometry)
        color = DEFAULT_COLOR if material is None else self._color(material)
        return None if solid is None else Shape(solid, pose, color, node.get("name", ""))

    def _color(self, material: etree._Element) -> Color:
        name = material.get("name", "")
        color = (
            self._colors.get(name) if name and material.find("color") is None else _own_color(self._report, material)
        )
        if color is None and name and name not in self._unknown and material.find("texture") is None:
            self._unknown.add(name)
            self._report.warning("unknown-material", f"material {name!r} is defined nowhere", material, name)
        return color or DEFAULT_COLOR

    def _geometry(self, shape: etree._Element, node: etree._Element | None) -> Geometry | None:
        if node is None or len(node) == 0:
            self._report.warning("missing-geometry", f"<{tag_of(shape)}> has no geometry and is left out", shape)
            return None
        solid = node[0]
        reader = {
            "box": self._box,
            "sphere": self._sphere,
            "cylinder": self._cylinder,
            "capsule": self._capsule,
            "mesh": self._mesh,
        }.get(tag_of(solid))
        if reader is None:
            message = f"unknown geometry <{tag_of(solid)}>; expected box, sphere, cylinder, capsule or mesh"
            self._report.error("unknown-geometry", message, solid, tag_of(solid))
            return None
        return reader(solid)

    def _box(self, node: etree._Element) -> Geometry | None:
        text = node.get("size")
        size = None if text is None else parse_floats(self._report, node, text, 3, "size")
        if size is None:
            self._require(node, "size")
            return None
        if min(size) < 0.0:
            self._report.error(
                "negative-size", f"box has the negative size {node.get('size')!r}", node, node.get("size", "")
            )
            return None
        x, y, z = size
        return Box((x, y, z))

    def _sphere(self, node: etree._Element) -> Geometry | None:
        radius = self._length(node, "radius")
        return None if radius is None else Sphere(radius)

    def _cylinder(self, node: etree._Element) -> Geometry | None:
        radius, length = self._length(node, "radius"), self._length(node, "length")
        return None if radius is None or length is None else Cylinder(radius, length)

    def _capsule(self, node: etree._Element) -> Geometry | None:
        radius, length = self._length(node, "radius"), self._length(node, "length")
        return None if radius is None or length is None else Capsule(radius, length)

    def _mesh(self, node: etree._Element) -> Geometry | None:
        scale = floats(self._report, node, "scale", (1, 3), (1.0,))
        if len(scale) == 2:
            self._report.error("number-count", "scale: found 2 numbers, expected 1 or 3", node, node.get("scale", ""))
            return None
        uri = node.get("filename")
        if not uri:
            self._require(node, "filename")
            return None
        path = self._finder.locate(self._report, node, uri)
        if path is not None and self._check_meshes and path not in self._checked:
            self._checked.add(path)
            note_mesh_defects(self._report, node, path, uri)
        x, y, z = scale.tolist() * (3 // len(scale))
        return Mesh(uri, path, (x, y, z))

    def _length(self, node: etree._Element, attribute: str) -> float | None:
        value = number(self._report, node, attribute, required=True)
        if value is not None and value < 0.0:
            message = f"{tag_of(node)} has the negative {attribute} {value:g}"
            self._report.error("negative-size", message, node, node.get(attribute, ""))
            return None
        return value

    def _require(self, node: etree._Element, attribute: str) -> None:
        if not node.get(attribute):
            self._report.error("missing-attribute", f"<{tag_of(node)}> needs the attribute {attribute!r}", node)
