"""Joint rates from positions."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


@final
class JointRates:
    """Differences of positions over their distance in time, through a low pass of first order.

    Parameters
    ----------
    count : int
    cutoff : float
        Of the low pass [rad/s]; infinite for plain differences.
    """

    def __init__(self, count: int, cutoff: float) -> None:
        if not cutoff > 0.0:
            raise ArgumentError(f"rate_cutoff is {cutoff!r}; expected a positive number of rad/s")
        self._cutoff = cutoff
        self.rate = np.zeros(count)
        self._last: FloatArray | None = None

    def reset(self, rate: FloatArray) -> None:
        """Begin anew."""
        self.rate, self._last = np.array(rate, dtype=float), None

    def update(self, elapsed: float, position: FloatArray) -> FloatArray:
        """Rates (n,) after positions (n,) that came `elapsed` [s] after the last ones."""
        if self._last is not None and elapsed > 0.0:
            keep = math.exp(-self._cutoff * elapsed)
            self.rate = keep * self.rate + ((1.0 - keep) / elapsed) * (position - self._last)
        self._last = position
        return self.rate
