"""How high the base is carried where feet are far from below their hips."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.standing_pose import BENT
from tarsus.walking.stabilizer.base_poses import turn_between

STRETCHED = 0.985
"""Part of its length up to which a leg is stretched; beyond it the base is lowered."""
LOWEST = 0.15
"""How much the base is lowered at most, in lengths of the leg."""
LOWERING = 0.06
"""Time in which the base is lowered [s]."""
PUSHING = 0.3
"""Acceleration of the base at most, in g: legs that stretch again do not throw the robot up."""


class BaseHeight:
    """Lowers the base so that feet are reached with legs that are not quite straight.

    A foot that is d away from below its hip is reached from a height of sqrt((0.985 l)^2 - d^2), l being the length of
    the leg. A leg that would have to be longer lifts its foot, and the other one gets all load at once. The
    acceleration of the height is bounded: legs that jump throw robots up, and feet without load slip.

    Attributes
    ----------
    rate : float
        At which the base is lowered by now [m/s].
    """

    def __init__(self, biped: Biped, dt: float) -> None:
        self._leg, self._dt, self._most = biped.leg, dt, PUSHING * biped.gravity
        self._low, self.rate = 0.0, 0.0
        soles = [frame_pose(biped.model, biped.q, leg.sole)[:2, 3] for leg in biped.legs]
        self._stood = np.array(biped.q[3:7])
        self._below = [(float(p[0] - biped.q[0]), float(p[1] - biped.q[1])) for p in soles]

    def lowered(self, base: FloatArray, turned: FloatArray, feet: Sequence[FloatArray]) -> float:
        """By how much the base shall be lower than planned by now [m].

        Parameters
        ----------
        base : ndarray, shape (2,)
            Where it is, seen from above [m].
        turned : ndarray, shape (4,)
            Its quaternion as planned.
        feet : sequence of two ndarrays, shape (2,)
            Where the left and the right foot are [m].
        """
        angle, need, (at_x, at_y) = turn_between(self._stood, turned), 0.0, base.tolist()
        c, s = math.cos(angle), math.sin(angle)
        for (x, y), foot in zip(self._below, feet, strict=True):
            to_x, to_y = foot.tolist()
            away = math.hypot(to_x - at_x - c * x + s * y, to_y - at_y - s * x - c * y) / self._leg
            need = max(need, 1.0 - BENT - math.sqrt(max(0.0, STRETCHED**2 - away**2)))
        self._go_on(min(need, LOWEST) * self._leg)
        return self._low

    def take(self, low: float, rate: float) -> None:
        """Go on from a base that is this much lower than planned [m], and sinks at a rate [m/s]."""
        self._low, self.rate = low, rate

    def _go_on(self, wanted: float) -> None:
        """By a cycle, as fast as the largest acceleration allows, braked in time, and slowly where it is near."""
        way = wanted - self._low
        rate = math.copysign(min(abs(way) / LOWERING, math.sqrt(2.0 * self._most * abs(way))), way)
        change = self._most * self._dt
        self.rate += min(max(rate - self.rate, -change), change)
        self._low += self.rate * self._dt
