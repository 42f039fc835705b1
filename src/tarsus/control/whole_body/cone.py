"""Friction cones of points, and what they make of patches: cones of wrenches, as edges and as rows."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from tarsus.arrays import FloatArray

SAME_ROW = 1e-9
"""Facets of a hull whose equations differ by less are pieces of one."""


def pyramid(friction: float, sides: int) -> FloatArray:
    """Edges of a pyramid inside the friction cone about +z, shape (sides, 3), with f_z = 1.

    They lie on the cone; with four sides its faces are |f_x|, |f_y| <= friction / sqrt(2) f_z.
    """
    angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    return np.stack([friction * np.cos(angle), friction * np.sin(angle), np.ones(sides)], axis=-1)


def pyramid_rows(friction: float, sides: int) -> FloatArray:
    """Rows A with A f >= 0 for forces inside the `pyramid`, shape (sides, 3), one a face."""
    angle = 2 * np.pi * np.arange(sides) / sides
    height = np.full(sides, friction * np.cos(np.pi / sides))
    return np.stack([-np.cos(angle), -np.sin(angle), height], axis=-1)


def cone_rows(edges: FloatArray) -> FloatArray:
    """Rows A with A y >= 0 for the cone that is spanned by edges, shape (rows, k), each of length one.

    Parameters
    ----------
    edges : ndarray, shape (n, k)
        Each with 1 as its third entry, the normal force; they span all k dimensions. The cone is cut there by a
        hyperplane, and the rows are the facets of the convex hull in it.
    """
    across = np.delete(edges, 2, axis=1)
    scale = np.abs(across).max(axis=0)
    hull = ConvexHull(across / scale)
    rows = np.insert(-hull.equations[:, :-1] / scale, 2, -hull.equations[:, -1], axis=1)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    kept: list[FloatArray] = []
    for row in rows:
        if all(np.abs(row - other).max() > SAME_ROW for other in kept):
            kept.append(row)
    return np.array(kept)
