"""Boxes around shapes and points, with edges along the axes."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere


def half_extents(geometry: Geometry, R: FloatArray) -> FloatArray | None:
    """Half edge lengths (3,) of the box around a shape with rotation R (3, 3) [m]; None for planes and meshes."""
    match geometry:
        case Box(size):
            half = np.abs(R) @ np.array(size) / 2.0
        case Sphere(radius):
            half = np.full(3, radius)
        case Cylinder(radius, length):
            half = np.abs(R[:, 2]) * length / 2.0 + radius * np.sqrt(np.maximum(1.0 - R[:, 2] ** 2, 0.0))
        case Capsule(radius, length):
            half = np.abs(R[:, 2]) * length / 2.0 + radius
        case Ellipsoid(radii):
            half = np.sqrt(R**2 @ np.square(radii))
        case _:
            return None
    return np.asarray(half, dtype=float)


def box_around(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest coordinates (k,) of points (n, k), at least one."""
    columns = np.ascontiguousarray(points.T)  # NumPy reduces a few long rows faster than many short ones
    return columns.min(axis=1), columns.max(axis=1)
