"""Meshes that MJCF names instead of giving their vertices: <mesh builtin="..." params="...">."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.triangles import Triangles

MAX_RESOLUTION = 1000
"""Largest resolution of a built-in mesh along one of its directions."""


class _Builtin(NamedTuple):
    """What the parameters of a kind of mesh mean and where they must lie, the bounds included."""

    make: Callable[..., Triangles]
    bounds: tuple[tuple[float, float], ...]


def builtin_mesh(kind: str, parameters: Sequence[float]) -> Triangles | str:
    """Triangles of a built-in mesh of size 1, or what is wrong with its parameters."""
    if kind not in _BUILTINS:
        return f"the built-in mesh {kind!r} is none of {', '.join(BUILTIN_MESHES)}"
    builtin = _BUILTINS[kind]
    if len(parameters) != len(builtin.bounds):
        return f"a built-in {kind} needs {len(builtin.bounds)} parameters, found {len(parameters)}"
    for value, (low, high) in zip(parameters, builtin.bounds, strict=True):
        if not low <= value <= high:
            return f"a parameter of a built-in {kind} is {value:g}, expected {low:g} to {high:g}"
    return builtin.make(*parameters)


def _sphere(subdivisions: float) -> Triangles:
    """Icosahedron whose triangles are cut in four, the new vertices moved to the unit sphere."""
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    planes = np.array([[x, y * golden] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    corners = np.concatenate([np.roll(np.insert(planes, 2, 0.0, axis=1), k, axis=1) for k in range(3)])
    mesh = convex_hull(corners / np.linalg.norm(corners[0]))
    for _ in range(int(subdivisions)):
        mesh = _quartered(mesh)
    return mesh


def _quartered(mesh: Triangles) -> Triangles:
    """Each triangle of a mesh on the unit sphere cut in four."""
    a, b, c = mesh.faces.T
    edges = np.sort(np.concatenate([mesh.faces[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    unique, label = np.unique(edges, axis=0, return_inverse=True)
    middles = mesh.vertices[unique].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1)[:, None]
    ab, bc, ca = np.reshape(label, (3, -1)) + len(mesh.vertices)
    faces = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return Triangles(np.concatenate([mesh.vertices, middles]), faces)


def _hemisphere(resolution: float) -> Triangles:
    """Upper half of an octahedron, cut into rows and moved to the unit sphere, with a flat cap below."""
    rows = int(resolution) + 1
    pole = np.array([0.0, 0.0, 1.0])
    equator = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    points = [pole[None]]
    for row in range(1, rows + 1):
        along = np.arange(row)[:, None] / row
        sides = [equator[s] + along * (equator[(s + 1) % 4] - equator[s]) for s in range(4)]
        points.append(pole + row / rows * (np.concatenate(sides) - pole))
    vertices = np.concatenate(points)
    vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    starts = [0, *(1 + 2 * row * (row - 1) for row in range(1, rows + 2))]
    faces = []
    for row in range(rows):
        inner, outer = starts[row], starts[row + 1]
        for side in range(4):
            upper = [inner + (side * row + i) % max(4 * row, 1) for i in range(row + 1)]
            lower = [outer + (side * (row + 1) + i) % (4 * (row + 1)) for i in range(row + 2)]
            faces += [(upper[i], lower[i], lower[i + 1]) for i in range(row + 1)]
            faces += [(upper[i], lower[i + 1], upper[i + 1]) for i in range(row)]
    rim = starts[rows] + np.arange(4 * rows)
    cap = np.stack([rim, np.full(len(rim), len(vertices)), np.roll(rim, -1)], axis=1)
    return Triangles(np.vstack([vertices, np.zeros(3)]), np.concatenate([np.array(faces, dtype=np.intp), cap]))


def _supersphere(resolution: float, e: float, n: float) -> Triangles:
    """Superellipsoid of exponents `n` north-south and `e` east-west."""
    count = int(resolution)
    latitude = -0.5 * np.pi + np.pi * np.arange(1, count)[:, None] / count
    longitude = -np.pi + 2.0 * np.pi * np.arange(count) / count
    rings = np.stack(
        [
            _power(np.cos(latitude), n) * _power(np.cos(longitude), e),
            _power(np.cos(latitude), n) * _power(np.sin(longitude), e),
            np.broadcast_to(_power(np.sin(latitude), n), (count - 1, count)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    vertices = np.vstack([rings, [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    south, north = len(rings), len(rings) + 1
    first = np.arange(count)
    after, last = np.roll(first, -1), first + (count - 2) * count
    below = np.stack([np.full(count, south), after, first], axis=1)
    above = np.stack([last, np.roll(last, -1), np.full(count, north)], axis=1)
    return Triangles(vertices, np.concatenate([_grid_faces(count - 1, count, closed=False), below, above]))


def _supertorus(resolution: float, radius: float, s: float, t: float) -> Triangles:
    """Supertoroid about z: exponent `s` of the tube, `t` of the ring of radius 1."""
    count = int(resolution)
    u, v = np.meshgrid(*[2.0 * np.pi * np.arange(count) / count] * 2, indexing="ij")
    across = 1.0 + radius * _power(np.cos(v), s)
    points = (across * _power(np.cos(u), t), across * _power(np.sin(u), t), radius * _power(np.sin(v), s))
    faces = _grid_faces(count, count, closed=True)
    # Rows run around the ring here: seen from outside they turn the other way round than rows of latitude.
    return Triangles(np.stack(points, axis=-1).reshape(-1, 3), faces[:, ::-1])


def _grid_faces(rows: int, columns: int, closed: bool) -> IndexArray:
    """Triangles (m, 3) of a grid that closes along its rows, and across them if `closed`."""
    i, j = np.meshgrid(np.arange(rows if closed else rows - 1), np.arange(columns), indexing="ij")
    up, right = (i + 1) % rows, (j + 1) % columns
    a, b, c, d = i * columns + j, i * columns + right, up * columns + right, up * columns + j
    first, second = ((a, b, d), (b, c, d)) if not closed else ((a, b, d), (d, b, c))
    return np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in (first, second)]).astype(np.intp)


def _plate(columns: float, rows: float) -> Triangles:
    """Centres of the cells of a square from -1 to 1, in the plane z = -1."""
    nx, ny = int(columns), int(rows)
    x, y = (-1.0 + (2.0 * np.arange(n) + 1.0) / n for n in (nx, ny))
    grid: FloatArray = np.stack([*np.meshgrid(x, y, indexing="ij"), np.full((nx, ny), -1.0)], axis=-1)
    i, j = np.meshgrid(np.arange(nx - 1), np.arange(ny - 1), indexing="ij")
    a = i * ny + j
    faces = [np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, a + ny, a + 1), (a + ny + 1, a + 1, a + ny))]
    return Triangles(grid.reshape(-1, 3), np.concatenate(faces).astype(np.intp))


def _cone(edges: float, radius: float) -> Triangles:
    """Pyramid from a regular polygon of radius 1 at z = -1 to one of `radius`, or a point, at z = 1."""
    angle = 2.0 * np.pi * np.arange(int(edges)) / int(edges)
    ring = np.stack([np.cos(angle), np.sin(angle), np.full(len(angle), -1.0)], axis=-1)
    top = ring * (radius, radius, -1.0) if radius > 0.0 else np.array([[0.0, 0.0, 1.0]])
    return convex_hull(np.concatenate([ring, top]))


def _power(values: FloatArray, exponent: float) -> FloatArray:
    """Power of the magnitude, with the sign kept."""
    powers: FloatArray = np.copysign(np.abs(values) ** exponent, values)
    return powers


_COUNT = (3.0, float(MAX_RESOLUTION))
_EXPONENT = (0.0, 100.0)
_BUILTINS: dict[str, _Builtin] = {
    "sphere": _Builtin(_sphere, ((0.0, 4.0),)),
    "hemisphere": _Builtin(_hemisphere, ((0.0, 10.0),)),
    "cone": _Builtin(_cone, (_COUNT, (0.0, 1e3))),
    "supersphere": _Builtin(_supersphere, (_COUNT, _EXPONENT, _EXPONENT)),
    "supertorus": _Builtin(_supertorus, (_COUNT, (1e-9, 1.0), _EXPONENT, _EXPONENT)),
    "plate": _Builtin(_plate, ((2.0, float(MAX_RESOLUTION)), (2.0, float(MAX_RESOLUTION)))),
}
BUILTIN_MESHES = tuple(_BUILTINS)
"""Kinds of built-in meshes; the wedge of MuJoCo, which has no faces, is not among them."""
