"""A foot that meets the ground: its swing ends there smoothly."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.steps.smooth_return import SmoothReturn

STOPPING = 0.01
"""Time in which a swing ends [s]: until then the foot pushes on against the ground."""
AT_ONCE = 0.1
"""Part of that time below which a swing ends at once."""


class SwingStop:
    """Where a foot is wanted after it has touched the ground, early or late: from its swing to where it stands.

    The deviation of the swing from that place ends as `SmoothReturn` does: C2 with what the swing was at, and without
    overshoot, so that a foot is never pulled off the ground that it has met (Buschmann 2014, 4.7.2).

    Parameters
    ----------
    dt : float
        Of a cycle [s].
    """

    def __init__(self, dt: float) -> None:
        self._dt = dt
        self._swung: list[FloatArray] = []
        self._ending: SmoothReturn | None = None
        self._since = 0.0

    def swing(self, place: FloatArray) -> None:
        """Take the place where the foot is wanted in the air, shape (3,) [m]."""
        self._swung = [*self._swung[-2:], np.array(place)]
        self._ending = None

    def stand(self, place: FloatArray, catching: float = 0.0) -> FloatArray:
        """Where a foot is wanted that stands at a place, shape (3,) each [m].

        Parameters
        ----------
        catching : float
            How much the foot catches the robot, from 0 to 1: the swing ends that much sooner.
        """
        lasts = (1.0 - catching) * STOPPING
        if len(self._swung) == 3 and lasts > AT_ONCE * STOPPING:
            first, second, third = self._swung
            rate, change = (third - second) / self._dt, (third - 2.0 * second + first) / self._dt**2
            self._ending, self._since = SmoothReturn(third - place, rate, change, lasts), 0.0
        self._swung = []
        if self._ending is None:
            return place
        self._since += self._dt
        off = self._ending.at(self._since)[0]
        if self._since >= STOPPING:
            self._ending = None
        return np.asarray(place + off)
