"""Gains of position-controlled joints, from inertia, weight and torque limits alone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray

BANDWIDTH = 2 * math.pi * 15.0
"""Of the position loops [rad/s]."""
STIFF_LEGS = 10.0
"""Least stiffness of the joints of legs, in m g h: the inverted pendulum above them has a stiffness of -m g h."""
SATURATING = 0.03
"""Error of an angle at which the torque may be used up [rad]: stiffer joints chatter at their limits."""


class JointGains(NamedTuple):
    """Stiffness and damping of joints, shape (nv,) each [N m/rad, N m s/rad]; zero for the base."""

    kp: FloatArray
    kd: FloatArray


def joint_gains(distal: FloatArray, tau_max: FloatArray, legs: IndexArray, pendulum: float) -> JointGains:
    """Gains by rule: kp = w^2 I for all joints, at least 10 m g h for legs, and no more than torque limits can use.

    Parameters
    ----------
    distal : ndarray, shape (nv,)
        Inertia of what joints carry.
    tau_max : ndarray, shape (nv,)
        Infinite where there is no limit.
    legs : ndarray of int
        Places of the joints of legs in v.
    pendulum : float
        m g h of the robot [N m].
    """
    kp = BANDWIDTH**2 * distal
    kp[legs] = np.maximum(kp[legs], STIFF_LEGS * pendulum)
    with np.errstate(divide="ignore", invalid="ignore"):
        usable = np.where((tau_max > 0) & (kp > 0), tau_max / (SATURATING * kp), 1.0)
    kp = kp * np.minimum(1.0, usable)
    kp[:6] = 0.0
    return JointGains(kp, 2.0 * kp / BANDWIDTH)
