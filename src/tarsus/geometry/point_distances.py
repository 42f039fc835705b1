"""Distance of points to one solid, with the direction out of it and how that turns as the points move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray


class PointDistances(NamedTuple):
    """Distances of n points p, moving with u, to a solid; both are (n, 3), world axes [m], [m/s].

    Attributes
    ----------
    gap : ndarray, shape (n,)
        Signed, negative inside [m].
    normal : ndarray, shape (n, 3)
        Out of the solid, world axes.
    turn : ndarray, shape (n, 3)
        Rate of the normal while the points move [1/s]; zero on flat faces.
    """

    gap: FloatArray
    normal: FloatArray
    turn: FloatArray


def to_half_space(point: FloatArray, normal: FloatArray, p: FloatArray) -> PointDistances:
    """Distances to the half-space below a plane through `point` (3,) with the unit normal (3,)."""
    return PointDistances((p - point) @ normal, np.broadcast_to(normal, p.shape), np.zeros_like(p))


def to_box(size: tuple[float, float, float], pose: FloatArray, p: FloatArray, u: FloatArray) -> PointDistances:
    """Distances to a solid box of edge lengths `size` [m] whose centre has the pose (4, 4).

    The normal is the direction from the nearest point of the box, for points inside the one out of the nearest face.
    """
    local, rate = (p - pose[:3, 3]) @ pose[:3, :3], u @ pose[:3, :3]
    side = np.where(local < 0.0, -1.0, 1.0)
    beyond = side * local - 0.5 * np.asarray(size)
    out = np.maximum(beyond, 0.0)
    reach = np.linalg.norm(out, axis=1)
    outside, safe = reach > 0.0, np.where(reach > 0.0, reach, 1.0)
    away = side * out / safe[:, None]
    face = np.argmax(beyond, axis=1)
    inner = np.zeros_like(local)
    rows = np.arange(len(p))
    inner[rows, face] = side[rows, face]
    normal = np.where(outside[:, None], away, inner)
    moved = np.where(out > 0.0, rate, 0.0)
    turn = np.where(outside[:, None], (moved - normal * np.sum(normal * moved, axis=1)[:, None]) / safe[:, None], 0.0)
    gap = np.where(outside, reach, beyond[rows, face])
    return PointDistances(gap, normal @ pose[:3, :3].T, turn @ pose[:3, :3].T)
