"""COLLADA files: XML, parsed by the same rules as model files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray, IntArray
from tarsus.geometry.meshes.numbers import integers, numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, MeshProblem, bad_indices, not_finite, refuse
from tarsus.geometry.triangles import Triangles, fans, split_quads

_PRIMITIVES = ("triangles", "polylist", "polygons", "trifans", "tristrips", "lines", "linestrips")
_DRAWN = ("triangles", "polylist", "polygons")
_MAX_DEPTH = 100
_MAX_NODES = 100_000
"""Nodes that a scene may have once its references are followed."""
_MAX_VERTICES = 2**24
"""Vertices that the copies of a scene may have together."""


def parse_collada(data: bytes) -> Triangles:
    """Triangles of the scene in metres; of all geometries where the file has no scenes.

    The unit of the file is applied; its up-axis is ignored, as robot programs do.

    Raises
    ------
    DefectiveMesh
    ModelFileError
        If it is not well-formed XML.
    """
    from tarsus.untrusted_xml import parse_untrusted

    root, _ = parse_untrusted(data, max_size=len(data), long_text=True)
    if _name(root) != "COLLADA":
        raise DefectiveMesh.because("mesh-header", f"expected <COLLADA>, found <{_name(root)}>")
    meshes = [(str(g.get("id")), mesh) for g in root.iterfind(".//{*}geometry") for mesh in g.iterfind("{*}mesh")]
    if not meshes:
        raise DefectiveMesh.because("mesh-empty", "there is no mesh")
    problems: list[MeshProblem] = []
    try:
        geometries = {name: _geometry(mesh, problems) for name, mesh in meshes}
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


class _Sources:
    """The <source> and <vertices> of a mesh.

    Attributes
    ----------
    rows : dict
        Number of rows by the id of a source or of <vertices>.
    """

    def __init__(self, mesh: Any, problems: list[MeshProblem]) -> None:
        self.rows: dict[str, int] = {}
        self._points: dict[str, FloatArray] = {}
        self._positions = {
            str(vertices.get("id", "")): _target(entry, "source")
            for vertices in mesh.iterfind("{*}vertices")
            for entry in vertices.iterfind("{*}input")
            if entry.get("semantic") == "POSITION"
        }
        for source in mesh.iterfind("{*}source"):
            self._read(source, problems)
        for name, source in self._positions.items():
            self.rows[name] = self.rows.get(source, 0)

    def points(self, vertices: str) -> FloatArray | None:
        """Positions (n, 3) of <vertices> with this id."""
        return self._points.get(self._positions.get(vertices, ""))

    def _read(self, source: Any, problems: list[MeshProblem]) -> None:
        values = source.find("{*}float_array")
        if values is None:
            return
        words = (values.text or "").split()
        promised = int(values.get("count", "-1"))
        if promised != len(words):
            message = f"<float_array> promises {promised} numbers, there are {len(words)}"
            problems.append(MeshProblem("mesh-header", message))
        name = str(source.get("id", ""))
        is_position = name in self._positions.values()
        accessor = source.find("{*}technique_common/{*}accessor")
        stride = max(1 if accessor is None else int(accessor.get("stride", "1")), 3 if is_position else 1)
        self.rows[name] = len(words) // stride
        if is_position:
            table = numbers(words, len(words))
            problems += not_finite(table)
            self._points[name] = table[: stride * self.rows[name]].reshape(-1, stride)[:, :3]


class _Primitive(NamedTuple):
    """Triangles of a primitive, and the id of the <vertices> that they refer to."""

    vertices: str
    faces: IndexArray


def _geometry(mesh: Any, problems: list[MeshProblem]) -> Triangles:
    """Positions and triangles of one <mesh>; what is wrong with it is added to the problems."""
    sources = _Sources(mesh, problems)
    points: list[FloatArray] = [np.zeros((0, 3))]
    faces: list[IndexArray] = [np.zeros((0, 3), dtype=np.intp)]
    start: dict[str, int] = {}
    for element in mesh:
        if _name(element) not in _PRIMITIVES:
            continue
        primitive = _primitive(element, sources, problems)
        if primitive is None:
            continue
        if primitive.vertices not in start:
            table = sources.points(primitive.vertices)
            if table is None:
                problems.append(_unreadable(f"<vertices id={primitive.vertices[:60]!r}> has no positions"))
                continue
            start[primitive.vertices] = sum(len(part) for part in points)
            points.append(table)
        faces.append(primitive.faces + start[primitive.vertices])
    return Triangles(np.concatenate(points), np.concatenate(faces))


def _primitive(element: Any, sources: _Sources, problems: list[MeshProblem]) -> _Primitive | None:
    """Triangles of <triangles>, <polylist> or <polygons>; other primitives are checked only."""
    entries = element.iterfind("{*}input")
    inputs = [(int(i.get("offset", "0")), _target(i, "source"), i.get("semantic")) for i in entries]
    stride = 1 + max((offset for offset, _, _ in inputs), default=0)
    found: list[MeshProblem] = []
    lists: list[IntArray] = []
    for p in element.iterfind("{*}p"):
        indices = integers((p.text or "").split())
        if len(indices) % stride:
            found.append(MeshProblem("mesh-index", f"{len(indices)} indices do not come in groups of {stride}"))
            continue
        for offset, source, _ in inputs:
            if source in sources.rows and offset >= 0:
                found += bad_indices(indices[offset::stride], 0, sources.rows[source] - 1)
        lists.append(indices)
    vertex = next(((offset, source) for offset, source, semantic in inputs if semantic == "VERTEX"), None)
    if not found and lists and _name(element) in _DRAWN:
        if vertex is None or vertex[0] < 0:
            found.append(_unreadable(f"<{_name(element)}> has no vertices"))
        else:
            corners = [indices[vertex[0] :: stride] for indices in lists]
            sizes = _sizes(element, corners)
            if sum(sizes) == sum(map(len, corners)) and min(sizes, default=0) >= 0:
                polygons, counts = np.concatenate(corners), np.array(sizes, dtype=np.intp)
                points = sources.points(vertex[1])
                turned = polygons if points is None else split_quads(points, polygons, counts)
                return _Primitive(vertex[1], fans(turned, counts))
            message = f"{sum(map(len, corners))} corners do not make the polygons of <{_name(element)}>"
            found.append(MeshProblem("mesh-index", message))
    problems += found
    return None


def _sizes(element: Any, corners: list[IntArray]) -> list[int]:
    """Corners of each polygon of a primitive."""
    if _name(element) == "triangles":
        return [3] * (sum(map(len, corners)) // 3)
    count = element.find("{*}vcount")
    return list(map(len, corners)) if count is None else integers((count.text or "").split()).tolist()


def _scene(root: Any, geometries: dict[str, Triangles]) -> Triangles:
    """Put the geometries where the nodes of the scene want them."""
    unit = root.find("{*}asset/{*}unit")
    meter = float(unit.get("meter", "1")) if unit is not None else 1.0
    has_scenes = root.find("{*}library_visual_scenes") is not None
    placed = _instances(root) if has_scenes else iter([(name, np.eye(4)) for name in geometries])
    vertices, faces = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.intp)]
    count = 0
    for name, X in placed:
        part = geometries.get(name)
        if part is None:
            raise DefectiveMesh([_unreadable(f"there is no geometry {name[:60]!r}")])
        vertices.append(meter * (part.vertices @ X[:3, :3].T + X[:3, 3]))
        faces.append(part.faces + count)
        count += len(part.vertices)
        if count > _MAX_VERTICES:
            raise DefectiveMesh.because("mesh-size", f"the scene has more than {_MAX_VERTICES} vertices")
    return Triangles(np.concatenate(vertices), np.concatenate(faces))


def _instances(root: Any) -> Iterator[tuple[str, FloatArray]]:
    """Geometries of the scene with their pose."""
    library = {str(node.get("id")): node for node in root.iterfind("{*}library_nodes/{*}node")}
    waiting = [(node, np.eye(4), 0) for node in root.iterfind("{*}library_visual_scenes/{*}visual_scene/{*}node")]
    followed = 0
    while waiting:
        node, X, depth = waiting.pop()
        followed += 1
        if depth > _MAX_DEPTH:
            raise DefectiveMesh([_unreadable(f"nodes are nested more than {_MAX_DEPTH} deep")])
        if followed + len(waiting) > _MAX_NODES:
            raise DefectiveMesh.because("mesh-size", f"the scene has more than {_MAX_NODES} nodes")
        for element in node:
            tag = _name(element)
            if tag in ("matrix", "translate", "rotate", "scale"):
                X = X @ _transform(tag, element)
            elif tag == "instance_geometry":
                yield _target(element, "url"), X
            elif tag == "node":
                waiting.append((element, X, depth + 1))
            elif tag == "instance_node":
                name = _target(element, "url")
                if name not in library:
                    raise DefectiveMesh([_unreadable(f"there is no node {name[:60]!r}")])
                waiting.append((library[name], X, depth + 1))


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


def _name(element: Any) -> str:
    """Tag without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _target(element: Any, attribute: str) -> str:
    """Name that a reference "#name" points to."""
    return str(element.get(attribute, "")).removeprefix("#")


def _unreadable(message: str) -> MeshProblem:
    return MeshProblem("mesh-unreadable", f"cannot be read: {message}")
