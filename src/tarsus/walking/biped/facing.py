"""Which of two feet is the left one: the robot looks to the side that its bent knees point to, or that is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.simulation.argument_kinds import finite_vector
from tarsus.spatial import rotation_matrix_from_quaternion
from tarsus.walking.biped.leg import carriers

UNDECIDED = 0.01
"""Share of the leg that knees must be off the line from hip to ankle to point somewhere."""
BETWEEN = (0.2, 0.8)
"""Part of the way from hip to ankle in which knees are."""
OFF = np.pi / 4
"""Angle from what the feet tell up to which a direction that is given tells one of two sides [rad]."""
TOLD = np.radians(1.0)
"""The same from which on the difference is told [rad]."""
FLAT = 1e-6
"""Horizontal part of a direction up to which it points up or down."""


def knees_forward(model: Model, q: FloatArray, pelvis: str, feet: Sequence[str], forward: FloatArray) -> float:
    """How far bent knees are in front of the lines from hips to ankles, mean of the legs, in lengths of them.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        With bent legs.
    forward : ndarray, shape (3,)
        Horizontal unit vector that is called forward.
    """
    found = []
    for foot in feet:
        way = carriers(model, foot)
        p = np.array([frame_pose(model, q, body)[:3, 3] for body in way[: way.index(pelvis)]])[::-1]
        plane = np.stack([p @ forward, p[:, 2]], axis=-1)  # seen from the side
        hip, ankle = plane[0], plane[-1]
        along = ankle - hip
        length = float(np.linalg.norm(along))
        share = (plane - hip) @ along / length**2
        off = (plane - hip - share[:, None] * along)[:, 0] / length
        inside = (share > BETWEEN[0]) & (share < BETWEEN[1])
        found.append(float(off[inside][np.abs(off[inside]).argmax()]) if inside.any() else 0.0)
    return float(np.mean(found))


def given_side(model: Model, forward: Sequence[float], ahead: FloatArray) -> float:
    """Above 0 where a direction that is given is to the side of `ahead`, below 0 where it is opposite to it.

    Feet stand side by side: a robot looks square to the line between them, to one side or to the other, and a direction
    tells which. Bent knees may point to the other one.

    Parameters
    ----------
    forward : sequence of two float
        In axes of the base.
    ahead : ndarray, shape (3,)
        Horizontal unit vector square to the line between the feet, in the world.

    Raises
    ------
    ArgumentError
        Where the direction is none, or more than 45 degrees from both sides.
    """
    there = _in_world(model, forward)
    length = float(np.linalg.norm(there))
    if length < FLAT:
        raise ArgumentError(
            f"forward is {forward!r}, which is vertical where {model.name!r} stands; expected where it looks"
        )
    side = float(there @ ahead[:2]) / length
    if abs(side) < np.cos(OFF):
        along = from_base(model, float(np.arctan2(ahead[1], ahead[0])))
        raise ArgumentError(
            f"forward is {forward!r}, {_degrees(_given(forward))} degrees from the x axis of the base of "
            f"{model.name!r}; by the line between its feet it looks to {_degrees(along)} or "
            f"{_degrees(wrapped(along + np.pi))} degrees: expected a direction within 45 degrees of one of them"
        )
    return side


def otherwise(model: Model, forward: Sequence[float], yaw: float) -> str:
    """That a robot looks along `yaw`, in the world [rad], and not quite along what was given; empty where it does."""
    there = _in_world(model, forward)
    if abs(wrapped(float(np.arctan2(there[1], there[0])) - yaw)) < TOLD:
        return ""
    return (
        f"forward is {_degrees(from_base(model, yaw))} degrees, square to the line between its feet, not "
        f"{_degrees(_given(forward))} as given"
    )


def from_base(model: Model, yaw: float) -> float:
    """Angle from the x axis of the base, as it stands, to a direction of the world [rad]."""
    x = rotation_matrix_from_quaternion(model.reference[3:7])[:2, 0]
    base = float(np.arctan2(x[1], x[0])) if np.linalg.norm(x) > FLAT else 0.0
    return wrapped(yaw - base) if base else yaw


def wrapped(angle: float) -> float:
    """The same angle between -pi and pi [rad]."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def _in_world(model: Model, forward: Sequence[float]) -> FloatArray:
    """The horizontal part of a direction that is given in axes of the base, shape (2,)."""
    given = finite_vector("forward", forward, 2, "two finite numbers, not both 0")
    if not given.any():
        raise ArgumentError(f"forward is {forward!r}; expected two finite numbers, not both 0")
    return np.asarray(rotation_matrix_from_quaternion(model.reference[3:7])[:2, :2] @ (given / np.abs(given).max()))


def _given(forward: Sequence[float]) -> float:
    return float(np.arctan2(forward[1], forward[0]))


def _degrees(angle: float) -> str:
    return f"{round(np.degrees(angle)):+d}"
