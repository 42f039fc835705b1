"""Support polygon: the convex hull of the contacts that carry the robot."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray

CARRYING = 1e-6
"""Part of the largest force below which a contact carries nothing."""


def support_polygon(position: FloatArray, force: FloatArray) -> FloatArray:
    """Corners of the convex hull, seen from above, of the contacts with an upward force from outside of the model.

    Parameters
    ----------
    position : ndarray, shape (nc, 3)
        Contact points, world [m].
    force : ndarray, shape (nc, 3)
        Forces on the robot, world axes [N].

    Returns
    -------
    corners : ndarray, shape (k, 3)
        Counter-clockwise, at the height of their contacts; one or two points where the hull has no area, none
        without contact.
    """
    outside = _from_outside(position, force)
    up = force[outside, 2]
    points: FloatArray = position[outside][up > CARRYING * max(float(up.max(initial=0.0)), 1e-300)]
    if len(points) < 3:
        return points
    order = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))
    sorted_points = points[order]
    return np.array(_half_hull(sorted_points)[:-1] + _half_hull(sorted_points[::-1])[:-1])


def _from_outside(position: FloatArray, force: FloatArray) -> BoolArray:
    """Contacts that press, but not those between two bodies: with opposite forces at the same place, shape (nc,)."""
    pressed = np.flatnonzero(force.any(axis=1))
    seen = {(*position[i], *force[i]) for i in pressed}
    outside = np.zeros(len(force), dtype=bool)
    outside[[i for i in pressed if (*position[i], *(0.0 - force[i])) not in seen]] = True
    return outside


def _half_hull(points: FloatArray) -> list[FloatArray]:
    """Lower (or, for reversed points, upper) half of the hull by Andrew's monotone chain."""
    hull: list[FloatArray] = []
    for p in points:
        while len(hull) >= 2 and _turn(hull[-2], hull[-1], p) <= 0.0:
            hull.pop()
        hull.append(p)
    return hull


def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    """Positive where the way a, b, c turns to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
