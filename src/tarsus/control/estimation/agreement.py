"""Whether supports that carry load keep their distances, as things that stand do."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.load_switch import LoadSwitch

LIMIT = 3.0
"""Standard deviations of the place of a support by which the way between two of them may change."""
LASTING = 0.02
"""How long a change must last before it is told [s]: a foot that comes or goes slips for a moment."""
CALM = 0.1
"""Time in which a support that has slid must stay within a third of the limit before it stands again [s]."""
CREDIBLE = 0.15
"""Time over which the way by the inertial unit is good enough to tell which one of two supports has moved [s]."""
CLEARLY = 2.0
"""Times as far as the other of two supports that one must have gone to be the one that slides."""


@final
class Agreement:
    """Watches the ways between supports under load, which joints tell without any estimate of the base.

    Two supports that stand keep the way between them. Where it has changed by more than three standard deviations, one
    of them slides, however slowly, or an encoder in between is wrong. Of three and more it is the one that disagrees
    with the others; of two, the one that has gone further than the inertial unit says that the robot has, since they
    still agreed. Where that was too long ago, or neither has clearly, both are doubtful until they rest.

    Parameters
    ----------
    switch : LoadSwitch
        Of its own.
    place : float
        Standard deviation of the place of a support [m].

    Attributes
    ----------
    sliding : set of int
        Supports that do not stand.
    doubtful : set of int
        Supports of which one does not stand.
    """

    def __init__(self, switch: LoadSwitch, place: float) -> None:
        self._switch, self._limit = switch, LIMIT * place
        self.reset()

    def reset(self) -> None:
        """Nothing is known of any support."""
        count = len(self._switch.stands)
        self._switch.reset()
        self._since = np.full((count, count), np.nan)  # time for which pairs disagree; NaN where one carries nothing
        self._ways = np.zeros((count, count, 3))  # between supports, from when both carried load
        self._agreed = np.zeros((count, count, 3))  # where the first of a pair was by the unit when they last agreed
        self._apart = np.zeros((count, count))  # time since they agreed
        self._rest = np.zeros((count, 3))  # where those that slide were, and for how long they stay there
        self._calm = np.zeros(count)
        self.sliding: set[int] = set()
        self.doubtful: set[int] = set()

    def update(self, dt: float, loads: FloatArray, seen: FloatArray, way: FloatArray) -> None:
        """Look at supports after dt [s].

        Parameters
        ----------
        loads : ndarray, shape (n,)
            On supports [N].
        seen : ndarray, shape (n, 3)
            Supports relative to the inertial unit by joints, world axes, less what balls have rolled [m].
        way : ndarray, shape (3,)
            Of the unit, by its own velocity [m].
        """
        pressed = self._press(dt, loads, seen, way)
        self.sliding &= pressed
        self.doubtful &= pressed
        if len(pressed) < 2 and not self.sliding and not self.doubtful:
            return
        if len(pressed) == 2 and not self.sliding and not self.doubtful:
            i, j = pressed
            if self._agree(i, j, seen, way):
                return
        places = seen + way
        ways = seen[:, None] - seen[None]
        missed = np.linalg.norm(ways - self._ways, axis=-1)
        agree = missed < self._limit / 3.0
        self._agreed = np.where(agree[..., None], places[:, None], self._agreed)
        self._apart = np.where(agree, 0.0, self._apart + dt)
        self._since = np.where(missed > self._limit, self._since + dt, np.where(np.isnan(self._since), np.nan, 0.0))
        self._settle(dt, seen, way)
        late = self._since > LASTING
        if late.any() and not self.doubtful:
            self._judge(np.where(late, missed, 0.0), missed, places)

    def _agree(self, i: int, j: int, seen: FloatArray, way: FloatArray) -> bool:
        """Whether the only two under load agree, as they mostly do: the short way, without arrays of all pairs."""
        x, y, z = (seen[i] - seen[j] - self._ways[i, j]).tolist()
        if not x * x + y * y + z * z < (self._limit / 3.0) ** 2:
            return False
        self._agreed[i, j], self._agreed[j, i] = seen[i] + way, seen[j] + way
        self._apart[i, j] = self._apart[j, i] = 0.0
        if not math.isnan(self._since[i, j]):
            self._since[i, j] = self._since[j, i] = 0.0
        return True

    def _press(self, dt: float, loads: FloatArray, seen: FloatArray, way: FloatArray) -> set[int]:
        """Supports that carry load; ways from new ones begin here."""
        was = list(self._switch.stands)
        stands = self._switch.update(dt, loads)
        for k, on in enumerate(stands):
            if on != was[k]:
                self._begin(k, stands, seen, way) if on else self._end(k)
        return {k for k, on in enumerate(stands) if on}

    def _begin(self, k: int, stands: list[bool], seen: FloatArray, way: FloatArray) -> None:
        """Ways from a support to others are those of now."""
        others = [j for j, on in enumerate(stands) if on and j != k and j not in self.sliding]
        for j in others:
            self._ways[k, j], self._ways[j, k] = seen[k] - seen[j], seen[j] - seen[k]
            self._agreed[k, j], self._agreed[j, k] = seen[k] + way, seen[j] + way
            self._since[k, j] = self._since[j, k] = 0.0

    def _end(self, k: int) -> None:
        self._since[k], self._since[:, k] = np.nan, np.nan

    def _settle(self, dt: float, seen: FloatArray, way: FloatArray) -> None:
        """Supports that have come to rest beside others stand again."""
        for k in sorted(self.sliding | self.doubtful):
            beside = [j for j, on in enumerate(self._switch.stands) if on and j != k and j not in self.sliding]
            place = seen[k] - seen[beside[0]] if beside else seen[k] + way
            self._calm[k] += dt
            if not np.linalg.norm(place - self._rest[k]) <= self._limit / 3.0:
                self._rest[k], self._calm[k] = place, 0.0
            if k in self.sliding and (self._calm[k] > CALM or not beside):
                self.sliding.discard(k)
                self._begin(k, self._switch.stands, seen, way)
        if self.doubtful and (len(self.doubtful) == 1 or min(self._calm[k] for k in self.doubtful) > CALM):
            doubtful, self.doubtful = self.doubtful, set()
            for k in doubtful:
                self._begin(k, self._switch.stands, seen, way)

    def _judge(self, late: FloatArray, missed: FloatArray, places: FloatArray) -> None:
        """Which one slides of the two that disagree most, by others beside them or by the inertial unit."""
        i, j = (int(k) for k in np.unravel_index(int(late.argmax()), late.shape))
        others = [k for k in np.flatnonzero(~np.isnan(self._since[i]) & ~np.isnan(self._since[j])) if k not in (i, j)]
        if others:
            gone = {k: float(missed[k, others].mean()) for k in (i, j)}
        else:
            gone = {k: float(np.linalg.norm(places[k] - self._agreed[k, o])) for k, o in ((i, j), (j, i))}
        far, near = sorted(gone, key=gone.__getitem__, reverse=True)
        if (others or self._apart[i, j] < CREDIBLE) and gone[far] > CLEARLY * gone[near]:
            self._slide(far)
            return
        self.doubtful = {i, j}
        for k in self.doubtful:
            self._calm[k], self._rest[k] = 0.0, np.inf

    def _slide(self, k: int) -> None:
        self.sliding.add(k)
        self._calm[k], self._rest[k] = 0.0, np.inf
        self._end(k)
