"""A leg: the joints from the pelvis to a foot, and the sole under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS

FREEDOMS = 6
"""Of a leg that can put its foot in any place and orientation."""


@dataclass(frozen=True, eq=False)
class Leg:
    """Joints from the pelvis to a foot.

    Attributes
    ----------
    left : bool
    foot : str
        Body.
    sole : str
        Frame in the middle of the sole, x forward, z up.
    half : ndarray, shape (2,)
        Half of the length and of the width of the sole [m].
    joints : tuple of str
        Those that move by themselves, from the hip to the ankle.
    q, v : ndarray of int, shape (k,)
        Their places in q and v.
    """

    left: bool
    foot: str
    sole: str
    half: FloatArray
    joints: tuple[str, ...]
    q: IndexArray
    v: IndexArray

    @property
    def side(self) -> str:
        """Left or right."""
        return "left" if self.left else "right"

    @property
    def ankle(self) -> IndexArray:
        """Places in v of the last two joints, which turn the foot on the ground, shape (2,)."""
        return self.v[-2:]

    @property
    def corners(self) -> FloatArray:
        """Of the sole, in its frame, around it, shape (4, 3) [m]."""
        a, b = self.half
        return np.array([(a, b, 0.0), (a, -b, 0.0), (-a, -b, 0.0), (-a, b, 0.0)])


def carriers(model: Model, body: str) -> list[str]:
    """A body and those between it and the world, from it on."""
    way = [body]
    while (parent := model.bodies[way[-1]].parent) is not None:
        way.append(parent)
    return way


def common_carrier(model: Model, feet: Sequence[str]) -> str:
    """The pelvis: the most distal body that carries both feet."""
    first, second = (carriers(model, foot) for foot in feet)
    return next(body for body in first if body in second)


def leg_joints(model: Model, pelvis: str, foot: str) -> tuple[str, ...]:
    """Joints that move by themselves between pelvis and foot, from the hip on.

    Raises
    ------
    ArgumentError
        Where a joint has more than one axis or no drive, or there are fewer than six.
    """
    way = carriers(model, foot)
    names = [model.bodies[body].joint for body in way[: way.index(pelvis)]][::-1]
    moving = [name for name in names if model.joints[name].v_index.stop > model.joints[name].v_index.start]
    for name in moving:
        if model.joints[name].kind not in ONE_AXIS:
            raise ArgumentError(
                f"{model.name!r}: joint {name!r} of a leg is {model.joints[name].kind}; a walk with "
                "position-controlled joints needs joints of one axis"
            )
        if not model.joints[name].actuated:
            raise ArgumentError(f"{model.name!r}: joint {name!r} of a leg has no drive; expected legs that are driven")
    if len(moving) < FREEDOMS:
        raise ArgumentError(
            f"{model.name!r}: the leg to {foot!r} has {len(moving)} joints ({', '.join(moving)}); to put a foot in any "
            f"place and orientation takes {FREEDOMS}"
        )
    return tuple(moving)


def places(model: Model, joints: Sequence[str]) -> tuple[IndexArray, IndexArray]:
    """Places of joints of one axis in q and in v."""
    q = np.array([model.joints[name].q_index.start for name in joints], dtype=np.intp)
    return q, np.array([model.joints[name].v_index.start for name in joints], dtype=np.intp)
