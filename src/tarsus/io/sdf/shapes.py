"""Shapes of SDF links."""

from __future__ import annotations

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from tarsus.geometry.triangles import Triangles
from tarsus.io.mesh_notes import note_mesh_defects
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.elements import child_numbers, child_text, read_pose
from tarsus.io.xml import Report, tag_of
from tarsus.spatial.pose import pose

_WITHOUT_SHAPE = ("empty", "heightmap", "image", "polyline", "cone", "voxel")
_DEFAULT_COLOR = Shape(Sphere(1.0)).color


class ShapeReader:
    """Reads the <visual> and <collision> elements of one document."""

    def __init__(self, report: Report, finder: PackageFinder, check_meshes: bool) -> None:
        self._report = report
        self._finder = finder
        self._check_meshes = check_meshes
        self._checked: set[str] = set()

    def read(self, node: etree._Element, X_LF: FloatArray) -> Shape | None:
        """Shape of an element whose pose is relative to frame F of its link L; None if there is nothing to show."""
        solid = node.find("geometry/*")
        if solid is None:
            self._report.error("missing-geometry", f"<{tag_of(node)}> has no geometry", node)
            return None
        geometry = self._geometry(solid)
        if geometry is None:
            return None
        X = X_LF @ read_pose(self._report, node.find("pose"))
        if isinstance(geometry, Plane):
            X = X @ self._plane_pose(solid)
        return Shape(geometry, X, self._color(node.find("material")), node.get("name", ""))

    def _geometry(self, node: etree._Element) -> Geometry | None:
        match tag_of(node):
            case "box":
                x, y, z = self._lengths(node, "size", [1.0, 1.0, 1.0])
                return Box((x, y, z))
            case "sphere":
                return Sphere(self._length(node, "radius"))
            case "cylinder":
                return Cylinder(self._length(node, "radius"), self._length(node, "length"))
            case "capsule":
                return Capsule(self._length(node, "radius", 0.5), self._length(node, "length"))
            case "ellipsoid":
                x, y, z = self._lengths(node, "radii", [1.0, 1.0, 1.0])
                return Ellipsoid((x, y, z))
            case "plane":
                x, y = self._lengths(node, "size", [1.0, 1.0])
                return Plane((0.5 * x, 0.5 * y))
            case "mesh":
                return self._mesh(node)
            case tag if tag in _WITHOUT_SHAPE:
                if tag != "empty":
                    self._report.warning("not-supported", f"the geometry <{tag}> is left out", node, tag)
            case tag:
                self._report.error("unknown-geometry", f"unknown geometry <{shown(tag)}>", node, shown(tag))
        return None

    def _length(self, node: etree._Element, tag: str, default: float = 1.0) -> float:
        return self._lengths(node, tag, [default])[0]

    def _lengths(self, node: etree._Element, tag: str, default: list[float]) -> list[float]:
        values = child_numbers(self._report, node, tag, default)
        if min(values) < 0.0:
            message = f"{tag_of(node)} has the negative {tag} {min(values):g}"
            self._report.error("negative-size", message, node, child_text(node, tag))
            return default
        return values

    def _plane_pose(self, node: etree._Element) -> FloatArray:
        """Pose whose z axis is the normal of the plane."""
        normal = np.array(child_numbers(self._report, node, "normal", [0.0, 0.0, 1.0]))
        length = float(np.linalg.norm(normal))
        if not 0.0 < length < np.inf:
            self._report.error("zero-axis", "the normal of a plane has no direction", node, child_text(node, "normal"))
            return np.eye(4)
        z = normal / length
        x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
        x /= np.linalg.norm(x)
        return pose(rotation=np.column_stack([x, np.cross(z, x), z]))

    def _mesh(self, node: etree._Element) -> Geometry | None:
        x, y, z = child_numbers(self._report, node, "scale", [1.0, 1.0, 1.0])
        uri = child_text(node, "uri")
        if not uri:
            self._report.error("missing-element", "<mesh> needs a <uri>", node)
            return None
        submesh, part, centered = node.find("submesh"), None, False
        if submesh is not None:
            part = child_text(submesh, "name") or None
            if part is None:
                self._report.error("missing-element", "<submesh> needs a <name>", node)
            centered = child_text(submesh, "center").lower() in ("1", "true")
        path = self._finder.locate(self._report, node, uri)
        if path is not None and self._check_meshes and path not in self._checked:
            self._checked.add(path)
            note_mesh_defects(self._report, node, path, uri)
        mesh = Mesh(uri, path, (x, y, z), part=part, centered=centered)
        self._check_part(node, mesh)
        return mesh

    def _check_part(self, node: etree._Element, mesh: Mesh) -> None:
        """Tell a part that its file does not have: nothing stands for it."""
        if mesh.part is None or mesh.path is None:
            return
        found = triangles_of(mesh)
        if not isinstance(found, Triangles) and found[0].rule == "mesh-part":
            self._report.warning("mesh-part", f"mesh {shown(mesh.uri)!r}: {found[0].message}", node, shown(mesh.part))

    def _color(self, material: etree._Element | None) -> tuple[float, float, float, float]:
        for tag in ("diffuse", "ambient"):
            node = None if material is None else material.find(tag)
            if node is not None:
                count = len((node.text or "").split())
                values = child_numbers(self._report, material, tag, [0.7] * 3 + [1.0] * (count != 3))
                r, g, b, a = np.clip([*values, 1.0][:4], 0.0, 1.0).tolist()
                return r, g, b, a
        return _DEFAULT_COLOR
