"""Where a motion starts when nobody says so."""

from __future__ import annotations

import warnings

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import KinematicsWarning
from tarsus.model import Model


def reference_within_limits(model: Model) -> FloatArray:
    """The reference pose, with joints that it has beyond their limits at the nearest limit, which is warned of.

    Files seldom say where a robot starts, and zero may be beyond limits, as for the elbow of Panda.

    Returns
    -------
    q : ndarray, shape (nq,)
    """
    q = np.array(model.reference)
    moved = []
    for joint in model.joints.values():
        own = joint.q_index
        if not joint.traits.flat or own.start == own.stop:
            continue
        inside = np.clip(q[own], model.q_min[own], model.q_max[own])
        if (inside != q[own]).any():
            moved.append(f"{joint.name!r} at {_told(inside)} in place of {_told(q[own])}")
            q[own] = inside
    if moved:
        warnings.warn(
            f"the reference of {model.name!r} is beyond limits; the motion starts with {', '.join(moved)}",
            KinematicsWarning,
            stacklevel=2,
        )
    return q


def _told(values: FloatArray) -> str:
    return ", ".join(f"{value:.6g}" for value in values)
