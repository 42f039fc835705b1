"""References of HRP-2 by the names of its joints, alike on both sides."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model import Model

JOINTS = {
    "hip": "LEG_JOINT2",
    "knee": "LEG_JOINT3",
    "ankle": "LEG_JOINT4",
    "shoulder": "ARM_JOINT0",
    "elbow": "ARM_JOINT3",
    "wrist": "ARM_JOINT5",
}
"""Pitches of legs and arms, without their side."""


def posture(
    model: Model, pitch: float, place: tuple[float, float], *, chest: float = 0.0, spread: float = 0.0, **angles: float
) -> FloatArray:
    """A posture that is alike on both sides, the others of its joints as in the reference.

    Parameters
    ----------
    pitch : float
        Of the trunk, forwards [rad].
    place : tuple of float
        x and z of the base [m].
    chest, spread : float
        Pitch of the chest, and arms away from the body [rad].
    **angles : float
        hip, knee, ankle, shoulder, elbow, wrist [rad].

    Returns
    -------
    q : ndarray, shape (nq,)
    """
    q = np.array(model.reference)
    q[0], q[2] = place
    q[3:7] = [np.cos(pitch / 2), 0.0, np.sin(pitch / 2), 0.0]
    q[model.joints["CHEST_JOINT1"].q_index] = chest
    for side, sign in (("R", -1.0), ("L", 1.0)):
        q[model.joints[f"{side}ARM_JOINT1"].q_index] = sign * spread
        for name, angle in angles.items():
            q[model.joints[f"{side}{JOINTS[name]}"].q_index] = angle
    return q
