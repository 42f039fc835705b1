"""Volumes of a robot, pairs of them that may collide, distances with their Jacobians, fitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.lazy_names import lazy_names

if TYPE_CHECKING:
    from tarsus.collision.collision_model import CollisionModel, DistanceJacobian, NearPair
    from tarsus.collision.filtered_jacobian import FilteredJacobian
    from tarsus.collision.fitting.fit import FittedVolumes, LinkFit, fit
    from tarsus.collision.obstacle import Obstacle
    from tarsus.collision.pruning import Pruning
    from tarsus.geometry.convex_volume import ConvexVolume
    from tarsus.geometry.swept_sphere import SweptSphere

_HOMES = {
    "CollisionModel": "collision_model",
    "ConvexVolume": "obstacle",
    "DistanceJacobian": "collision_model",
    "FilteredJacobian": "filtered_jacobian",
    "FittedVolumes": "fitting.fit",
    "LinkFit": "fitting.fit",
    "NearPair": "collision_model",
    "Obstacle": "obstacle",
    "Pruning": "pruning",
    "SweptSphere": "obstacle",
    "fit": "fitting.fit",
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
    "NearPair",
    "Obstacle",
    "Pruning",
    "SweptSphere",
    "fit",
]


def __dir__() -> list[str]:
    return sorted(__all__)
