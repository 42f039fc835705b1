"""Rates for integrators that try steps before they take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.simulation.runs.step_failure import StepFailure

_DIFFERENCE = 1e-7
"""Step of difference quotients, relative to max(1, |y|)."""


@final
class TrialRates:
    """y' = f(t, y), no numbers where the motion cannot be computed: an integrator then tries a shorter step.

    Parameters
    ----------
    rate : callable
    acting : int
        Entries of y, the first ones, that rates depend on; works do not act back.

    Attributes
    ----------
    failure : StepFailure or None
        What happened last since the last step that was taken.
    """

    def __init__(self, rate: Callable[[float, FloatArray], FloatArray], acting: int) -> None:
        self._rate, self._acting = rate, acting
        self.failure: StepFailure | None = None
        self._last: StepFailure | None = None

    def __call__(self, t: float, y: FloatArray) -> FloatArray:
        """Rate of y at time t, shape (n,)."""
        self._last = None
        try:
            return self._rate(t, y)
        except StepFailure as failure:
            self.failure = self._last = failure
            return np.full(len(y), np.nan)

    def slope(self, t: float, y: FloatArray) -> FloatArray:
        """Derivative of the rates by y, shape (n, n), by differences.

        SciPy's own differences grow tenfold each time for an entry that does not matter, until they overflow.
        """
        slope = np.zeros((len(y), len(y)))
        middle = self(t, y)
        found = self._last
        for k in range(self._acting):
            step = _DIFFERENCE * max(1.0, abs(y[k]))
            moved = np.array(y)
            moved[k] += step
            slope[:, k] = (self(t, moved) - middle) / step
            found = found or self._last
        self._last = found  # of any column: the next step needs all of them
        return slope

    def taken(self) -> None:
        """Forget what happened on the way to a step that was taken, unless it happened at its end."""
        self.failure = self._last
