"""Geoms of MJCF: shapes to look at and to collide with, and the inertia of bodies that have none of their own."""

from __future__ import annotations

import math
import ntpath
import os
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.geometry.mass_properties import area, shell_inertia, solid_inertia, volume
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Plane, Shape, Sphere
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.settings.orientation import compose, pose_of, read_pose, rotation_to_z
from tarsus.io.mjcf.shapes.fitting import fitted_size
from tarsus.io.mjcf.shapes.ground_pairs import paired_with_the_world
from tarsus.io.mjcf.shapes.materials import Materials
from tarsus.io.mjcf.shapes.meshes import MeshAssets
from tarsus.io.numbers import shown
from tarsus.io.xml import Report
from tarsus.spatial.inertia import Inertia

GEOM_TYPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
_SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
_MESHES = ("mesh", "sdf")
"""Types of geoms whose mass is that of a mesh."""
_WATER = 1000.0
_FIRST_HIDDEN_GROUP = 3
"""Geoms of this group and higher ones are not drawn: by convention they are for collision only."""


@dataclass(frozen=True, slots=True, eq=False)
class Geom:
    """A geom that was read.

    Attributes
    ----------
    shape : Shape or None
        None for what has no geometry here (height fields, meshes that cannot be read).
    is_visual, is_collision : bool
    inertia : Inertia or None
        In the frame of the body; None for a geom that does not count for the inertia of its body.
    """

    shape: Shape | None
    is_visual: bool
    is_collision: bool
    inertia: Inertia | None


