"""Convex solids with rounded edges: everything within a radius of the hull of some points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IndexArray
from tarsus.errors import ArgumentError
from tarsus.geometry.hull import convex_hull


@dataclass(frozen=True, slots=True, eq=False)
class ConvexVolume:
    """All points within `radius` of the convex hull of given points.

    Attributes
    ----------
    corners : ndarray, shape (n, 3)
        Of the hull; points inside of it are left out [m].
    faces : ndarray of int, shape (m, 3)
        Triangles of its surface, turned outwards.
    edges : ndarray of int, shape (k, 2)
        Pairs of corners.
    radius : float
        [m]
    """

    corners: FloatArray
    faces: IndexArray
    edges: IndexArray
    radius: float

    def __init__(self, points: npt.ArrayLike, radius: float = 0.0) -> None:
        given = np.array(points, dtype=float, ndmin=2)
        if given.ndim != 2 or given.shape[1] != 3:
            raise ArgumentError(f"points: expected shape (n, 3), found {np.shape(points)}")
        if not np.isfinite(given).all():
            raise ArgumentError(f"points: expected finite numbers, found {given[~np.isfinite(given)].flat[0]}")
        if not (np.isfinite(radius) and radius >= 0):
            raise ArgumentError(f"radius: expected a finite number of at least 0, found {radius!r}")
        hull = convex_hull(given)
        if len(given) < 4 or len(hull.faces) == 0:
            raise ArgumentError("points: they are in a plane; a triangle is a SweptSphere")
        used, faces = np.unique(hull.faces, return_inverse=True)
        faces = faces.reshape(-1, 3)
        sides = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        for name, value in (("corners", given[used]), ("faces", faces), ("edges", np.unique(sides, axis=0))):
            value.setflags(write=False)
            object.__setattr__(self, name, value)
        object.__setattr__(self, "radius", float(radius))

    @property
    def planes(self) -> FloatArray:
        """Outward unit normal n and offset c of every face, n x = c; shape (m, 4)."""
        a, b, c = np.moveaxis(self.corners[self.faces], 1, 0)
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        return np.column_stack([normal, np.einsum("ij,ij->i", normal, a)])
