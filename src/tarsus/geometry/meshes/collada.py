"""COLLADA files: XML, parsed by the same rules as model files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.meshes.collada_materials import Library
from tarsus.geometry.meshes.collada_mesh import name_of, read_geometry, target, unreadable
from tarsus.geometry.meshes.numbers import numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, MeshProblem, refuse
from tarsus.geometry.paint import Material, Paint
from tarsus.geometry.triangles import Triangles

_MAX_DEPTH = 100
_MAX_NODES = 100_000
"""Nodes that a scene may have once its references are followed."""
_MAX_VERTICES = 2**25
"""Vertices, and corners of triangles, that the copies of a scene may have together."""


def parse_collada(data: bytes) -> Triangles:
    """Triangles of the scene in metres; of all geometries where the file has no scenes.

    The unit of the file is applied. Its `up_axis` is ignored where the file names the program that wrote it: RViz
    (ros-visualization/rviz issue 1045, pull request 1689), Gazebo (gazebo-classic issue 1305) and coal, through which
    Pinocchio reads meshes, ignore it, and robots were looked at there; MeshLab and Assimp write Y_UP whatever the axes
    are. A file that names no program was made by hand for readers that honour it, and is turned so that z is up
    (iCub of example-robot-data); but for what trimesh writes, which names no program and means nothing by it.

    Raises
    ------
    DefectiveMesh
    ModelFileError
        If it is not well-formed XML.
    """
    from tarsus.untrusted_xml import parse_untrusted

    root, _ = parse_untrusted(data, max_size=len(data), long_text=True)
    if name_of(root) != "COLLADA":
        raise DefectiveMesh.because("mesh-header", f"expected <COLLADA>, found <{name_of(root)}>")
    meshes = [(str(g.get("id")), mesh) for g in root.iterfind(".//{*}geometry") for mesh in g.iterfind("{*}mesh")]
    if not meshes:
        raise DefectiveMesh.because("mesh-empty", "there is no mesh")
    problems: list[MeshProblem] = []
    try:
        geometries = {name: read_geometry(mesh, problems) for name, mesh in meshes}
        refuse(problems)
        with np.errstate(all="ignore"):  # the result is judged instead
            triangles = _scene(root, geometries)
    except (ValueError, OverflowError) as error:
        problems.append(MeshProblem("mesh-syntax", f"not numbers: {error}"))
        raise DefectiveMesh(problems) from None
    if len(triangles.faces) == 0:
        raise DefectiveMesh.because("mesh-empty", "the scene holds no triangles")
    if not np.isfinite(triangles.vertices).all():
        raise DefectiveMesh.because("mesh-nan", "a vertex is not finite")
    return triangles


_TO_Z_UP = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
}
"""Rotations that take what is right, up and towards the viewer (COLLADA 1.4, up_axis) to those of Z_UP."""
_TRIMESH_SOURCE = "verts-array"


def _meter(root: Any) -> float:
    """Length of the unit of a file [m]."""
    unit = root.find("{*}asset/{*}unit")
    meter = float(unit.get("meter", "1")) if unit is not None else 1.0
    if not (0.0 < meter < np.inf):
        raise DefectiveMesh.because("mesh-unit", f"the unit is {meter:g} m, expected a positive number")
    return meter


def _upright(root: Any) -> FloatArray | None:
    """Rotation (3, 3) that takes the up axis of a file to z; None where nothing is to be turned."""
    axis = root.find("{*}asset/{*}up_axis")
    R = _TO_Z_UP.get((axis.text or "").strip()) if axis is not None else None
    if R is None or root.find("{*}asset/{*}contributor/{*}authoring_tool") is not None:
        return None
    by_trimesh = any(source.get("id") == _TRIMESH_SOURCE for source in root.iterfind(".//{*}mesh/{*}source"))
    return None if by_trimesh else R


def _scene(root: Any, geometries: dict[str, Triangles]) -> Triangles:
    """Put the geometries where the nodes of the scene want them."""
    meter, turn = _meter(root), _upright(root)
    has_scenes = root.find("{*}library_visual_scenes") is not None
    nothing: dict[str, str] = {}
    plain = ((name, np.eye(4), nothing, "") for name in geometries)
    placed = _instances(root) if has_scenes else plain
    vertices, faces = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.intp)]
    painter = _Painter(Library(root))
    parts: list[tuple[str, int]] = []
    count = corners = 0
    for name, X, bound, node in placed:
        part = geometries.get(name)
        if part is None:
            raise DefectiveMesh([unreadable(f"there is no geometry {name[:60]!r}")])
        corners += 3 * len(part.faces)
        if max(count + len(part.vertices), corners) > _MAX_VERTICES:
            raise DefectiveMesh.because("mesh-size", f"the scene has more than {_MAX_VERTICES} vertices or corners")
        placed_vertices = meter * (part.vertices @ X[:3, :3].T + X[:3, 3])
        vertices.append(placed_vertices if turn is None else placed_vertices @ turn.T)
        faces.append(part.faces + count)
        count += len(part.vertices)
        painter.add(part, bound)
        parts.append((node, len(part.faces)))
    named = tuple(parts) if any(node for node, _ in parts) else ()
    return Triangles(np.concatenate(vertices), np.concatenate(faces), paint=painter.paint(), parts=named)


class _Painter:
    """Puts the paint of the instances of a scene together, in their order."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._number: dict[str, int] = {}
        self._materials: list[Material] = []
        self._parts: list[tuple[int, Paint | None, list[int]]] = []

    def add(self, part: Triangles, bound: dict[str, str]) -> None:
        """One more instance, whose symbols are bound to materials."""
        symbols = () if part.paint is None else part.paint.materials
        chosen = [self._material(bound.get(str(symbol), str(symbol))) for symbol in symbols]
        self._parts.append((len(part.faces), part.paint, chosen))

    def _material(self, name: str) -> int:
        if name not in self._number:
            material = self._library.material(name)
            self._number[name] = -1 if material is None else len(self._materials)
            if material is not None:
                self._materials.append(material)
        return self._number[name]

    def paint(self) -> Paint | None:
        """Paint of all instances; None where no material is known."""
        if not self._materials:
            return None
        material = [np.zeros(0, dtype=np.intp)]
        wraps = [np.zeros((0, 3, 2))]
        for count, paint, chosen in self._parts:
            known = np.array([*chosen, -1], dtype=np.intp)
            material.append(np.full(count, -1) if paint is None else known[paint.material])
            wraps.append(np.zeros((count, 3, 2)) if paint is None or paint.uv is None else paint.uv)
        wrapped = any(entry.picture is not None for entry in self._materials)
        return Paint(np.concatenate(material), tuple(self._materials), np.concatenate(wraps) if wrapped else None)


