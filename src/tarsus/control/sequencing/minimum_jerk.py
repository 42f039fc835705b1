"""The time law of the least jerk from rest to rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PEAK_SPEED = 1.875
"""Largest rate over the mean one: 15/8, half way."""
PEAK_CHANGE = 10.0 / np.sqrt(3.0)
"""Largest change of the rate, in ways over the square of the duration: 5.77."""


class Progress(NamedTuple):
    """Share of a way that is done, and its first two derivatives by time [1/s, 1/s^2]."""

    share: float
    rate: float
    change: float


def minimum_jerk(t: float, duration: float) -> Progress:
    """S = 10 u^3 - 15 u^4 + 6 u^5 with u = t / duration, at rest before and after; twice continuously differentiable.

    Flash and Hogan 1985, (A4).

    Parameters
    ----------
    t, duration : float
        [s]; a duration of zero is done at once.
    """
    if not duration > 0.0:
        return Progress(1.0, 0.0, 0.0)
    u = float(np.clip(t / duration, 0.0, 1.0))
    share = u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
    rate = 30.0 * u * u * (1.0 - u) ** 2
    change = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
    return Progress(share, rate / duration, change / duration**2)
