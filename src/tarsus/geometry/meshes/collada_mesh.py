"""Geometries of COLLADA files: sources of numbers, and primitives that are made of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray, IntArray
from tarsus.geometry.meshes.numbers import integers, numbers
from tarsus.geometry.meshes.problem import MeshProblem, bad_indices, not_finite
from tarsus.geometry.paint import Paint
from tarsus.geometry.triangles import Triangles, cut, fans

_PRIMITIVES = ("triangles", "polylist", "polygons", "trifans", "tristrips", "lines", "linestrips")
_DRAWN = ("triangles", "polylist", "polygons")


def name_of(element: Any) -> str:
    """Tag without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def target(element: Any, attribute: str) -> str:
    """Name that a reference "#name" points to."""
    return str(element.get(attribute, "")).removeprefix("#")


def unreadable(message: str) -> MeshProblem:
    """Problem of a file that refers to what is not there."""
    return MeshProblem("mesh-unreadable", f"cannot be read: {message}")


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
        self._tables: dict[str, tuple[list[str], int]] = {}
        self._positions = {
            str(vertices.get("id", "")): target(entry, "source")
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

    def texture(self, source: str, indices: IntArray) -> FloatArray | None:
        """Texture coordinates (n, 2) of some rows of a source; None where they make no sense."""
        words, stride = self._tables.get(source, ([], 1))
        rows = len(words) // stride
        if stride < 2 or rows == 0 or indices.min(initial=0) < 0 or indices.max(initial=0) >= rows:
            return None
        try:
            table = numbers(words[: rows * stride], rows * stride).reshape(rows, stride)[:, :2]
        except ValueError:
            return None
        return table[indices] if np.isfinite(table).all() else None

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
        self._tables[name] = (words, stride)
        if is_position:
            table = numbers(words, len(words))
            problems += not_finite(table)
            self._points[name] = table[: stride * self.rows[name]].reshape(-1, stride)[:, :3]


class _Primitive(NamedTuple):
    """Triangles of a primitive.

    Attributes
    ----------
    vertices : str
        Id of the <vertices> that they refer to.
    faces : ndarray of int, shape (m, 3)
    symbol : str
        What the file calls their material.
    uv : ndarray, shape (m, 3, 2), or None
    """

    vertices: str
    faces: IndexArray
    symbol: str
    uv: FloatArray | None


def read_geometry(mesh: Any, problems: list[MeshProblem]) -> Triangles:
    """Positions and triangles of one <mesh>; what is wrong with it is added to the problems.

    The materials of its paint are the symbols that an instance binds.
    """
    sources = _Sources(mesh, problems)
    points: list[FloatArray] = [np.zeros((0, 3))]
    faces: list[IndexArray] = [np.zeros((0, 3), dtype=np.intp)]
    start: dict[str, int] = {}
    drawn: list[_Primitive] = []
    for element in mesh:
        if name_of(element) not in _PRIMITIVES:
            continue
        primitive = _primitive(element, sources, problems)
        if primitive is None:
            continue
        if primitive.vertices not in start:
            table = sources.points(primitive.vertices)
            if table is None:
                problems.append(unreadable(f"<vertices id={primitive.vertices[:60]!r}> has no positions"))
                continue
            start[primitive.vertices] = sum(len(part) for part in points)
            points.append(table)
        faces.append(primitive.faces + start[primitive.vertices])
        drawn.append(primitive)
    return Triangles(np.concatenate(points), np.concatenate(faces), paint=_paint(drawn))


def _paint(drawn: list[_Primitive]) -> Paint | None:
    """Symbols and texture coordinates of the triangles of primitives, one after the other."""
    symbols = {symbol: k for k, symbol in enumerate(dict.fromkeys(part.symbol for part in drawn if part.symbol))}
    if not symbols:
        return None
    material = np.concatenate([np.full(len(p.faces), symbols.get(p.symbol, -1), dtype=np.intp) for p in drawn])
    uv = None
    if any(part.uv is not None for part in drawn):
        uv = np.concatenate([np.zeros((len(p.faces), 3, 2)) if p.uv is None else p.uv for p in drawn])
    return Paint(material, tuple(symbols), uv)


def _primitive(element: Any, sources: _Sources, problems: list[MeshProblem]) -> _Primitive | None:
    """Triangles of <triangles>, <polylist> or <polygons>; other primitives are checked only."""
    entries = element.iterfind("{*}input")
    inputs = [(int(i.get("offset", "0")), target(i, "source"), i.get("semantic")) for i in entries]
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
    if not found and lists and name_of(element) in _DRAWN:
        if vertex is None or vertex[0] < 0:
            found.append(unreadable(f"<{name_of(element)}> has no vertices"))
        else:
            corners = [indices[vertex[0] :: stride] for indices in lists]
            sizes = _sizes(element, corners)
            if sum(sizes) == sum(map(len, corners)) and min(sizes, default=0) >= 0:
                points = sources.points(vertex[1])
                polygons, counts = np.concatenate(corners), np.array(sizes, dtype=np.intp)
                order = np.arange(len(polygons), dtype=np.intp)
                places = fans(order, counts) if points is None else cut(points, polygons, counts)
                uv = _wrapped(inputs, sources, lists, stride)
                symbol = str(element.get("material", ""))
                faces = polygons[places].astype(np.intp)
                return _Primitive(vertex[1], faces, symbol, None if uv is None else uv[places])
            message = f"{sum(map(len, corners))} corners do not make the polygons of <{name_of(element)}>"
            found.append(MeshProblem("mesh-index", message))
    problems += found
    return None


def _wrapped(
    inputs: list[tuple[int, str, Any]], sources: _Sources, lists: list[IntArray], stride: int
) -> FloatArray | None:
    """First texture coordinates (n, 2) of all corners of a primitive."""
    place = next(((offset, source) for offset, source, semantic in inputs if semantic == "TEXCOORD"), None)
    if place is None or place[0] < 0:
        return None
    return sources.texture(place[1], np.concatenate([indices[place[0] :: stride] for indices in lists]))


def _sizes(element: Any, corners: list[IntArray]) -> list[int]:
    """Corners of each polygon of a primitive."""
    if name_of(element) == "triangles":
        return [3] * (sum(map(len, corners)) // 3)
    count = element.find("{*}vcount")
    return list(map(len, corners)) if count is None else integers((count.text or "").split()).tolist()
