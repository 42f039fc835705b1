"""Where HRP-2 may touch its surroundings, and what of it must not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.obstacle import Obstacle
from tarsus.control.whole_body.contact import Contact
from tarsus.geometry.convex_volume import ConvexVolume
from tarsus.model import Model
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector

FRICTION = 0.7
SOLE = (0.095, 0.05)
"""Half length and half width of the part of a sole that is used [m]; it is larger by 1.5 cm or 2 cm."""
TOES = 0.115
"""Where the front edge of a sole is, in front of its centre [m]: about it a foot rolls."""
PALM = (0.03, 0.04)
"""Half length and half width of the rectangle on which a closed hand stands [m]; an estimate."""
TOUCHING = ("LEG_LINK5", "ARM_LINK5", "ARM_LINK6", "LEG_LINK3")
"""Links of both sides that may touch obstacles: feet, hands with their fingers, shins."""
NEIGHBOURS = 0.01
"""Pairs of links that are nearer than this in the reference pose are built so, and are left out [m]."""


def sole(side: str, pose: npt.ArrayLike, room: float = 0.0) -> Contact:
    """A sole as a patch: `side` "l" or "r", X_WF of its frame; `room` [m] is left at its edges."""
    return Contact(f"{side}_sole", _rectangle(SOLE[0] - room, SOLE[1] - room), friction=FRICTION, pose=pose)


def toes(side: str, place: npt.ArrayLike, pitch: float = 0.0) -> Contact:
    """The front edge of a sole at a place in the world, about which the sole is turned by some pitch [rad]."""
    edge = [[TOES, y, 0.0] for y in (-SOLE[1], SOLE[1])]
    X = np.eye(4)
    X[:3, :3] = rotation_matrix_from_rotation_vector([0.0, pitch, 0.0])
    X[:3, 3] = np.asarray(place) - TOES * X[:3, 0]
    return Contact(f"{side}_sole", edge, normal=X[2, :3], friction=FRICTION, pose=X)


def palm(side: str, pose: npt.ArrayLike, room: float = 0.0) -> Contact:
    """A closed hand as a patch that stands on its fingers; `room` [m] is left at its edges."""
    return Contact(f"{side}_palm", _rectangle(PALM[0] - room, PALM[1] - room), friction=FRICTION, pose=pose)


def knee(side: str, pose: npt.ArrayLike) -> Contact:
    """A knee as a point."""
    return Contact(f"{side}_knee", friction=FRICTION, pose=pose)


def floor(size: float = 3.0) -> Obstacle:
    """The ground as an obstacle, below z = 0 and `size` [m] to each side of the origin."""
    corners = [[x, y, z] for x in (-size, size) for y in (-size, size) for z in (-0.2, 0.0)]
    return Obstacle("floor", ConvexVolume(np.array(corners)))


def scene(model: Model, obstacles: Sequence[Obstacle] = ()) -> CollisionModel:
    """Pairs that keep apart: links with each other, and with obstacles those that shall not touch."""
    own = CollisionModel(model)
    built = [p for p, d in zip(own.pairs, own.distances(model.reference), strict=True) if d < NEIGHBOURS]
    allowed = [(f"{side}{link}", o.name) for o in obstacles for link in TOUCHING for side in "LR"]
    return CollisionModel(model, obstacles=tuple(obstacles), exclude=[*built, *allowed])


def _rectangle(x: float, y: float) -> list[list[float]]:
    return [[sx * x, sy * y, 0.0] for sx in (-1, 1) for sy in (-1, 1)]