def _instances(root: Any) -> Iterator[tuple[str, FloatArray, dict[str, str], str]]:
    """Geometries of the scene with their pose, the materials of their symbols, and the name of their node."""
    library = {str(node.get("id")): node for node in root.iterfind("{*}library_nodes/{*}node")}
    waiting = [(node, np.eye(4), 0) for node in root.iterfind("{*}library_visual_scenes/{*}visual_scene/{*}node")]
    followed = 0
    while waiting:
        node, X, depth = waiting.pop()
        followed += 1
        if depth > _MAX_DEPTH:
            raise DefectiveMesh([unreadable(f"nodes are nested more than {_MAX_DEPTH} deep")])
        if followed + len(waiting) > _MAX_NODES:
            raise DefectiveMesh.because("mesh-size", f"the scene has more than {_MAX_NODES} nodes")
        for element in node:
            tag = name_of(element)
            if tag in ("matrix", "translate", "rotate", "scale"):
                X = X @ _transform(tag, element)
            elif tag == "instance_geometry":
                yield target(element, "url"), X, _bound(element), str(node.get("name") or node.get("id") or "")[:200]
            elif tag == "node":
                waiting.append((element, X, depth + 1))
            elif tag == "instance_node":
                name = target(element, "url")
                if name not in library:
                    raise DefectiveMesh([unreadable(f"there is no node {name[:60]!r}")])
                waiting.append((library[name], X, depth + 1))


def _bound(instance: Any) -> dict[str, str]:
    """Materials by the symbols that an instance binds them to."""
    entries = instance.iterfind("{*}bind_material/{*}technique_common/{*}instance_material")
    return {str(entry.get("symbol", "")): target(entry, "target") for entry in entries}


def _transform(tag: str, element: Any) -> FloatArray:
    words = (element.text or "").split()
    x = numbers(words, len(words))
    X = np.eye(4)
    if tag == "matrix":
        return x.reshape(4, 4)
    if tag == "translate":
        X[:3, 3] = x
    elif tag == "scale":
        X[:3, :3] = np.diag(x)
    else:
        axis, angle = x[:3] / np.linalg.norm(x[:3]), np.radians(x[3])
        K = np.cross(np.eye(3), axis)
        X[:3, :3] = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return X
