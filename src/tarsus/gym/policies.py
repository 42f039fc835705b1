"""Policies that were written by hand: where learning can begin, and what it has to beat."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.gym import hrp2_stand, quadruped_walk

_LINK = 0.2
"""Length of thigh and shank of the quadruped [m]."""


def balance(observations: npt.ArrayLike) -> FloatArray:
    """Actions (..., 12) for `HRP2StandVectorEnv`: ankles turn against deviation and velocity of the centre of mass.

    Its stiff joints make the robot one inverted pendulum on the springs of the ground; turning the ankles by 2 rad/m of
    deviation and 0.6 rad s/m of velocity moves the centre of pressure ahead of the centre of mass.
    """
    seen = np.asarray(observations, dtype=float)
    x, y = (np.clip(2.0 * seen[..., 9 + k] + 0.6 * seen[..., 11 + k], -0.3, 0.3) for k in range(2))
    actions = np.zeros((*seen.shape[:-1], 12))
    actions[..., [4, 10]] = x[..., None] / hrp2_stand.REACH
    actions[..., [5, 11]] = -y[..., None] / hrp2_stand.REACH
    return actions


def trot(
    observations: npt.ArrayLike,
    *,
    height: npt.ArrayLike = 0.28,
    lift: npt.ArrayLike = 0.08,
    stride: npt.ArrayLike = 1.2,
    bias: npt.ArrayLike = 0.13,
    feedback: npt.ArrayLike = 0.3,
    foothold: npt.ArrayLike = 0.05,
    turning: npt.ArrayLike = 0.3,
    sideways: npt.ArrayLike = 0.1,
) -> FloatArray:
    """Actions (..., 12) for `QuadrupedWalkVectorEnv`: diagonal legs swing in turn, as the clock says.

    Feet on the ground move backwards with the speed that is wanted, those in the air forwards to where they will be
    needed; joints follow from the two links of a leg.

    Parameters
    ----------
    observations : array_like, shape (..., 37)
    height : float, or one of each robot, shape (...)
        Of the hips above the feet that stand [m].
    lift : float or array_like
        Of the feet that swing [m].
    stride, bias, feedback : float or array_like
        Speed of the feet: stride times the speed to keep, bias [m/s], and feedback times what is missing of it.
    foothold : float or array_like
        How much further ahead a foot is put down for a velocity that is too high [s] (Raibert 1986).
    turning : float or array_like
        Difference of the speed of left and right feet for an error of heading [m/s/rad].
    sideways : float or array_like
        Abduction of swinging legs for a velocity to the side [rad s/m].
    """
    seen = np.asarray(observations, dtype=float)
    height, lift, stride, bias, feedback, foothold, turning, sideways = (
        np.asarray(x, dtype=float) for x in (height, lift, stride, bias, feedback, foothold, turning, sideways)
    )
    vx, vy, yaw_rate, yaw, speed = (seen[..., k] for k in (3, 4, 8, 9, 10))
    clock = np.arctan2(seen[..., 11], seen[..., 12]) / (2.0 * np.pi)
    actions = np.zeros((*seen.shape[:-1], 12))
    for leg in range(4):
        left = 1.0 if leg in (0, 2) else -1.0
        turn = turning * (yaw + 0.3 * yaw_rate)
        half = (stride * speed + bias + feedback * (speed - vx) + left * turn) * quadruped_walk.PERIOD / 4.0
        ahead = half + foothold * (vx - speed)
        part = np.mod(clock + (0.0 if leg in (0, 3) else 0.5), 1.0)
        swings, u = part < 0.5, np.mod(2.0 * part, 1.0)
        x = np.where(swings, -half + (ahead + half) * (0.5 - 0.5 * np.cos(np.pi * u)), ahead - (ahead + half) * u)
        z = -height + np.where(swings, lift * np.sin(np.pi * u), 0.0)
        # A leg of two equal links: half the knee angle from its length, the mean of both angles from its direction.
        knee = -2.0 * np.arccos(np.minimum(np.hypot(x, z) / (2.0 * _LINK), 0.98))
        thigh = np.arctan2(-x, -z) - 0.5 * knee
        actions[..., 3 * leg] = np.where(swings, sideways * vy, 0.0)
        actions[..., 3 * leg + 1], actions[..., 3 * leg + 2] = thigh - 0.8, knee + 1.6
    return actions / quadruped_walk.REACH
