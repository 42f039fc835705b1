"""Distances volume by volume: what a step must not overlook when the nearest volume of a segment changes."""

from __future__ import annotations

import numpy.typing as npt

from tarsus import _native
from tarsus.collision.collision_model import CollisionModel, DistanceJacobian
from tarsus.collision.obstacle import Obstacle
from tarsus.collision.segment_pairs import Pair
from tarsus.collision.volume_table import FEW, volume_table
from tarsus.geometry.swept_sphere import SweptSphere

_gradients = _native.function("segment_gradients")


class VolumePairs:
    """All pairs of volumes of the pairs of a collision model.

    The distance of two segments is the smallest one of their volumes, and its gradient is that of the nearest ones
    alone: a step that keeps it may bring others nearer. Here each pair of volumes has a distance of its own. Obstacles
    that are solids, or of more than 16 volumes, stay whole.

    Parameters
    ----------
    scene : CollisionModel

    Attributes
    ----------
    segments : tuple of (str, str)
        Segments that the volumes of each pair belong to; the axis of all results.
    """

    def __init__(self, scene: CollisionModel) -> None:
        volumes: dict[str, tuple[SweptSphere, ...]] = {}
        frames: dict[str, str] = {}
        parts: dict[str, list[str]] = {}
        for frame, group in scene.volumes.items():
            names = [f"{frame}.{k}" for k in range(len(group))]
            parts[frame] = names
            volumes |= {name: (volume,) for name, volume in zip(names, group, strict=True)}
            frames |= dict.fromkeys(names, frame)
        obstacles: list[Obstacle] = []
        for obstacle in scene.obstacles:
            own = [obstacle]
            if obstacle.solid is None and 1 < len(obstacle.volumes) <= FEW:
                several = enumerate(obstacle.volumes)
                own = [Obstacle(f"{obstacle.name}.{k}", volume, obstacle.pose) for k, volume in several]
            parts[obstacle.name] = [part.name for part in own]
            obstacles.extend(own)
        pairs: list[Pair] = []
        segments: list[Pair] = []
        for a, b in scene.pairs:
            mine = [(x, y) for x in parts[a] for y in parts[b]]
            pairs.extend(mine)
            segments.extend([(a, b)] * len(mine))
        self.model, self.segments = scene.model, tuple(segments)
        self._table = volume_table(scene.model, volumes, obstacles, pairs, frames)

    def distance_jacobian(self, q: npt.ArrayLike) -> DistanceJacobian:
        """Distances of all pairs of volumes with their gradients, as those of `CollisionModel.distance_jacobian`."""
        found = _gradients(self.model, q, self._table, obstacle_poses=None, threads=1)
        return DistanceJacobian(found.distance, found.jacobian)
