"""Readings of one sensor in the order of their times, as late as those of the slowest sensor."""

from __future__ import annotations

from collections import deque
from typing import final

from tarsus.arrays import FloatArray

_SAME_TIME = 1e-9
"""Times closer than this are the same [s]."""


@final
class ReadingLine:
    """Hands on readings `wait` [s] after they arrived, and tells which ones are new.

    Sensors with less delay than the slowest one wait for it, so that all readings that are used together were taken
    together.
    """

    def __init__(self, wait: float) -> None:
        self._wait = wait
        self._queue: deque[tuple[float, FloatArray]] = deque()
        self._last: FloatArray | None = None

    def reset(self) -> None:
        """Forget everything."""
        self._queue.clear()
        self._last = None

    def take(self, t: float, reading: FloatArray | None) -> FloatArray | None:
        """The reading that is due at t, where it is a new one; `reading` is the latest that has arrived."""
        if reading is not None and reading is not self._last:
            self._last = reading
            if self._wait == 0.0:
                return reading
            self._queue.append((t + self._wait, reading))
        found = None
        while self._queue and self._queue[0][0] <= t + _SAME_TIME:
            found = self._queue.popleft()[1]
        return found
