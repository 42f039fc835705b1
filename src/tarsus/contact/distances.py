"""Distance of points to a ground: to the nearest of its surfaces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.ground import Block, Plane, Surface
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.errors import ArgumentError
from tarsus.geometry.height_field import to_height_field
from tarsus.geometry.point_distances import PointDistances, to_box, to_half_space

REACH = 0.05
"""Up to this distances to height fields are exact [m]: as in native steps, nothing further away is felt."""


class Distances(NamedTuple):
    """Distances of n points to a ground.

    Attributes
    ----------
    gap, normal, turn : ndarray
        To the nearest surface, as in `PointDistances`.
    surface : ndarray of int, shape (n,)
        Number of the nearest surface.
    """

    gap: FloatArray
    normal: FloatArray
    turn: FloatArray
    surface: npt.NDArray[np.intp]


def distances(surfaces: tuple[Surface, ...], p: FloatArray, u: FloatArray) -> Distances:
    """Distances of the points p, moving with u, to the nearest of the surfaces (the deepest where they overlap).

    Parameters
    ----------
    p, u : ndarray, shape (n, 3)
        World [m], [m/s].
    """
    gap, normal, turn = _distance(surfaces[0], p, u)
    index = np.zeros(len(p), dtype=np.intp)
    for k, surface in enumerate(surfaces[1:], start=1):
        other = _distance(surface, p, u)
        nearer = other.gap < gap
        if nearer.any():
            index = np.where(nearer, k, index)
            gap = np.where(nearer, other.gap, gap)
            normal = np.where(nearer[:, None], other.normal, normal)
            turn = np.where(nearer[:, None], other.turn, turn)
    return Distances(gap, normal, turn, index)


def _distance(surface: Surface, p: FloatArray, u: FloatArray) -> PointDistances:
    if isinstance(surface, Plane):
        return to_half_space(np.asarray(surface.point), np.asarray(surface.normal), p)
    if isinstance(surface, Block):
        return to_box(surface.size, np.asarray(surface.pose), p, u)
    if isinstance(surface, TriangleMesh):
        raise ArgumentError(f"distances to the mesh {surface.name!r} are those of native steps only")
    return to_height_field(np.asarray(surface.heights), surface.spacing, surface.origin, p, u, reach=REACH)
