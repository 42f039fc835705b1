"""Events that a user describes by functions of time and state, located within steps of an integrator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError
from tarsus.simulation.runs.solver import Motion, Solver, take_step
from tarsus.simulation.runs.step_failure import StepFailure

Event = Callable[[float, FloatArray, FloatArray], float]
"""event(t, q, v): a number whose change of sign is the event; q and v are read-only copies. Attributes, all optional:
`terminal` (bool) ends the run, `direction` (+1 rising, -1 falling) restricts the sign change; on rigid ground
`state_map`, a callable (t, q, v) -> (q, v), relabels the state there."""

_EVENT_TIME = 1e-11
"""Bracket that remains about the time of an event [s]."""


@final
@dataclass(frozen=True)
class Occurrence:
    """An event that happened.

    Attributes
    ----------
    index : int
        Number of the event.
    time : float
        [s].
    state : ndarray, shape (n,)
        The state there.
    """

    index: int
    time: float
    state: FloatArray


@final
class UserEvents:
    """The search for changes of sign of the users' functions.

    Parameters
    ----------
    make_solver : callable
        ``make_solver(start, y, end)`` integrates anew from the start of a step.
    looks : int
        Parts in which a step is looked through.
    """

    def __init__(
        self,
        events: Sequence[Event],
        flow: Motion,
        make_solver: Callable[[float, FloatArray, float], Solver],
        looks: int,
    ) -> None:
        for event in events:
            if not callable(event):
                raise ArgumentError(f"events are callables event(t, q, v), not {type(event).__name__}")
        self._events, self._flow, self._make_solver, self._looks = tuple(events), flow, make_solver, looks

    def __len__(self) -> int:
        return len(self._events)

    def is_terminal(self, index: int) -> bool:
        """Whether an event ends the run."""
        return bool(getattr(self._events[index], "terminal", False))

    def values(self, t: float, y: FloatArray) -> FloatArray:
        """Numbers that the functions return at a state, one for each event."""
        values = np.empty(len(self._events))
        if not self._events:
            return values
        q, v = read_only_copy(self._flow.configuration(y)), read_only_copy(self._flow.velocity(y))
        for index, event in enumerate(self._events):
            try:
                values[index] = event(t, q, v)
            except Exception as error:
                raise StepFailure(f"event {index} raised {type(error).__name__}: {error}", 0, t) from error
            if not np.isfinite(values[index]):
                raise StepFailure(f"event {index} returned {values[index]}; expected a finite number", 0, t)
        return values

    def of_step(self, solver: Solver, y_old: FloatArray, values_old: FloatArray) -> tuple[list[Occurrence], FloatArray]:
        """Events of the last step in their order, and the values at its end.

        Parameters
        ----------
        y_old, values_old : ndarray
            State, and values of the functions, at the start of the step.
        """
        if not self._events:
            return [], values_old
        assert solver.t_old is not None
        start, end, dense = float(solver.t_old), float(solver.t), solver.dense_output()
        happened: list[Occurrence] = []
        before, begin = values_old, start
        for part in range(1, self._looks + 1):
            last = part == self._looks
            t = end if last else start + (end - start) * part / self._looks
            values = self.values(t, np.array(solver.y) if last else np.asarray(dense(t)))
            for index, event in enumerate(self._events):
                direction = getattr(event, "direction", 0)
                rises = before[index] < 0 <= values[index] and direction >= 0
                falls = before[index] > 0 >= values[index] and direction <= 0
                if rises or falls:
                    happened.append(self._located(index, start, y_old, begin, t))
            before, begin = values, t
        happened.sort(key=lambda one: one.time)
        return happened, before

    def _located(self, index: int, start: float, y_old: FloatArray, low: float, high: float) -> Occurrence:
        """The moment between low and high where the event's sign changes, by integrating anew from the step's start.

        The interpolation of a step is less exact than its ends; integrating to the moment is as exact as any step.
        """
        from scipy.optimize import brentq

        def state_at(t: float) -> FloatArray:
            if t <= start:
                return y_old
            solver = self._make_solver(start, y_old, t)
            while solver.status == "running":
                take_step(solver, self._flow.trial)
            return np.array(solver.y)

        def value(t: float) -> float:
            return float(self.values(t, state_at(t))[index])

        width = high - low
        while value(low) * value(high) > 0 and width < 4 * (high - start):  # interpolation and integration disagree
            low, high, width = max(start, low - 0.1 * width), high + 0.1 * width, 1.5 * width
        if value(low) * value(high) > 0:
            return Occurrence(index, high, state_at(high))
        t = float(brentq(value, low, high, xtol=_EVENT_TIME, rtol=1e-15))
        return Occurrence(index, t, state_at(t))
