"""Knees that stay bent: a model for inverse kinematics whose legs are never quite stretched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.model import Model
from tarsus.model.assembly import assemble
from tarsus.walking.biped.leg import Leg

LEAST = 0.12
"""Angle by which knees stay bent [rad]; legs are 0.2 % shorter so."""
ANGLES = 721
"""Of a joint that are looked at."""


def with_bent_knees(model: Model, legs: Sequence[Leg], q: FloatArray, least: float = LEAST) -> Model:
    """The model with narrower limits of the joints that stretch its legs.

    Where a leg is as long as it can be, its Jacobian is singular. A knee that may go some degrees beyond that can bend
    to the other side there, and velocity-level inverse kinematics does not find the way back.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        With knees bent to the right side.
    least : float
        How far from stretched knees stay [rad].
    """
    bounds = dict(stretched_at(model, leg, q) for leg in legs)
    joints = []
    for joint in model.description.joints:
        if joint.name in bounds:
            angle, i = bounds[joint.name], model.joints[joint.name].q_index.start
            bent = q[i] > angle
            joint = replace(joint, q_min=angle + least) if bent else replace(joint, q_max=angle - least)
        joints.append(joint)
    return assemble(replace(model.description, joints=tuple(joints)), couplings=model.coupling_mode)


def stretched_at(model: Model, leg: Leg, q: FloatArray) -> tuple[str, float]:
    """The joint that changes the length of a leg most, and its angle where the leg is longest [rad]."""
    hip = model.joints[leg.joints[2]].child
    low, high = np.maximum(model.q_min, q - np.pi), np.minimum(model.q_max, q + np.pi)  # limits, where there are some
    lengths = []
    for i in leg.q:
        many = np.tile(q, (ANGLES, 1))
        many[:, i] = np.linspace(low[i], high[i], ANGLES)
        ends = [frame_pose(model, many, body)[:, :3, 3] for body in (hip, leg.foot)]
        lengths.append(np.linalg.norm(ends[1] - ends[0], axis=-1))
    knee = int(np.argmax([np.ptp(length) for length in lengths]))
    i = leg.q[knee]
    return leg.joints[knee], float(np.linspace(low[i], high[i], ANGLES)[lengths[knee].argmax()])
