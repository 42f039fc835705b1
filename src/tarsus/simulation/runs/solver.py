"""Integrators that take one step after the other, with the interface of SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import TarsusError
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
from tarsus.simulation.runs.trial_rates import TrialRates

_SAME_END = 1e-6
"""A stretch ends at the end of all where less than this part of dt would be left."""


class Solver(Protocol):
    """What is asked of an integrator: the steps of scipy.integrate.OdeSolver."""

    t: float
    y: FloatArray
    t_old: float | None
    status: str

    def step(self) -> str | None:
        """Take one step."""

    def dense_output(self) -> Callable[[float], FloatArray]:
        """States within the last step, by time."""


class Motion(Protocol):
    """States of one robot as vectors, which the native core brings through time."""

    trial: TrialRates

    @property
    def robots(self) -> Robots:
        """The robot."""

    def configuration(self, y: FloatArray) -> FloatArray:
        """Configuration in the user's layout, shape (nq,)."""

    def velocity(self, y: FloatArray) -> FloatArray:
        """Velocity, shape (nv,)."""

    def reach(self, start: float, y: FloatArray, end: float) -> FloatArray:
        """The state at `end`."""


@contextmanager
def failing_at(time: Callable[[], float], rates: TrialRates) -> Iterator[None]:
    """Raise `StepFailure` for what integrators raise where rates or their Jacobians are not finite.

    What the rates themselves found, a loop that cannot be closed, is told instead where there is something.
    """
    try:
        yield
    except (ValueError, np.linalg.LinAlgError, ArithmeticError) as error:
        if isinstance(error, StepFailure | TarsusError):
            raise
        reason = f"the integrator gave up ({error}): its numbers are not finite; try 'semi-implicit-euler'"
        raise _failure(rates, reason, time()) from error


def _failure(rates: TrialRates, status: int | str, time: float) -> StepFailure:
    found = rates.failure
    if found is None:
        return StepFailure(status, 0, time)
    failure = StepFailure(str(found), found.robot, time)
    failure.ways_on = found.ways_on
    return failure


def start_solver(make: Callable[[], Solver], rates: TrialRates, time: float) -> Solver:
    """The solver that `make` returns, or raise `StepFailure` where the rates at its start are no numbers."""
    rates.failure = None
    with failing_at(lambda: time, rates):
        solver = make()
    if rates.failure is not None:
        raise _failure(rates, STATUS["non-finite"], time)
    return solver


def take_step(solver: Solver, rates: TrialRates) -> None:
    """Take one step of a solver over these rates, or raise `StepFailure`."""
    with failing_at(lambda: float(solver.t), rates):
        solver.step()
    finite = bool(np.all(np.isfinite(solver.y)))
    if solver.status == "failed" or not finite:
        raise _failure(rates, STATUS["step-too-small" if finite else "non-finite"], float(solver.t))
    rates.taken()


@final
class NativeStretches:
    """Stretches of at most dt by the native integrator of Dormand and Prince.

    States between are integrated anew from the start of the stretch instead of interpolated.

    Attributes
    ----------
    t, t_old : float
        End and start of the last stretch [s].
    y : ndarray, shape (n,)
    status : {"running", "finished"}
    """

    t_old: float | None

    def __init__(self, flow: Motion, start: float, y: FloatArray, end: float) -> None:
        self._flow, self._dt = flow, flow.robots.dt
        self._start, self._end, self._count = start, end, 0
        self._y_old = self.y = np.array(y)
        self.t, self.t_old, self.status = start, None, "running" if end > start else "finished"

    def step(self) -> None:
        """Go to the next multiple of dt after the start, or to the end."""
        self._count += 1
        self.t_old, self._y_old = self.t, self.y
        self.t = min(self._start + self._count * self._dt, self._end)
        if self._end - self.t < _SAME_END * self._dt:
            self.t, self.status = self._end, "finished"
        self.y = self._flow.reach(self.t_old, self._y_old, self.t)

    def dense_output(self) -> Callable[[float], FloatArray]:
        """States within the last stretch, by time."""
        start, y_old, end, y = self.t_old, self._y_old, self.t, self.y
        assert start is not None
        return lambda t: y if t >= end else self._flow.reach(start, y_old, t)
