"""Poses of a robot by the coordinates of its joints: the reference pose, key frames, group states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ModelError, NonFiniteError, ShapeError, nearest
from tarsus.model.description import PoseValues
from tarsus.model.joint import Joint
from tarsus.model.lowering import to_native, to_user, user_shift
from tarsus.spatial.quaternion import rotation_matrix_from_quaternion

if TYPE_CHECKING:
    from tarsus.model.model import Model

BASE_PLACES = {"free": {"x": 0, "y": 1, "z": 2}, "planar": {"x": 0, "z": 1, "pitch": 2}}
"""Coordinates of a base by name."""
ROTATION = "base.rotation"


def base_pose(values: tuple[float, ...]) -> PoseValues:
    """Entries of a pose for a free base at a position and with a quaternion, seven numbers."""
    return {**{f"base.{axis}": value for axis, value in zip("xyz", values[:3], strict=True)}, ROTATION: values[3:]}


def configuration(model: Model, pose: PoseValues, start: FloatArray) -> FloatArray:
    """Configuration of a pose, shape (nq,), what it does not name as in `start`.

    Joints that depend on others, or are not part of the model any more, are left out.
    """
    q = _with_base(model, pose, start)
    for name, value in pose.items():
        if name.startswith("base.") or name not in model.joints:
            _check_known(model, name)
            continue
        joint = model.joints[name]
        if joint.nq == 0 or joint.q_index.stop == joint.q_index.start:
            continue
        q[joint.q_index] = joint_coordinates(joint, value)
    return q


def joint_coordinates(joint: Joint, value: float | Sequence[float]) -> FloatArray:
    """Coordinates that a pose gives a joint, shape (nq,), with a quaternion of unit norm.

    A ball that became a universal joint, because nothing determines its spin, takes its quaternion without the spin.

    Raises
    ------
    ModelError
        Where they are not as many as the joint has.
    """
    numbers = np.atleast_1d(np.array(value, dtype=float))
    if joint.kind == "universal" and numbers.shape == (4,):
        return _without_spin(joint, _unit(numbers))
    if numbers.shape != (joint.nq,):
        raise ModelError(
            f"a pose gives the {joint.kind} joint {joint.name!r} {numbers.size} "
            f"number{'s' if numbers.size != 1 else ''}; expected {joint.nq}"
            f"{' (a quaternion w, x, y, z)' if joint.kind == 'spherical' else ''}"
        )
    turn = joint.traits.quaternion
    if turn is not None:
        numbers[turn : turn + 4] = _unit(numbers[turn : turn + 4])
    return numbers


def _without_spin(joint: Joint, quaternion: FloatArray) -> FloatArray:
    """Angles of a universal joint that turn the line m = n x n2 to where a quaternion turns it.

    R(n, a) R(n2, b) m = sin b n + cos b (cos a m - sin a n2).
    """
    n, n2 = joint.axis, joint.axis2
    m = np.cross(n, n2)
    d = rotation_matrix_from_quaternion(quaternion) @ m
    return np.array([np.arctan2(-d @ n2, d @ m), np.arcsin(np.clip(d @ n, -1.0, 1.0))])


def _with_base(model: Model, pose: PoseValues, start: FloatArray) -> FloatArray:
    """`start` with the base where the pose has it."""
    q = np.array(to_native(model, start))
    places = BASE_PLACES.get(model.base, {})
    for part, place in places.items():
        if f"base.{part}" in pose:
            q[place] = pose[f"base.{part}"]
    if ROTATION in pose:
        w, x, y, z = _unit(np.asarray(pose[ROTATION], dtype=float)).tolist()
        if model.base == "free":
            q[3:7] = w, x, y, z
        elif model.base == "planar" and "base.pitch" not in pose:
            q[places["pitch"]] = 2.0 * np.arctan2(y, w)
    return np.array(to_user(model, q))


def _unit(quaternion: FloatArray) -> FloatArray:
    size = float(np.linalg.norm(quaternion)) if quaternion.shape == (4,) else 0.0
    return quaternion / size if size > 0.0 else np.array([1.0, 0.0, 0.0, 0.0])


def _check_known(model: Model, name: str) -> None:
    known = [joint.name for joint in model.description.joints]
    if not name.startswith("base.") and name not in known:
        raise ModelError(f"the reference pose names the unknown joint {name!r}{nearest(name, known)}")


def reference(model: Model) -> FloatArray:
    """Configuration of the reference pose, shape (nq,)."""
    pose = model.description.reference
    q = configuration(model, pose, model.neutral())
    c, shift = model.coordinates, user_shift(model.description)
    given = {model.joints[name].q_index.start for name in pose if name in model.joints}
    for closure in c.closures:
        if closure.kind == "polynomial":
            continue
        for k in closure.coordinates[closure.dependents :]:  # may have had to give way to close a loop, or to limits
            place = c.own_q[k] + shift
            if closure.kind != "linear" or place not in given:
                q[place] = c.reference[k]
    return q


def pose_of(model: Model, q: npt.ArrayLike) -> PoseValues:
    """The pose of a configuration q, shape (nq,): independent joints and the base by name."""
    numbers = np.asarray(q, dtype=float)
    if numbers.shape != (model.nq,):
        raise ShapeError(f"q has shape {numbers.shape}; expected ({model.nq},)")
    if not np.all(np.isfinite(numbers)):
        raise NonFiniteError("q has entries that are not finite")
    pose: PoseValues = {}
    if model.base == "free":
        pose.update(base_pose(tuple(to_native(model, numbers)[:7].tolist())))
    elif model.base == "planar":
        pose.update({f"base.{part}": float(numbers[place]) for part, place in BASE_PLACES["planar"].items()})
    described = {joint.name for joint in model.description.joints}
    for joint in model.joints.values():
        values = numbers[joint.q_index]
        if joint.name in described and values.size == joint.nq and joint.nq > 0:
            pose[joint.name] = float(values[0]) if joint.nq == 1 else tuple(values.tolist())
    return pose
