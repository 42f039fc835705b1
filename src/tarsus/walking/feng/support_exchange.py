"""Exchange of the supporting leg: the same state, told from the toe of the other leg."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model
from tarsus.robots.feng18 import Side
from tarsus.walking.feng.contacting_foot import FootPoints, foot_points

LEG_JOINTS = 8
"""Joints 1 to 8 go up the supporting leg and down the other one."""
_ARM = 3
RIGHT_ARM, LEFT_ARM = slice(11, 11 + _ARM), slice(14, 14 + _ARM)
"""Coordinates of the arms."""
_MIRRORED = (9, 10)
"""Joints 10 and 11, yaw and roll of the trunk, turn the other way in a mirror; all others are about y."""
_JOINTS = 18

FLAT_HEIGHT = 1e-7
"""A foot is flat on the ground where no point of it is higher [m]: closed points are within 1e-9 m."""
REST_SPEED = 1e-7
"""It rests where no point of it is faster [m/s]: points that stick are slower than 1e-11 m/s."""


def other(side: Side) -> Side:
    """The other leg."""
    return "left" if side == "right" else "right"


def exchanged(x: npt.ArrayLike) -> FloatArray:
    """q, v or tau of one support model in the coordinates of the other one, shape (..., 18).

    The chain of the legs is gone through from its other end: joint i is joint 9 - i, and turns against it. Trunk, arms
    and head stay what they are. The toes of both feet are flat on the ground where link 0 changes; then energy and
    momentum are those of before, and doing it twice changes nothing.
    """
    x = _checked(x)
    return np.concatenate([-x[..., LEG_JOINTS - 1 :: -1], x[..., LEG_JOINTS:]], axis=-1)


def mirrored(x: npt.ArrayLike) -> FloatArray:
    """q, v or tau of the mirror image of a robot, in the coordinates of the other support model, shape (..., 18).

    Legs keep their roles, arms change sides, yaw and roll change their signs.
    """
    x = _checked(x)
    y = x.copy()
    y[..., RIGHT_ARM], y[..., LEFT_ARM] = x[..., LEFT_ARM], x[..., RIGHT_ARM]
    y[..., _MIRRORED] *= -1.0
    return y


def bears(model: Model, q: FloatArray, v: FloatArray) -> FootPoints | None:
    """Points of the contacting foot where it can become the supporting one, else None; one state, shapes (18,).

    The paper does not state when supports are exchanged. Here they are as soon as the contacting foot rests flat on the
    ground with its heel, toe joint and toes, ahead of the supporting one: then, and only then, both feet fulfil what
    the model asks of link 0.
    """
    if abs(float(q[:LEG_JOINTS].sum())) > 1e-4:  # pitch of the toes: most states are told apart by it
        return None
    points = foot_points(model, q, v)
    ahead = points.position[1, 0] > 0.0
    return points if ahead and points.highest < FLAT_HEIGHT and points.speed < REST_SPEED else None


def _checked(x: npt.ArrayLike) -> FloatArray:
    try:
        array = np.array(x, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"x is {x!r}; expected numbers") from None
    if array.shape[-1:] != (_JOINTS,):
        raise ShapeError(f"x has shape {array.shape}; expected (..., {_JOINTS}), the joints of feng18")
    return array
