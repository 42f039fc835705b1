"""A stretch of time that robots are brought through at once, and the samples on the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.recording.samples import Samples, joined_samples
from tarsus.simulation.runs.robots import Robots


@final
class Stretch:
    """Steps that nothing from outside changes: no call of a controller, no push that begins or ends.

    Attributes
    ----------
    steps : int
    now, end : float
        Time that was reached so far, and that of the last step [s].
    found : list of Samples
        Samples so far.
    """

    def __init__(self, robots: Robots, steps: int) -> None:
        self.steps = steps
        self.now, self.end = robots.time, (robots.step + steps) * robots.dt
        self.found: list[Samples] = []
        self._robots, self._first = robots, robots.step

    @cached_property
    def due(self) -> deque[float]:
        """Times of samples that are still to be taken [s]."""
        return deque(self._robots.sampling_times(self.steps, self._first))

    def take_due(
        self,
        until: float,
        state_at: Callable[[float], FloatArray],
        sample_of: Callable[[float, FloatArray], Samples],
    ) -> None:
        """Take the samples that are due until a time [s], of states `state_at` that times."""
        while self.due and self.due[0] <= until:
            time = self.due.popleft()
            self.found.append(sample_of(time, np.asarray(state_at(time))))

    def samples(self) -> Samples | None:
        """All samples so far; None where there are none."""
        if len(self.found) < 2:
            return self.found[0] if self.found else None
        return joined_samples(self.found)
