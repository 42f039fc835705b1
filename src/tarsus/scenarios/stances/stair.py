"""HRP-2 climbs a stair of 15 cm with a hand on a rail."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.obstacle import Obstacle
from tarsus.control.stances.sequence import StanceSequence, stance_sequence
from tarsus.control.stances.stance import Change, Move, Place, Release, Stance, first_stance
from tarsus.control.whole_body.contact import Contact
from tarsus.dynamics.kinematics import frame_pose
from tarsus.geometry.convex_volume import ConvexVolume
from tarsus.model import Model
from tarsus.scenarios.stances.hrp2_contacts import FRICTION, floor, scene, sole
from tarsus.spatial.pose import pose

HEIGHT, EDGE = 0.15, 0.18
"""Of the stair, and where it begins in front of the middle of the feet [m]."""
TREAD = 0.17
"""From the edge of the stair to the middle of a foot on it [m]."""
RAIL = (-0.42, 0.70, 0.04)
"""Place to the right of the robot, height of its middle, and width of its square section [m]."""
STAIR_SIZE, STAIR_POSE = (0.6, 0.85, HEIGHT), pose((EDGE + 0.3, 0.075, 0.5 * HEIGHT))
RAIL_SIZE, RAIL_POSE = (EDGE + 1.1, RAIL[2], RAIL[2]), pose((0.5 * EDGE + 0.05, RAIL[0], RAIL[1]))
"""Edge lengths [m] and places of middles of the boxes that stair and rail are."""
HAND = 0.40
"""Where the hand holds the rail, in front of the middle of the feet [m]."""
ARM = tuple(f"RARM_JOINT{k}" for k in (0, 1, 3, 5))
HOLDING, RAISED = (0.0, -0.2, -1.0, 0.8), (0.0, -0.2, -1.7, 0.8)
"""Shoulder, elbow and wrist of the right arm, and their angles while it holds the rail and above it [rad]."""
ROOM, MARGIN, LOAD = 0.01, 0.005, 0.5
"""At the edges of soles [m]; between links [m]; part of torque limits."""


def stair(model: Model) -> StanceSequence:
    """Stances from standing before a stair to standing on it.

    The right hand takes the rail, the left foot steps up, then the right one, and the hand lets go.

    Parameters
    ----------
    model : Model
        `ts.robots.hrp2()`, perhaps with other masses.
    """
    return stance_sequence(model, standing(model), changes(model), collision=around(model), margin=MARGIN, load=LOAD)


def around(model: Model) -> CollisionModel:
    """Distances to floor, stair and rail, and of the robot to itself."""
    return scene(model, [floor(), _box("stair", STAIR_SIZE, STAIR_POSE), _box("rail", RAIL_SIZE, RAIL_POSE)])


def _box(name: str, size: tuple[float, float, float], place: FloatArray) -> Obstacle:
    corners = [
        [sx * size[0], sy * size[1], sz * size[2]] for sx in (-0.5, 0.5) for sy in (-0.5, 0.5) for sz in (-0.5, 0.5)
    ]
    return Obstacle(name, ConvexVolume(place[:3, 3] + np.array(corners)))


def standing(model: Model) -> Stance:
    """Both soles on the floor, half-sitting."""
    feet = [sole(side, frame_pose(model, model.reference, f"{side}_sole"), ROOM) for side in "lr"]
    return first_stance(model, model.reference, feet, "standing")


def on_rail(x: float) -> Contact:
    """The closed right hand on the rail: a point under its fingers that the rail carries and holds by friction."""
    top = pose((x, RAIL[0], RAIL[1] + 0.5 * RAIL[2]))
    return Contact("r_palm", friction=FRICTION, pose=top)


def changes(model: Model) -> list[Change]:
    """Contacts one after the other."""
    up = {side: on_stair(model, side) for side in "lr"}
    below, between = holding(model, 0.0, 0.0), holding(model, 0.1, 0.0)
    rising, above = holding(model, EDGE + TREAD - 0.05, 0.05), holding(model, EDGE + TREAD, HEIGHT)
    upright = model.reference.copy()
    upright[[0, 2]] += [EDGE + TREAD, HEIGHT]
    return [
        Place(on_rail(HAND), below, "hand on the rail"),
        Release("l_sole", below, "left foot off"),
        Place(up["l"], between, "left foot on the stair"),
        Release("r_sole", rising, "right foot off"),
        Place(up["r"], above, "right foot on the stair"),
        Release("r_palm", above, "hand off"),
        Move(_with_arm(above, model, RAISED), "hand above the rail"),
        Move(upright, "standing on the stair"),
    ]


def holding(model: Model, x: float, z: float) -> FloatArray:
    """Half-sitting, the base moved by x and z [m], the right arm forward and its hand down."""
    q = model.reference.copy()
    q[[0, 2]] += [x, z]
    return _with_arm(q, model, HOLDING)


def _with_arm(q: FloatArray, model: Model, angles: tuple[float, ...]) -> FloatArray:
    found = q.copy()
    for joint, angle in zip(ARM, angles, strict=True):
        found[model.joints[joint].q_index] = angle
    return found


def on_stair(model: Model, side: str) -> Contact:
    """A sole on the stair."""
    X = np.array(frame_pose(model, model.reference, f"{side}_sole"))
    X[0, 3], X[2, 3] = EDGE + TREAD, HEIGHT
    return sole(side, X, ROOM)
