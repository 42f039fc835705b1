"""Where the centre of pressure of a contact may be: its points, each side moved inwards."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError

LEVEL = 1e-6
"""How far the points of a patch may be from a plane across its normal [m] for a centre of pressure to be told."""
LEFT = 1e-6
"""Least distance [m] that the margin leaves between opposite sides, or between the ends of an edge."""


def shrunk_edge(arms: FloatArray, margin: float) -> FloatArray:
    """Ends of an edge along x, each moved inwards by `margin` [m], shape (2, 3)."""
    ends = arms[[arms[:, 0].argmin(), arms[:, 0].argmax()]]
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if length - 2 * margin < LEFT:
        raise ArgumentError(
            f"pressure_margin of Contact is {margin!r}; expected less than half of its edge, {length:g} m"
        )
    along = margin / length * (ends[1] - ends[0])
    return np.asarray(ends + np.stack([along, -along]))


def shrunk_patch(arms: FloatArray, margin: float) -> FloatArray:
    """Corners of what is left of a flat patch when each side is moved inwards by `margin` [m], shape (n, 3).

    The patch is the convex hull of its points, sides a_i p <= b_i with |a_i| = 1, and a_i p <= b_i - margin is left.

    Parameters
    ----------
    arms : ndarray, shape (n, 3)
        Points in contact axes, z along the normal.
    """
    height = arms[:, 2]
    if np.ptp(height) > LEVEL:
        raise ArgumentError(
            f"pressure_margin of Contact belongs to flat patches; found points {np.ptp(height):g} m apart in height"
        )
    sides = np.unique(ConvexHull(arms[:, :2]).equations.round(12), axis=0)
    # The inner point that is farthest from all sides: maximise r with a_i p + r <= b_i.
    rows = np.column_stack([sides[:, :2], np.ones(len(sides))])
    *middle, way = np.asarray(linprog([0.0, 0.0, -1.0], rows, -sides[:, 2], bounds=(None, None)).x)
    if way - margin < LEFT:
        raise ArgumentError(
            f"pressure_margin of Contact is {margin!r}; expected less than the way to its sides, {way:g} m"
        )
    inner = HalfspaceIntersection(np.column_stack([sides[:, :2], sides[:, 2] + margin]), np.array(middle)).intersections
    corners = inner[ConvexHull(inner).vertices]
    return np.column_stack([corners, np.full(len(corners), height.mean())])