class GeomReader:
    """Reads the geoms of one document."""

    def __init__(
        self, root: etree._Element, compiler: Compiler, meshes: MeshAssets, materials: Materials, report: Report
    ) -> None:
        self._compiler = compiler
        self._meshes = meshes
        self._report = report
        self._materials = materials
        self._paired = paired_with_the_world(root)
        self._fields: dict[str, Box] = {}
        for section in root.iterchildren("asset"):
            for node in section.iterchildren("hfield"):
                self._read_field(Element(node, report, None))

    def read(self, element: Element, X_BF: FloatArray, weighs: bool) -> Geom | None:
        """Return a geom in frame F of its body B, or None if it is left out; `weighs` asks for its inertia."""
        kind = element.keyword("type", GEOM_TYPES, "sphere", rule="unknown-geometry")
        size = element.partial("size", (0.0, 0.0, 0.0))
        X_FG, size = self._placed(element, kind, size)
        X_BG = compose(X_BF, X_FG)
        if element.has("mesh") and kind in _SIZES:
            found = self._fitted(element, kind, X_BG)
            if found is None:
                return None
            size, X_BG = found
        geometry, X_BM = self._geometry(element, kind, size, X_BG)
        weighs = weighs and self._counts(element)
        inertia = self._checked_inertia(element, kind, geometry, X_BG) if weighs else None
        collides = element.integer("contype", 1) != 0 or element.integer("conaffinity", 1) != 0
        collides = collides or element.node.get("name") in self._paired
        shown_group = element.integer("group", 0) < _FIRST_HIDDEN_GROUP
        visible = shown_group if collides else not self._compiler.of(element.node).discardvisual
        color = self._materials.color(element)
        shape = None if geometry is None else Shape(geometry, X_BM, color, element.node.get("name", ""))
        return Geom(shape, visible, collides, inertia)

    def _read_field(self, element: Element) -> None:
        """Box that stands for a height field where it is weighed: its base, and half of its elevation."""
        size = element.numbers("size", 4)
        file = element.node.get("file") or ""
        name = element.node.get("name") or os.path.splitext(ntpath.basename(file))[0]
        if size is not None:
            x, y, elevation, base = size.tolist()
            self._fields[name] = Box((2.0 * x, 2.0 * y, 0.5 * elevation + base))

    def _counts(self, element: Element) -> bool:
        low, high = self._compiler.of(element.node).inertiagrouprange
        return low <= element.integer("group", 0) <= high

    def _placed(self, element: Element, kind: str, size: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pose and size, by `fromto` where it is given."""
        ends = element.numbers("fromto", 6) if element.has("fromto") else None
        if ends is None:
            return read_pose(element, self._compiler, self._report), size
        if kind not in ("capsule", "cylinder", "box", "ellipsoid"):
            self._report.error("fromto", f"fromto cannot be used with a {kind}", element.node, element.text("fromto"))
            return np.eye(4), size
        start, end = ends[:3].tolist(), ends[3:].tolist()
        R = rotation_to_z([a - b for a, b in zip(start, end, strict=True)])  # from the second to the first, as MuJoCo
        if R is None:
            message = "the two ends of fromto are the same point"
            self._report.error("fromto", message, element.node, element.text("fromto"))
            return np.eye(4), np.ones(3)
        half = 0.5 * math.dist(start, end)
        size = np.array([size[0], size[0], half] if kind in ("box", "ellipsoid") else [size[0], half, 0.0])
        return pose_of([0.5 * a + 0.5 * b for a, b in zip(start, end, strict=True)], R), size

    def _geometry(
        self, element: Element, kind: str, size: FloatArray, X_BG: FloatArray
    ) -> tuple[Geometry | None, FloatArray]:
        """Geometry and its pose in the body."""
        if kind in _MESHES:
            asset = self._meshes.find(element.text("mesh"), element.node)
            if asset is None or asset.mesh is None:
                return None, X_BG
            # Colours in the file of a mesh mean nothing in MJCF.
            drawn = replace(asset.mesh, texture=self._materials.picture(element), own_colors=False)
            return drawn, compose(X_BG, asset.X_GM)
        if kind == "plane":
            return Plane((abs(float(size[0])), abs(float(size[1])))), X_BG
        if kind == "hfield":
            message = "a height field is neither drawn nor touched; only its mass counts"
            self._report.warning("not-supported", message, element.node, kind)
            return None, X_BG
        if not (size[: _SIZES[kind]] > 0.0).all():
            message = f"a {kind} needs {_SIZES[kind]} positive sizes, found {size[: _SIZES[kind]].tolist()}"
            self._report.error("negative-size", message, element.node, element.text("size"))
            return None, X_BG
        return _primitive(kind, size), X_BG

    def _fitted(self, element: Element, kind: str, X_BG: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Size and pose of a primitive that is fitted to a mesh; None (with a warning) if that is not possible."""
        name = element.text("mesh")
        if self._meshes.find(name, element.node) is None:
            return None
        unit = self._meshes.inertia(name)
        vertices = self._meshes.vertices(name) if self._compiler.of(element.node).fitaabb else None
        if unit is None or (vertices is None and self._compiler.of(element.node).fitaabb):
            message = f"the {kind} cannot be fitted to mesh {shown(name)!r} and is left out"
            self._report.warning("not-supported", message, element.node, shown(name))
            return None
        size, X_GP = fitted_size(kind, unit, element.number("fitscale", 1.0), vertices)
        return size, X_BG @ X_GP

    def _checked_inertia(
        self, element: Element, kind: str, geometry: Geometry | None, X_BG: FloatArray
    ) -> Inertia | None:
        try:
            return self._inertia(element, kind, geometry, X_BG)
        except OverflowError:
            message = f"the inertia of a {kind} of this size overflows a double"
            self._report.error("number-overflow", message, element.node, element.text("size"))
            return None

    def _inertia(self, element: Element, kind: str, geometry: Geometry | None, X_BG: FloatArray) -> Inertia | None:
        """Inertia in the body, from the mass if it is given, else from the density."""
        density = element.number("density", _WATER)
        mass = element.number("mass", -1.0) if element.has("mass") else None
        if density < 0.0 or (mass is not None and mass < 0.0):
            name, value = ("density", density) if mass is None else ("mass", mass)
            self._report.error("negative-mass", f"{name} of a geom is negative: {value}", element.node, str(value))
            return None
        if kind in _MESHES:
            name = element.text("mesh")
            unit = self._meshes.inertia(name) if self._meshes.has(name) else None
            if unit is None:
                return None
            factor = density if mass is None else mass / unit.mass
            return Inertia(unit.mass * factor, unit.com, unit.moments * factor).in_frame(X_BG)
        if kind == "hfield":
            geometry = self._fields.get(element.text("hfield"))
        if not isinstance(geometry, Box | Capsule | Cylinder | Ellipsoid | Sphere):
            return None
        is_shell = element.flag("shellinertia", False)
        if mass is None:
            mass = density * (area(geometry) if is_shell else volume(geometry))
        return (shell_inertia if is_shell else solid_inertia)(geometry, mass).in_frame(X_BG)


def _primitive(kind: str, size: FloatArray) -> Box | Capsule | Cylinder | Ellipsoid | Sphere:
    """Primitive of MuJoCo's half sizes."""
    a, b, c = size.tolist()
    if kind == "sphere":
        return Sphere(a)
    if kind == "capsule":
        return Capsule(a, 2.0 * b)
    if kind == "cylinder":
        return Cylinder(a, 2.0 * b)
    return Box((2.0 * a, 2.0 * b, 2.0 * c)) if kind == "box" else Ellipsoid((a, b, c))
