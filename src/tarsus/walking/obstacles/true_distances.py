"""Distances of a robot to what obstacles really look like, along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.model import Model
from tarsus.walking.obstacles.obstruction import Obstruction

BATCH = 500
"""Configurations at a time."""
NEAR = 0.3
"""Distance to the volumes around obstacles from which on the true shape need not be looked at [m]."""


class Nearest(NamedTuple):
    """Where a motion is nearest to obstacles.

    Attributes
    ----------
    distance : float
        Of the volumes of the robot to the true shapes, negative inside; infinite without obstacles [m].
    time : float
        [s].
    segment, obstacle : str
        Which.
    """

    distance: float
    time: float
    segment: str
    obstacle: str

    def __str__(self) -> str:
        """In words."""
        if not self.segment:
            return "no obstacle"
        return f"{100 * self.distance:.1f} cm between {self.segment} and {self.obstacle} at {self.time:.2f} s"


def true_distances(
    model: Model, q: FloatArray, times: FloatArray, obstructions: Sequence[Obstruction], threads: int = 1
) -> tuple[FloatArray, Nearest]:
    """Smallest distance at each time, shape (n,) [m], and the nearest of all.

    Further away than 0.3 m it is that to swept spheres around obstacles, which is less.

    The volumes of the robot enclose its shapes; those of obstacles are their own, exact but for cylinders, ellipsoids
    and meshes that are not convex, which are replaced by what encloses them.

    Parameters
    ----------
    q : ndarray, shape (n, nq)
    times : ndarray, shape (n,)
        When obstacles that move are where they are [s].
    """
    least = np.full(len(q), np.inf)
    best = Nearest(np.inf, 0.0, "", "")
    for one in obstructions:
        coarse = CollisionModel(model, obstacles=[one.volumes], include=[one.name])
        fine = CollisionModel(model, obstacles=[one.obstacle], include=[one.name])
        for first in range(0, len(q), BATCH):
            at = np.arange(first, min(first + BATCH, len(q)))
            found = coarse.distances(q[at], obstacle_poses={one.name: one.poses(times[at])}, threads=threads)
            near = np.flatnonzero(found.min(axis=-1) < NEAR)
            if near.size:
                poses = {one.name: one.poses(times[at[near]])}
                found[near] = fine.distances(q[at[near]], obstacle_poses=poses, threads=threads)
            least[at] = np.minimum(least[at], found.min(axis=-1))
            k, pair = np.unravel_index(int(found.argmin()), found.shape)
            if found[k, pair] < best.distance:
                best = Nearest(float(found[k, pair]), float(times[at[k]]), *fine.pairs[pair])
    return least, best
