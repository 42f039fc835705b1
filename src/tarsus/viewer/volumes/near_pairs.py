"""Nearest pairs of a robot's volumes as lines, coloured by their distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel

FAR = 0.3
"""Distance from which a line is green; it is red where volumes touch or overlap [m]."""


class NearLines(NamedTuple):
    """Lines between nearest points.

    Attributes
    ----------
    points : ndarray, shape (n, 2, 3)
        Of both volumes, world [m].
    colors : ndarray, shape (n, 3)
        Red, green, blue between 0 and 1.
    """

    points: FloatArray
    colors: FloatArray


def scene_of(model: Model) -> CollisionModel:
    """The pairs of a model that has volumes, without those that always overlap.

    Raises
    ------
    ArgumentError
        If it has none.
    """
    if not model.volumes:
        raise ArgumentError(f"{model.name!r} has no volumes to look at; `tarsus fit` or ts.collision.fit makes some")
    from tarsus.collision.telling_pairs import telling_pairs

    return telling_pairs(model)[0]


def near_lines(scene: CollisionModel, q: FloatArray, count: int) -> NearLines:
    """Lines of the `count` nearest pairs in one configuration (nq,)."""
    if count < 1 or not scene.pairs:
        return NearLines(np.zeros((0, 2, 3)), np.zeros((0, 3)))
    found = scene.nearest(q, count)
    distances = np.array([pair.distance for pair in found])
    return NearLines(np.stack([pair.points for pair in found]), distance_colors(distances))


def distance_colors(distance: FloatArray) -> FloatArray:
    """Colours (n, 3): red at contact and below, over yellow to green at `FAR`."""
    share = np.clip(distance / FAR, 0.0, 1.0)[:, None]
    red, yellow, green = np.array([(0.85, 0.08, 0.05), (0.95, 0.75, 0.05), (0.10, 0.65, 0.20)])
    return np.asarray(
        np.where(share < 0.5, red + 2.0 * share * (yellow - red), yellow + (2.0 * share - 1.0) * (green - yellow))
    )
