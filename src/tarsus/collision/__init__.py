"""Volumes of a robot, pairs of them that may collide, distances with their Jacobians, fitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.collision.collision_model import CollisionModel, DistanceJacobian, NearPair
    from tarsus.collision.filtered_jacobian import FilteredJacobian
    from tarsus.collision.fitting.fit import FittedVolumes, LinkFit, fit
    from tarsus.collision.obstacle import Obstacle
    from tarsus.collision.obstacle_file import read_obstacle_file
    from tarsus.collision.pruning import Pruning
    from tarsus.collision.scenes_for_motion import MotionScenes, motion_scenes
    from tarsus.collision.shape_obstacle import obstacle_of
    from tarsus.collision.shape_pairs import ShapePairs
    from tarsus.geometry.convex_volume import ConvexVolume
    from tarsus.geometry.swept_sphere import SweptSphere

_HOMES = {
    "CollisionModel": "collision_model",
    "ConvexVolume": "obstacle",
    "DistanceJacobian": "collision_model",
    "FilteredJacobian": "filtered_jacobian",
    "FittedVolumes": "fitting.fit",
    "LinkFit": "fitting.fit",
    "MotionScenes": "scenes_for_motion",
    "NearPair": "collision_model",
    "Obstacle": "obstacle",
    "Pruning": "pruning",
    "ShapePairs": "shape_pairs",
    "SweptSphere": "obstacle",
    "fit": "fitting.fit",
    "motion_scenes": "scenes_for_motion",
    "obstacle_of": "shape_obstacle",
    "read_obstacle_file": "obstacle_file",
}
"""Modules of the public names."""

__getattr__ = lazy_names(__name__, _HOMES)

__all__ = [
    "CollisionModel",
    "ConvexVolume",
    "DistanceJacobian",
    "FilteredJacobian",
    "FittedVolumes",
    "LinkFit",
    "MotionScenes",
    "NearPair",
    "Obstacle",
    "Pruning",
    "ShapePairs",
    "SweptSphere",
    "fit",
    "motion_scenes",
    "obstacle_of",
    "read_obstacle_file",
]


def __dir__() -> list[str]:
    return sorted(__all__)
