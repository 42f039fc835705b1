"""Convex hulls of points."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.triangles import Triangles


def convex_hull(vertices: FloatArray) -> Triangles:
    """Convex hull with its triangles turned outwards; without triangles if the points are in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        faces = ConvexHull(vertices).simplices.astype(np.intp)
    except QhullError:
        return Triangles(vertices, np.zeros((0, 3), dtype=np.intp))
    corners = vertices[faces] - vertices.mean(axis=0)
    inwards = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return Triangles(vertices, faces)
