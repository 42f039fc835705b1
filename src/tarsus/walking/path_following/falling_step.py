"""A step whose hip falls and whose foot lands with a speed: a path that the impact maps onto its own start."""

from __future__ import annotations

import math

import numpy as np

from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.walking.path_following.joint_path import PolynomialPath
from tarsus.walking.path_following.planar_biped import PlanarBiped
from tarsus.walking.shah.two_link_leg import LegMotion, two_link_leg

_Point = tuple[float, float]

_ON_THE_GROUND = 1e-9
"""Distance of a sole from where lengths of the legs say that it is [m]: rounding."""


def falling_step(
    biped: PlanarBiped,
    *,
    step_length: float = 0.3,
    hip_height: float = 0.96,
    middle_height: float = 0.97,
    foot_height: float = 0.05,
    fall: float = 0.2,
    landing: float = 0.2,
    thigh: float = 0.5,
    shank: float = 0.5,
) -> PolynomialPath:
    """Path of a step with an upright trunk at both ends and in the middle, and a flat foot that lands from above.

    The path ends with the hip half-way between the feet, at the slope (step_length, -fall step_length), and the foot
    that swung at the slope (0, -landing). In the middle the hip is above the foot that stands. The impact is linear in
    velocities, so that at any speed the joints go on after it in one and the same direction: that of the path's start.
    The trunk, which the impact turns, leaves the upright by a few degrees in between. Who is on the path before an
    impact is so after it (Chevallereau et al. 2008; Westervelt et al. 2007).

    Both `fall` and `landing` make steps forget their speed: the first takes angular momentum about the new foot,
    m L z' < 0, the second takes energy.

    Parameters
    ----------
    biped : PlanarBiped
        With three joints in each leg, hip, knee and ankle, its soles at the height of the ankles.
    step_length : float
        [m].
    hip_height, middle_height : float
        Above the ankle that stands, at the ends and in the middle [m].
    foot_height : float
        Of the foot that swings, in the middle [m].
    fall : float
        Slope of the hip's way downward at the end, 0 or more.
    landing : float
        Slope dz/ds of the landing foot downward, 0 or more [m]; its speed is that times ds/dt.
    thigh, shank : float
        Lengths [m].

    Returns
    -------
    PolynomialPath
    """
    heights = dict(hip_height=hip_height, middle_height=middle_height)
    for name, value in dict(step_length=step_length, thigh=thigh, shank=shank, **heights).items():
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"{name} is {value!r}; expected a length above 0 [m]")
    for name, value in dict(foot_height=foot_height, fall=fall, landing=landing).items():
        if not (math.isfinite(value) and value >= 0.0):
            raise ArgumentError(f"{name} is {value!r}; expected a finite number, 0 or more")
    if biped.joints != 6:
        raise ArgumentError(f"{biped.model.name!r} has {biped.joints} joints; expected hip, knee and ankle in two legs")

    def legs(hip: _Point, foot: _Point, hip_slope: _Point = (0.0, 0.0), foot_slope: _Point = (0.0, 0.0)) -> LegMotion:
        """Both legs, the first one at rest on the origin, for places and slopes of hip and second foot."""
        ankles = np.array([(0.0, 0.0), foot]) - hip
        slopes = np.array([(0.0, 0.0), foot_slope]) - hip_slope
        return two_link_leg(ankles, slopes, np.zeros((2, 2)), thigh=thigh, shank=shank)

    falling = (step_length, -fall * step_length)
    last = legs((step_length / 2.0, hip_height), (step_length, 0.0), falling, (0.0, -landing))
    middle = legs((0.0, middle_height), (0.0, foot_height)).q.reshape(6)
    end, end_slope = last.q.reshape(6), last.v.reshape(6)
    q = biped.placed(end)
    X_WS = frame_pose(biped.model, q, biped.soles[1])
    if math.hypot(X_WS[0, 3] - step_length, X_WS[2, 3]) > _ON_THE_GROUND:
        raise ArgumentError(
            f"with thighs of {thigh:g} m and shanks of {shank:g} m the second sole of {biped.model.name!r} is at "
            f"x = {X_WS[0, 3]:.6g} m, z = {X_WS[2, 3]:.6g} m; expected {step_length:g} m, 0 m: soles at the ankles"
        )
    after = biped.impact(q, biped.velocity(q, end_slope)).v[biped.exchanged]
    return PolynomialPath(q[biped.exchanged][3:], after[3:], middle, end, end_slope)
