"""Mesh assets of MJCF: where their files are, and what they weigh."""

from __future__ import annotations

import ntpath
import os
import posixpath
from dataclasses import dataclass

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.mass_properties import mesh_inertia, mesh_shell_inertia
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.triangles import Triangles
from tarsus.io.includes import ORIGIN
from tarsus.io.mesh_notes import note_mesh_defects
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Defaults, Element
from tarsus.io.mjcf.settings.orientation import pose_of, rotation_of_quaternion
from tarsus.io.mjcf.shapes.written_meshes import written_triangles
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import Report
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import inverse_pose

INERTIA_MODES = ("convex", "exact", "legacy", "shell")


@dataclass(slots=True, eq=False)
class MeshAsset:
    """A <mesh> asset.

    Attributes
    ----------
    node : element
    mesh : Mesh or None
        The file or what is written in its place, scaled; None after a note.
    X_GM : ndarray, shape (4, 4)
        Pose of the mesh as scaled by `Mesh` in the frame of the geom.
    scale : ndarray, shape (3,)
    reference : ndarray, shape (4, 4)
        Frame given by refpos and refquat, before scaling.
    mode : str
        How its inertia is meant, one of `INERTIA_MODES`.
    """

    node: etree._Element
    mesh: Mesh | None
    X_GM: FloatArray
    scale: FloatArray
    reference: FloatArray
    mode: str


