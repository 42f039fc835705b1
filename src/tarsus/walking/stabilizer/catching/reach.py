"""Where and how fast feet can step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray

PEAK = 1.875
"""Largest speed over the mean one, of a least-jerk motion."""


class Reach(NamedTuple):
    """Where a foot can land, seen from the one that stands.

    Attributes
    ----------
    along : float
        To the front and to the back [m].
    narrow, wide : float
        Least and largest distance to the side [m].
    speed : float
        Of the foot that swings, at most [m/s].
    level : float
        To the front and to the back as far as legs reach without the base being lowered [m].
    """

    along: float
    narrow: float
    wide: float
    speed: float
    level: float

    def box(self, landing: FloatArray, swinging: int) -> tuple[FloatArray, FloatArray]:
        """Least and largest shift of a landing, axes of the foot that stands, shape (2,) each; 0 is always possible.

        Parameters
        ----------
        landing : ndarray, shape (2,)
            As planned, from the foot that stands [m].
        swinging : int
            0 for the left foot, 1 for the right one.
        """
        low, high = np.array(self.steps(swinging)).T
        return np.minimum(low - landing, 0.0), np.maximum(high - landing, 0.0)

    def steps(self, swinging: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and largest step of a foot, to the front and to the left of the one that stands [m]."""
        across = (self.narrow, self.wide) if swinging == 0 else (-self.wide, -self.narrow)
        return (-self.along, self.along), across

    def lacks_time(self, way: Any, t: Any) -> Any:
        """By how much a way is longer than what a foot that swings gets to in a time [s], arrays included [m]."""
        return way - self.speed * t / PEAK
