"""One line-swept sphere around a robot: obstacles outside of it need no further look (Buschmann 2014, figure 5.13)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel, ObstaclePoses
from tarsus.collision.obstacle import Obstacle
from tarsus.dynamics import frame_pose
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model import Model
from tarsus.spatial import inverse_pose
from tarsus.walking.biped.biped import Biped


def bounding_volume(biped: Biped, reach: float) -> SweptSphere:
    """A sphere swept along the vertical through the pelvis, in the frame of the pelvis.

    It encloses the standing robot with every volume moved by up to `reach` [m]: feet that step, arms that swing.
    """
    model = biped.model
    X_PW = inverse_pose(frame_pose(model, biped.q, biped.pelvis))
    points, radii = [], []
    for name, volumes in model.volumes.items():
        X = X_PW @ frame_pose(model, biped.q, name)
        for volume in volumes:
            points.append(volume.vertices @ X[:3, :3].T + X[:3, 3])
            radii.append(np.full(len(volume.vertices), volume.radius))
    p, rho = np.concatenate(points), np.concatenate(radii) + reach
    up = X_PW[:3, 2]  # vertical of the world in axes of the pelvis
    along = p @ up
    radius = float((np.linalg.norm(p - np.outer(along, up), axis=1) + rho).max())
    low, high = float((along - rho).min()), float((along + rho).max())
    ends = sorted((min(low + radius, 0.0), max(high - radius, 0.0)))
    return SweptSphere(np.outer(ends, up), radius)


def standing_height(biped: Biped) -> float:
    """Up to where the volumes of the standing robot reach above the ground [m]."""
    model = biped.model
    tops = [
        float((volume.vertices @ X[2, :3]).max() + X[2, 3] + volume.radius)
        for name, volumes in model.volumes.items()
        for X in (frame_pose(model, biped.q, name),)
        for volume in volumes
    ]
    return max(tops, default=np.inf)


class BoundingCheck:
    """Whether any obstacle is near the volume around the whole robot: one pair an obstacle in place of dozens.

    Attributes
    ----------
    volume : SweptSphere
        In the frame of the pelvis.
    """

    def __init__(self, model: Model, biped: Biped, obstacles: Sequence[Obstacle], reach: float) -> None:
        self.volume = bounding_volume(biped, reach)
        names = [obstacle.name for obstacle in obstacles]
        self._scene = CollisionModel(model, {biped.pelvis: self.volume}, obstacles, include=names)

    def distance(self, q: FloatArray, poses: ObstaclePoses | None) -> float:
        """To the nearest obstacle, negative where it is within the volume [m]; `q` is one of `model`, shape (nq,)."""
        return float(self._scene.distances(q, obstacle_poses=poses).min())
