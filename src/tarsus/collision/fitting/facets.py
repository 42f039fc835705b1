"""What volumes have to enclose: triangles, each thickened by a radius.

A sphere is a triangle with equal corners and a radius, a capsule one whose corners are on its axis; both are exact.
Cylinders and ellipsoids are replaced by polyhedra around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.errors import ArgumentError
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from tarsus.geometry.triangles import Triangles

SIDES = 24
"""Of the prism around a cylinder, which is 0.9 % thicker at its edges."""
RINGS = 8
"""Of the polyhedron around an ellipsoid between its poles."""


@dataclass(frozen=True, slots=True, eq=False)
class Facets:
    """Triangles thickened by radii.

    Attributes
    ----------
    corners : ndarray, shape (m, 3, 3)
        Triangle, corner, coordinate [m]; corners may coincide.
    radius : ndarray, shape (m,)
        How far around each triangle space is taken [m].
    shape : ndarray of int, shape (m,)
        Which shape of the link each one belongs to.
    """

    corners: FloatArray
    radius: FloatArray
    shape: IndexArray

    def __len__(self) -> int:
        return len(self.radius)

    def chosen(self, which: IndexArray | np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Facets:
        """Some of the facets."""
        return Facets(self.corners[which], self.radius[which], self.shape[which])

    def balls(self) -> tuple[FloatArray, FloatArray]:
        """Centres (n, 3) and radii (n,) whose convex hull is that of the facets, each once."""
        rows = np.concatenate([self.corners.reshape(-1, 3), np.repeat(self.radius, 3)[:, None]], axis=1)
        rows = np.unique(rows, axis=0)
        return rows[:, :3], rows[:, 3]


def facets_of(shapes: Sequence[Shape], owner: str, sides: int = SIDES) -> Facets:
    """Facets of the shapes of a link, in its frame; `owner` is who they belong to, for errors.

    `sides` are those of the prisms around cylinders.

    Raises
    ------
    ArgumentError
        For what cannot be enclosed: a plane, a mesh that cannot be read, has no triangles or numbers that are none.
    """
    found = [_placed(shape, owner, sides) for shape in shapes]
    corners = np.concatenate([corners for corners, _ in found]) if found else np.zeros((0, 3, 3))
    radius = np.concatenate([np.full(len(c), r) for c, r in found]) if found else np.zeros(0)
    labels = np.repeat(np.arange(len(found)), [len(c) for c, _ in found])
    return Facets(corners, radius, labels)


def _placed(shape: Shape, owner: str, sides: int) -> tuple[FloatArray, float]:
    try:
        corners, radius = _corners(shape.geometry, sides)
    except ArgumentError as error:
        raise ArgumentError(f"{owner}: {error}") from None
    X = np.asarray(shape.pose, dtype=float)
    corners = corners @ X[:3, :3].T + X[:3, 3]
    if not (np.isfinite(corners).all() and np.isfinite(radius)):
        raise ArgumentError(f"{owner}: {_name(shape.geometry)} has numbers that are not finite, it cannot be enclosed")
    return corners, radius


def _name(geometry: Geometry) -> str:
    return f"mesh {geometry.uri!r}" if isinstance(geometry, Mesh) else f"the shape {geometry!r}"


def _corners(geometry: Geometry, sides: int) -> tuple[FloatArray, float]:
    """Triangles (m, 3, 3) of a geometry in its own frame, and how thick they are [m]."""
    match geometry:
        case Sphere(radius):
            return np.zeros((1, 3, 3)), float(radius)
        case Capsule(radius, length):
            ends = np.array([(0.0, 0.0, -length / 2.0), (0.0, 0.0, length / 2.0)])
            return ends[None, [0, 1, 1]], float(radius)
        case Box(size):
            signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
            return _hull(signs * np.asarray(size) / 2.0, geometry), 0.0
        case Cylinder(radius, length):
            return _hull(_prism(radius, length, sides), geometry), 0.0
        case Ellipsoid(radii):
            return _hull(_ball() * np.asarray(radii), geometry), 0.0
        case Mesh():
            return _of_mesh(geometry), 0.0
        case _:
            raise ArgumentError("a plane has no end and cannot be enclosed")


def _of_mesh(mesh: Mesh) -> FloatArray:
    found = triangles_of(mesh) if mesh.path is not None or mesh.content is not None else None
    if not isinstance(found, Triangles):
        why = "its file was not found" if found is None else "; ".join(problem.message for problem in found)
        raise ArgumentError(f"mesh {mesh.uri!r} cannot be enclosed: {why}")
    vertices = found.vertices * np.asarray(mesh.scale)
    if not np.isfinite(vertices).all():
        raise ArgumentError(f"mesh {mesh.uri!r} cannot be enclosed: it has vertices that are not finite")
    if len(found.faces) == 0:
        return _hull(vertices, mesh)
    return np.asarray(vertices[found.faces])


def _hull(vertices: FloatArray, geometry: Geometry) -> FloatArray:
    if not np.isfinite(vertices).all():
        raise ArgumentError(f"{_name(geometry)} has numbers that are not finite, it cannot be enclosed")
    hull = convex_hull(vertices)
    if len(hull.faces) == 0:
        raise ArgumentError(f"{_name(geometry)} cannot be enclosed: it has no triangles and no volume")
    return hull.vertices[hull.faces]


def _prism(radius: float, length: float, sides: int) -> FloatArray:
    """Corners of the prism around a cylinder."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * radius / np.cos(np.pi / sides)
    return np.concatenate([np.column_stack([ring, np.full(sides, z)]) for z in (-length / 2.0, length / 2.0)])


def _ball() -> FloatArray:
    """Corners of a polyhedron around the unit sphere: a polar grid, blown up until its faces are outside."""
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rings = [
        np.column_stack([np.cos(angle) * np.cos(h), np.sin(angle) * np.cos(h), np.full(SIDES, np.sin(h))])
        for h in np.pi * (np.arange(1, RINGS) / RINGS - 0.5)
    ]
    points = np.concatenate([*rings, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])
    hull = convex_hull(points)
    a, b, c = np.moveaxis(hull.vertices[hull.faces], 1, 0)
    normal = np.cross(b - a, c - a)
    nearest = np.abs(np.sum(normal * a, axis=1) / np.linalg.norm(normal, axis=1)).min()
    return np.asarray(points / nearest)