class MeshAssets:
    """All mesh assets of a document."""

    def __init__(
        self,
        root: etree._Element,
        compiler: Compiler,
        defaults: Defaults,
        finder: PackageFinder,
        report: Report,
        check_meshes: bool,
    ) -> None:
        self._report = report
        self._compiler = compiler
        self._finder = finder
        self._check_meshes = check_meshes
        self._assets: dict[str, MeshAsset] = {}
        self._inertias: dict[str, Inertia | None] = {}
        for section in root.iterchildren("asset"):
            for node in section.iterchildren("mesh"):
                self._read(defaults.element(node, None))

    def find(self, name: str, node: etree._Element) -> MeshAsset | None:
        """Return the asset called `name`, or None after an error at `node`."""
        asset = self._assets.get(name)
        if asset is None:
            message = f"mesh {shown(name)!r} is not an asset{nearest(name[:100], self._assets)}"
            self._report.error("unknown-mesh", message, node, shown(name))
        return asset

    def has(self, name: str) -> bool:
        """Whether there is an asset called `name`."""
        return name in self._assets

    def inertia(self, name: str) -> Inertia | None:
        """Inertia at unit density in the frame of the geom; None (with a warning) if the mesh cannot be read."""
        if name not in self._inertias:
            self._inertias[name] = self._inertia(self._assets[name])
        return self._inertias[name]

    def _read(self, element: Element) -> None:
        node, report = element.node, self._report
        file = node.get("file")
        if file and self._compiler.of(node).strippath:
            file = ntpath.basename(file)
        name = node.get("name") or (os.path.splitext(ntpath.basename(file))[0] if file else "")
        if not name:
            report.error("missing-attribute", "<mesh> needs the attribute 'name' or 'file'", node)
            return
        if name in self._assets:
            report.error("duplicate-name", f"mesh {shown(name)!r} is defined twice", node, shown(name))
            return
        scale = element.numbers("scale", 3, (1.0, 1.0, 1.0))
        scale = np.ones(3) if scale is None else scale
        reference = self._reference(element)
        mesh = self._located(node, file, scale) if file else self._written(element, name, scale)
        flat = element.text("builtin") == "plate"  # a sheet, whatever the file says
        mode = "shell" if flat else element.keyword("inertia", INERTIA_MODES, "legacy")
        self._assets[name] = MeshAsset(node, mesh, self._placed(node, reference, scale), scale, reference, mode)

    def _reference(self, element: Element) -> FloatArray:
        position = element.numbers("refpos", 3, (0.0, 0.0, 0.0))
        quaternion = element.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))
        rotation = None if quaternion is None else rotation_of_quaternion(quaternion.tolist())
        if rotation is None:
            self._report.error("zero-rotation", "refquat is zero", element.node, element.text("refquat"))
        return pose_of([0.0, 0.0, 0.0] if position is None else position.tolist(), rotation)

    def _placed(self, node: etree._Element, reference: FloatArray, scale: FloatArray) -> FloatArray:
        """Pose of the scaled mesh: MuJoCo scales after it has moved the vertices into the reference frame."""
        X = inverse_pose(reference)
        X[:3, 3] *= scale
        uneven = len({abs(float(s)) for s in scale}) > 1 or bool((scale < 0.0).any())
        if uneven and not np.array_equal(X[:3, :3], np.eye(3)):
            message = "uneven scale together with refquat cannot be drawn; the shape is only approximate"
            self._report.warning("mesh-scale", message, node, node.get("scale", ""))
        return X

    def _written(self, element: Element, name: str, scale: FloatArray) -> Mesh | None:
        triangles = written_triangles(element, self._report)
        x, y, z = scale.tolist()
        return None if triangles is None else Mesh(name, None, (x, y, z), triangles)

    def _located(self, node: etree._Element, file: str, scale: FloatArray) -> Mesh:
        path = self._in_included(node, file) or self._finder.locate(
            self._report, node, file, directory=self._compiler.of(node).meshdir
        )
        if path is not None and self._check_meshes:
            note_mesh_defects(self._report, node, path, file, cloud=True)
        uri = file if "://" in file else posixpath.join(self._compiler.of(node).meshdir.replace(os.sep, "/"), file)
        x, y, z = scale.tolist()
        return Mesh(uri, path, (x, y, z))

    def _in_included(self, node: etree._Element, file: str) -> str | None:
        """Path of a file that is not beside the main file but beside the included one that names it, or None."""
        if self._finder.resolve(file, self._compiler.of(node).meshdir).verdict == "found":
            return None
        origin = next((place for place in (node, *node.iterancestors()) if place.get(ORIGIN)), None)
        if origin is None:
            return None
        directory = os.path.dirname(origin.get(ORIGIN, ""))
        for place in (directory, os.path.join(directory, self._compiler.of(node).meshdir)):
            found = self._finder.resolve(file, place)
            if found.verdict == "found":
                return found.path
        return None

    def vertices(self, name: str) -> FloatArray | None:
        """Vertices (n, 3) in the frame of the geom; None (with a warning) if the mesh cannot be read."""
        asset = self._assets[name]
        triangles = self._triangles(asset)
        return None if triangles is None else _placed_vertices(asset, triangles)

    def _inertia(self, asset: MeshAsset) -> Inertia | None:
        triangles = self._triangles(asset)
        if triangles is None:
            return None
        vertices = _placed_vertices(asset, triangles)
        faces = triangles.faces if np.prod(asset.scale) > 0.0 else triangles.faces[:, ::-1]
        if asset.mode == "shell":
            inertia = mesh_shell_inertia(vertices, faces)
        elif asset.mode == "convex":
            inertia = mesh_inertia(vertices, convex_hull(vertices).faces)
        else:
            inertia = mesh_inertia(vertices, faces, absolute=asset.mode == "legacy")
        if not inertia.mass > 0.0:
            message = f"mesh encloses the volume {inertia.mass:g}; are its triangles turned inside out?"
            self._report.warning("mesh-volume", message, asset.node)
            return None
        return inertia

    def _triangles(self, asset: MeshAsset) -> Triangles | None:
        if asset.mesh is None:
            return None
        if asset.mesh.content is not None:
            return asset.mesh.content
        if asset.mesh.path is None:
            message = f"mesh {asset.mesh.uri!r} is missing; the mass of its geoms is left out"
            self._report.warning("missing-inertia", message, asset.node, asset.mesh.uri)
            return None
        triangles = read_mesh(asset.mesh.path)
        if isinstance(triangles, Triangles):
            return _first_object(triangles) if len(triangles.faces) else convex_hull(triangles.vertices)
        for rule, message in triangles:
            text = f"mesh {asset.mesh.uri!r}: {message}; the mass of its geoms is left out"
            note = self._report.warning if rule == "mesh-format" else self._report.error
            note(rule, text, asset.node, asset.mesh.uri)
        return None


def _placed_vertices(asset: MeshAsset, triangles: Triangles) -> FloatArray:
    R, p = asset.reference[:3, :3], asset.reference[:3, 3]
    vertices: FloatArray = ((triangles.vertices - p) @ R) * asset.scale
    return vertices


def _first_object(triangles: Triangles) -> Triangles:
    """What MuJoCo weighs of a file with several objects."""
    if triangles.first is None:
        return triangles
    return Triangles(triangles.vertices, triangles.faces[: triangles.first])
