"""Convex solids of a model's collision shapes: what bodies touch each other with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import hull_points, rim_points, surface_points
from tarsus.errors import ArgumentError
from tarsus.geometry import shapes

if TYPE_CHECKING:
    from tarsus.model import Model

_SAME_PLANE = 1e-7
"""Triangles of a hull whose planes differ by less are one face (sine; offset relative to the size of the solid)."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """The convex hull of some corners, surrounded by a radius, in the axes of a body.

    One corner is a sphere, two are a capsule; more have faces and edges.

    Attributes
    ----------
    name, body : str
    corners : ndarray, shape (n, 3)
        [m].
    radius : float
        [m].
    faces : tuple of tuple of int
        Corners of every face, in order around its normal out of the solid.
    normals : ndarray, shape (faces, 3)
    edges : ndarray of int, shape (edges, 4)
        Two corners and two faces of each.
    """

    name: str
    body: str
    corners: FloatArray
    radius: float
    faces: tuple[tuple[int, ...], ...]
    normals: FloatArray
    edges: npt.NDArray[np.int32]

    @property
    def centre(self) -> FloatArray:
        """Centre of a sphere that holds the solid, a point inside of it, shape (3,) [m]."""
        return np.asarray(self.corners.mean(axis=0))

    @property
    def reach(self) -> float:
        """Radius of that sphere [m]."""
        return float(np.linalg.norm(self.corners - self.centre, axis=1).max()) + self.radius


def solids(model: Model, bodies: tuple[str, ...]) -> tuple[tuple[Solid, ...], tuple[str, ...]]:
    """Solids of the collision shapes of bodies, and names of the shapes that have no volume and cannot touch bodies."""
    found: list[Solid] = []
    flat: list[str] = []
    for name in bodies:
        body = model.bodies[name]
        for i, shape in enumerate(body.collisions):
            label = f"{name}/{shape.name or i}"
            solid = _of_shape(label, name, shape)
            if solid is None:
                flat.append(label)
            else:
                found.append(solid)
    return tuple(found), tuple(flat)


def _of_shape(label: str, body: str, shape: shapes.Shape) -> Solid | None:
    geometry, pose = shape.geometry, np.asarray(shape.pose, dtype=float)

    def made(points: npt.ArrayLike, radius: float = 0.0) -> Solid | None:
        corners = np.asarray(points, dtype=float).reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3]
        return solid_of(label, body, corners, radius)

    match geometry:
        case shapes.Sphere():
            return made((0.0, 0.0, 0.0), geometry.radius)
        case shapes.Capsule():
            half = 0.5 * geometry.length
            return made([(0.0, 0.0, -half), (0.0, 0.0, half)], geometry.radius)
        case shapes.Box():
            return made(0.5 * np.array(geometry.size) * np.array(list(product((-1, 1), repeat=3))))
        case shapes.Cylinder():
            return made(rim_points(geometry))
        case shapes.Ellipsoid():
            return made(surface_points(geometry))
        case shapes.Mesh():
            return made(hull_points(body, geometry))
        case _:
            return None  # a plane on a body has no corners


def solid_of(name: str, body: str, corners: FloatArray, radius: float) -> Solid | None:
    """The hull of corners; None where they lie in a plane."""
    if not np.all(np.isfinite(corners)):
        raise ArgumentError(f"collision shape {name!r} has corners that are not finite")
    if len(corners) <= 2:
        return Solid(name, body, corners, radius, (), np.zeros((0, 3)), np.zeros((0, 4), dtype=np.int32))
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(corners)
    except (QhullError, ValueError):
        return None
    faces, normals = _faces(corners, hull.simplices, hull.equations)
    used = sorted({corner for face in faces for corner in face})
    number = {corner: k for k, corner in enumerate(used)}
    numbered = tuple(tuple(number[corner] for corner in face) for face in faces)
    return Solid(name, body, corners[used], radius, numbered, normals, _edges(numbered))


def _faces(
    corners: FloatArray, triangles: npt.NDArray[np.integer], planes: FloatArray
) -> tuple[list[tuple[int, ...]], FloatArray]:
    """Faces of a hull, triangles in one plane joined, and their normals."""
    size = float(np.ptp(corners, axis=0).max())
    left = list(range(len(triangles)))
    faces, normals = [], []
    while left:
        n, offset = planes[left[0], :3], planes[left[0], 3]
        same = [k for k in left if np.linalg.norm(planes[k, :3] - n) < _SAME_PLANE
                and abs(planes[k, 3] - offset) < _SAME_PLANE * size]  # fmt: skip
        left = [k for k in left if k not in same]
        members = np.unique(triangles[same])
        middle = corners[members].mean(axis=0)
        side = corners[members[0]] - middle
        x = side - n * (side @ n)
        turn = np.arctan2((corners[members] - middle) @ np.cross(n, x), (corners[members] - middle) @ x)
        faces.append(tuple(int(m) for m in members[np.argsort(turn)]))
        normals.append(n)
    return faces, np.array(normals)


def _edges(faces: tuple[tuple[int, ...], ...]) -> npt.NDArray[np.int32]:
    """Edges with the two faces that share them."""
    sides: dict[tuple[int, int], list[int]] = {}
    for k, face in enumerate(faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            sides.setdefault((min(a, b), max(a, b)), []).append(k)
    shared = [(a, b, *both) for (a, b), both in sides.items() if len(both) == 2]
    return np.array(shared, dtype=np.int32).reshape(-1, 4)
