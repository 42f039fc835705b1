"""Which supports are believed to stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.estimation.load_switch import LoadSwitch

PATIENCE = 3
"""Readings in a row beyond the gate after which a support has slipped."""
_SETTLED = 3.0
"""Standard deviations that a support may move while it settles."""


@final
class Footing:
    """Supports that carry load, have settled and do not slip.

    Parameters
    ----------
    switch : LoadSwitch
    place : float
        Standard deviation of the place of a support [m].

    Attributes
    ----------
    used : tuple of int
        Supports that stand.
    slipped : set of int
        Supports that carry load and moved: they settle anew.
    """

    def __init__(self, switch: LoadSwitch, place: float) -> None:
        self._switch, self._place = switch, place
        self.reset()

    def reset(self) -> None:
        """Nothing stands; what is loaded counts at once."""
        count = len(self._switch.stands)
        self._switch.reset()
        self.used: tuple[int, ...] = ()
        self.slipped: set[int] = set()
        self._misses = [0] * count
        self._marks = np.full((count, 3), np.nan)  # where supports were when they began to settle

    def update(self, dt: float, loads: FloatArray, blind: BoolArray | None) -> bool:
        """Whether anything changes with loads (n,) [N] after dt [s]; supports that are blind cannot be seen."""
        stands = self._switch.update(dt, loads)
        if blind is not None:
            for k in np.flatnonzero(blind):
                self._switch.unsettle(int(k))
        if self.slipped:
            self.slipped.difference_update(np.flatnonzero(~(loads > 0.0)).tolist())
        return any(self._switch.began) or tuple(k for k, on in enumerate(stands) if on) != self.used

    def change(self, places: FloatArray, speed: float) -> tuple[list[int], list[int]]:
        """Supports that begin and that end to stand.

        A support that has moved while it settled goes on settling, as long as another one tells where it should be.

        Parameters
        ----------
        places : ndarray, shape (n, 3)
            Of all supports, as they are seen now, world axes [m].
        speed : float
            Standard deviation of the velocity of the robot [m/s].
        """
        allowed = _SETTLED * float(np.hypot(self._place, speed * self._switch.settle))
        now = []
        for k, on in enumerate(self._switch.stands):
            if self._switch.began[k]:
                self._marks[k] = places[k]
            if not on:
                continue
            if k not in self.used and self.used and np.linalg.norm(places[k] - self._marks[k]) > allowed:
                self.slipped.add(k)
                self._switch.unsettle(k)
                continue
            now.append(k)
        begun = [k for k in now if k not in self.used]
        ended = [k for k in self.used if k not in now]
        for k in begun:
            self._misses[k] = 0
            self.slipped.discard(k)
        self.used = tuple(now)
        return begun, ended

    def confirm(self, supports: Iterable[int]) -> None:
        """These were seen where they should be."""
        for k in supports:
            self._misses[k] = 0

    def miss(self, supports: Iterable[int]) -> list[int]:
        """These were not seen where they should be; those that have slipped, after some times in a row."""
        gone = []
        for k in supports:
            self._misses[k] += 1
            if self._misses[k] >= PATIENCE:
                gone.append(k)
                self.slipped.add(k)
                self._switch.unsettle(k)
        self.used = tuple(k for k in self.used if k not in gone)
        return gone

    def slide(self, support: int) -> None:
        """A support does not stand; it settles from now on."""
        self.slipped.add(support)
        self._switch.unsettle(support)
