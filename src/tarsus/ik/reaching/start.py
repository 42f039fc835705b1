"""Where a motion starts when nobody says so."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.scenes_for_motion import motion_scenes
from tarsus.errors import KinematicsWarning
from tarsus.model import Model
from tarsus.model.joint import Joint


def reference_within_limits(model: Model) -> FloatArray:
    """The reference pose, with joints that it has beyond their limits at the nearest limit, which is warned of.

    Files seldom say where a robot starts, and zero may be beyond limits, as for the elbow of Panda. Where the robot
    touches itself that way, as Kinova does with all joints folded, they are put in the middle of their limits.

    Returns
    -------
    q : ndarray, shape (nq,)
    """
    q = np.array(model.reference)
    near = np.clip(q, model.q_min, model.q_max)
    plain = [joint for joint in model.joints.values() if joint.traits.flat and joint.q_index.stop > joint.q_index.start]
    moved = [joint for joint in plain if (near[joint.q_index] != q[joint.q_index]).any()]
    if not moved:
        return q
    found = _put(q, moved, near)
    if _touches_itself(model, found):
        middle = _put(q, moved, _middle(model, near))
        found = found if _touches_itself(model, middle) else middle
    told = [f"{j.name!r} at {_told(found[j.q_index])} in place of {_told(q[j.q_index])}" for j in moved]
    warnings.warn(
        f"the reference of {model.name!r} is beyond limits; the motion starts with {', '.join(told)}",
        KinematicsWarning,
        stacklevel=2,
    )
    return found


def _put(q: FloatArray, joints: Sequence[Joint], values: FloatArray) -> FloatArray:
    """A configuration with some joints where they are in another one."""
    result = q.copy()
    for joint in joints:
        result[joint.q_index] = values[joint.q_index]
    return result


def _middle(model: Model, otherwise: FloatArray) -> FloatArray:
    """The middle of all limits, shape (nq,)."""
    bounded = np.isfinite(model.q_min) & np.isfinite(model.q_max)
    return np.where(bounded, (np.where(bounded, model.q_min, 0.0) + np.where(bounded, model.q_max, 0.0)) / 2, otherwise)


def _touches_itself(model: Model, q: FloatArray) -> bool:
    """Whether a pair that a motion from q would look at overlaps there; never where the model has no volumes."""
    if not model.volumes:
        return False
    return any(scene.clearance(q) <= 0 for scene in motion_scenes(model, q).scenes)


def _told(values: FloatArray) -> str:
    return ", ".join(f"{value:.6g}" for value in values)
