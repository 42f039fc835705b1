"""Feedback that keeps integrated accelerations on what was planned (Buschmann 2014, (5.19) and 5.5.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from tarsus.errors import ArgumentError

SPEED, DAMPING = 40.0, 0.85
"""Kp = 40 / dt and Kd = 2 * 0.85 sqrt(Kp), as printed."""


@dataclass(frozen=True)
class DriftFeedback:
    """w'' = w_d'' + Kd (w_d' - w') + Kp (w_d - w), for what is known of a task space.

    Attributes
    ----------
    kp, kd : float
        [1/s^2], [1/s].
    """

    kp: float
    kd: float

    @classmethod
    def at(cls, dt: float) -> Self:
        """Gains for a cycle of `dt` [s]: 2.7e4 and 2.8e2 at 1.5 ms."""
        if not (math.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt of DriftFeedback is {dt!r}; expected a number above 0 [s]")
        kp = SPEED / dt
        return cls(kp, 2.0 * DAMPING * math.sqrt(kp))

    def scaled(self, k: float) -> tuple[float, float]:
        """Gains of the centre of mass for an overall gain k: k Kp and 2 * 0.85 sqrt(k Kp) (figure 5.23).

        The text says that k is multiplied with the gains, and prints 26.7 and 8.8 for k = 1e-3, 266.7 and 27.8 for
        1e-2: that is k Kp, and sqrt(k) Kd, which keeps the damping.
        """
        if not (math.isfinite(k) and k >= 0):
            raise ArgumentError(f"gain k is {k!r}; expected a number of at least 0")
        return k * self.kp, math.sqrt(k) * self.kd
