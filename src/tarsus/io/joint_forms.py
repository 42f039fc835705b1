"""How other libraries write the coordinates of one joint, compared with ours.

A form maps our coordinates q of a joint to the other ones and back, and says which parts of the velocity are the same
vector in other axes: peer[there] = R x[here] where it turns, x[here] where it does not, with R(q) the rotation of the
joint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray


class Part(NamedTuple):
    """A part of the velocity of a joint: where it stands with us, where there, and whether it is turned by R."""

    here: slice
    there: slice
    turns: bool


class JointForm(NamedTuple):
    """Another way to write the coordinates of a joint.

    Attributes
    ----------
    nq : int
        Entries in the other configuration.
    to_peer, from_peer : callable
        Configuration of the joint (..., n) in either direction.
    rotation : callable or None
        R(q), shape (..., 3, 3), from our coordinates; None where no part turns.
    angular : callable
        Angular velocity (..., 3) in axes of the child, from our velocity; used where a part turns.
    parts : tuple of Part
    """

    nq: int
    to_peer: Callable[[FloatArray], FloatArray]
    from_peer: Callable[[FloatArray], FloatArray]
    rotation: Callable[[FloatArray], FloatArray] | None
    angular: Callable[[FloatArray], FloatArray]
    parts: tuple[Part, ...]


def _identity(q: FloatArray) -> FloatArray:
    return q


def _reordered(*order: int) -> Callable[[FloatArray], FloatArray]:
    return lambda q: q[..., list(order)]


def quaternion_rotation(q: FloatArray) -> FloatArray:
    """Rotation matrix (..., 3, 3) of quaternions (..., 4), which need not be quite normalised."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _free_rotation(q: FloatArray) -> FloatArray:
    return quaternion_rotation(q[..., 3:7])


def _plane_rotation(q: FloatArray) -> FloatArray:
    half = 0.5 * q[..., 2:3]
    zero = np.zeros_like(half)
    return quaternion_rotation(np.concatenate([np.cos(half), zero, zero, np.sin(half)], axis=-1))


def _to_circle(q: FloatArray) -> FloatArray:
    """Replace the last entry, an angle, by its cosine and sine."""
    return np.concatenate([q[..., :-1], np.cos(q[..., -1:]), np.sin(q[..., -1:])], axis=-1)


def _from_circle(p: FloatArray) -> FloatArray:
    return np.concatenate([p[..., :-2], np.arctan2(p[..., -1:], p[..., -2:-1])], axis=-1)


def _to_roll_pitch_yaw(q: FloatArray) -> FloatArray:
    R = quaternion_rotation(q)
    roll = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    pitch = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 2, 1], R[..., 2, 2]))
    yaw = np.arctan2(R[..., 1, 0], R[..., 0, 0])
    return np.stack([roll, pitch, yaw], axis=-1)


def _from_roll_pitch_yaw(p: FloatArray) -> FloatArray:
    c, s = np.cos(0.5 * p), np.sin(0.5 * p)
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(c, -1, 0), np.moveaxis(s, -1, 0)
    parts = [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy]
    return np.stack([*parts, cr * cp * sy - sr * sp * cy], axis=-1)


def _last_three(v: FloatArray) -> FloatArray:
    return v[..., -3:]


def _about_z(v: FloatArray) -> FloatArray:
    return v * (0.0, 0.0, 1.0)


_FIRST, _SECOND = slice(0, 3), slice(3, 6)


def same(nq: int, nv: int) -> JointForm:
    """Return the form that we use, too."""
    everything = slice(0, nv)
    return JointForm(nq, _identity, _identity, None, _last_three, (Part(everything, everything, False),))


ANGLE_ON_CIRCLE = JointForm(2, _to_circle, _from_circle, None, _last_three, (Part(slice(0, 1), slice(0, 1), False),))
"""One angle as (cos, sin): unbounded hinges of Pinocchio."""

PLANE_ON_CIRCLE = JointForm(4, _to_circle, _from_circle, None, _last_three, (Part(_FIRST, _FIRST, False),))
"""Planar joint as (x, y, cos, sin): Pinocchio."""

SPHERICAL_SCALAR_LAST = JointForm(
    4, _reordered(1, 2, 3, 0), _reordered(3, 0, 1, 2), None, _last_three, (Part(_FIRST, _FIRST, False),)
)
"""Quaternion (x, y, z, w): Pinocchio."""

FREE_SCALAR_LAST = JointForm(
    7,
    _reordered(0, 1, 2, 4, 5, 6, 3),
    _reordered(0, 1, 2, 6, 3, 4, 5),
    None,
    _last_three,
    (Part(slice(0, 6), slice(0, 6), False),),
)
"""Position, then quaternion (x, y, z, w); velocity as ours: Pinocchio."""

FREE_WORLD_LINEAR = JointForm(
    7, _identity, _identity, _free_rotation, _last_three, (Part(_FIRST, _FIRST, True), Part(_SECOND, _SECOND, False))
)
"""Linear velocity in axes of the world, angular velocity in axes of the body: MuJoCo."""

FREE_WORLD_ANGULAR_FIRST = JointForm(
    7,
    _reordered(3, 4, 5, 6, 0, 1, 2),
    _reordered(4, 5, 6, 0, 1, 2, 3),
    _free_rotation,
    _last_three,
    (Part(_SECOND, _FIRST, True), Part(_FIRST, _SECOND, True)),
)
"""Quaternion (w, x, y, z), then position; angular, then linear velocity, both in axes of the world: Drake."""

SPHERICAL_ROLL_PITCH_YAW = JointForm(
    3, _to_roll_pitch_yaw, _from_roll_pitch_yaw, quaternion_rotation, _last_three, (Part(_FIRST, _FIRST, True),)
)
"""Roll, pitch and yaw; angular velocity in axes of the parent: the ball joint of Drake."""

PLANE_PARENT_AXES = JointForm(3, _identity, _identity, _plane_rotation, _about_z, (Part(_FIRST, _FIRST, True),))
"""(x, y, angle) with the velocity in axes of the parent: Drake."""
