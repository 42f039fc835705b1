"""Which supports carry load, with hysteresis."""

from __future__ import annotations

from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


@final
class LoadSwitch:
    """Loads to supports that stand: on above one load for some time, off at once below another.

    Parameters
    ----------
    count : int
    on, off : float
        Loads [N].
    settle : float
        How long the load must last before a support counts [s]: a foot that lands rolls and bounces.

    Attributes
    ----------
    stands, began : list of bool
        Which ones count, and for which ones the time to settle began in the last step.
    """

    def __init__(self, count: int, on: float, off: float, settle: float) -> None:
        if not (0.0 <= off <= on and np.isfinite(on)):
            raise ArgumentError(f"load_on is {on!r} and load_off is {off!r}; expected 0 <= load_off <= load_on [N]")
        if not (np.isfinite(settle) and settle >= 0.0):
            raise ArgumentError(f"settle is {settle!r}; expected seconds, at least 0")
        self._on, self._off = on, off
        self.settle = settle
        self.stands = [False] * count
        self.began = [False] * count
        self._since = [0.0] * count

    def reset(self) -> None:
        """Nothing stands, and what is loaded counts at once."""
        self.stands = [False] * len(self.stands)
        self._since = [self.settle] * len(self.stands)

    def update(self, dt: float, loads: FloatArray) -> list[bool]:
        """Which supports stand after dt [s] with loads (n,) [N]; NaN does not stand."""
        for k, load in enumerate(loads.tolist()):
            self.began[k] = False
            if self.stands[k]:
                if not load >= self._off:
                    self.stands[k], self._since[k] = False, 0.0
            elif load > self._on:
                self.began[k] = self._since[k] == 0.0
                self._since[k] += dt
                self.stands[k] = self._since[k] >= self.settle
            else:
                self._since[k] = 0.0
        return self.stands

    def unsettle(self, support: int) -> None:
        """A support has slipped: it counts again when it has carried load for some time."""
        self.stands[support], self._since[support] = False, 0.0
