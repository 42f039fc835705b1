"""Where the centre of pressure shall be: along the sole with the path, and ahead where the robot is too fast."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tarsus.errors import ArgumentError


@dataclass(frozen=True)
class PressureTarget:
    """p_d(s, s') = start + (end - start) s + gain (s' - rate(s)), kept within heel and toe.

    Without a gain p_d is a function of s alone, as in Chevallereau et al. 2008, and steps approach a speed as far as
    the path and its impact make them. With one the sole's length helps: pressure that is further ahead brakes.

    Attributes
    ----------
    start, end : float
        Pressure at s = 0 and s = 1, forward from the sole's frame [m].
    gain : float
        [m s].
    rate : callable, optional
        s'(s) of the wanted walk [1/s], such as `SpeedMap.rate_along`; needed with a gain.
    heel, toe : float
        Bounds of p_d [m].
    """

    start: float
    end: float
    gain: float = 0.0
    rate: Callable[[float], float] | None = None
    heel: float = -math.inf
    toe: float = math.inf

    def __post_init__(self) -> None:
        for name in ("start", "end", "gain"):
            if not math.isfinite(getattr(self, name)):
                raise ArgumentError(f"{name} of PressureTarget is {getattr(self, name)!r}; expected a finite number")
        if self.gain and self.rate is None:
            raise ArgumentError(f"gain of PressureTarget is {self.gain!r}, but there is no rate(s) to compare with")
        if not self.heel < self.toe:
            raise ArgumentError(f"heel is {self.heel!r} and toe is {self.toe!r}; expected the heel behind the toe")

    def __call__(self, s: float, rate: float) -> float:
        """Pressure p_d [m] at s and s'."""
        wanted = self.start + (self.end - self.start) * s
        if self.gain and self.rate is not None:
            wanted += self.gain * (rate - self.rate(s))
        return min(max(wanted, self.heel), self.toe)
