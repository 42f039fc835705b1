"""Which surface of a ground is touched at a point: its normal and its friction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.ground import Ground
from tarsus.contact.surface_tables import surface_distances


class Touched(NamedTuple):
    """Surfaces at points.

    Attributes
    ----------
    normal : ndarray, shape (..., 3)
        Out of the ground, world axes.
    friction : ndarray, shape (...)
        Coefficient of Coulomb friction.
    """

    normal: FloatArray
    friction: FloatArray


def touched_surfaces(ground: Ground, position: npt.ArrayLike) -> Touched:
    """The surface that each of the points touches: the nearest, or the one that it is deepest in.

    Parameters
    ----------
    position : array_like, shape (..., 3)
        World [m].
    """
    p = np.asarray(position, dtype=float)
    flat = p.reshape(-1, 3)
    gap, normal, friction = np.full(len(flat), np.inf), np.zeros_like(flat), np.zeros(len(flat))
    for surface in ground.surfaces:
        found, direction = surface_distances((surface,), flat)
        nearer = found < gap
        gap[nearer], normal[nearer] = found[nearer], direction[nearer]
        friction[nearer] = surface.law.friction
    return Touched(normal.reshape(p.shape), friction.reshape(p.shape[:-1]))
