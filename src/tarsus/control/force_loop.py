"""Force control: proportional and integral action on a wrench that is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


@dataclass(frozen=True)
class ForceGains:
    """f = wanted + proportional e + integral of rate e dt, with e = wanted - measured.

    Attributes
    ----------
    proportional : float
    rate : float
        Of the integral action [1/s].
    most : float
        Bound of the integral's part, as a share of the largest wanted component. Nothing is integrated while nothing is
        felt.
    damping : float
        Of velocities along directions of force [1/s].
    """

    proportional: float = 0.5
    rate: float = 10.0
    most: float = 1.0
    damping: float = 100.0

    def __post_init__(self) -> None:
        for name in ("proportional", "rate", "most", "damping"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value >= 0):
                raise ArgumentError(f"{name} of ForceGains is {value!r}; expected a number of at least 0")


@final
class ForceLoop:
    """The loop with its memory; a time before the last one begins anew."""

    def __init__(self, gains: ForceGains) -> None:
        self.gains = gains
        self._integral: FloatArray = np.zeros(())
        self._last: float | None = None

    def command(self, t: float, wanted: FloatArray, measured: FloatArray) -> FloatArray:
        """Force to exert, shape (..., k), at time t [s]; `wanted` and `measured` are what the robot exerts."""
        e = wanted - measured
        if self._last is None or t < self._last or self._integral.shape != e.shape:
            self._integral, self._last = np.zeros_like(e), t
        bound = self.gains.most * np.abs(wanted).max(initial=0.0)
        step = np.where(measured != 0.0, self.gains.rate * (t - self._last) * e, 0.0)
        self._integral, self._last = np.clip(self._integral + step, -bound, bound), t
        return np.asarray(wanted + self.gains.proportional * e + self._integral)
