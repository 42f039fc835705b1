"""Rates for integrators that try steps before they take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.simulation.runs.step_failure import StepFailure


@final
class TrialRates:
    """y' = f(t, y), no numbers where the motion cannot be computed: an integrator then tries a shorter step.

    Attributes
    ----------
    failure : StepFailure or None
        What happened last since the last step that was taken.
    """

    def __init__(self, rate: Callable[[float, FloatArray], FloatArray]) -> None:
        self._rate = rate
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

    def taken(self) -> None:
        """Forget what happened on the way to a step that was taken, unless it happened at its end."""
        self.failure = self._last
