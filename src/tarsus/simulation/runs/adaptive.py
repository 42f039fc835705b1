"""Adaptive integrators over the native right-hand side: stiff ones, and those that locate events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model.lowering import quaternion_starts, to_user
from tarsus.simulation.runs.cvode import CvodeSteps
from tarsus.simulation.runs.robots import (
    FLOW,
    INTEGRATORS,
    OUTPUTS,
    WORKS,
    NativeRun,
    Samples,
    StepFailure,
    joined,
)

if TYPE_CHECKING:
    from tarsus.model import Model
    from tarsus.simulation.world import World

ADAPTIVE = ("radau", "bdf", "cvode")
"""Stiff integrators; with events "dormand-prince" runs here, too."""

Event = Callable[[float, FloatArray, FloatArray], float]
"""event(t, q, v): a number whose change of sign is the event. Attributes, all optional: `terminal` (bool) ends the run,
`direction` (+1 rising, -1 falling) restricts the sign change."""

_EVENT_TIME = 1e-11
"""Bracket that remains about the time of an event [s]."""
_EVENT_PARTS = 4
"""A step is looked through for events in so many parts."""


class Solver(Protocol):
    """What is asked of an integrator: the steps of scipy.integrate.OdeSolver."""

    t: float
    y: FloatArray
    t_old: float | None
    status: str

    def step(self) -> str | None:
        """One step."""

    def dense_output(self) -> Callable[[float], FloatArray]:
        """States within the last step."""


@dataclass(frozen=True)
class Occurrence:
    """An event that happened."""

    index: int
    time: float


class AdaptiveRun(NativeRun):
    """One robot whose state y = (q, v, contact states, work) a SciPy or SUNDIALS integrator advances.

    The right-hand side is native: (q' from v, v' from the articulated-body algorithm with contact forces, rates of the
    contact states, powers). Quaternions are normalised wherever a state is handed on.

    Attributes
    ----------
    occurrences : list of Occurrence
        Events of the last call of `advance`.
    ended : Occurrence or None
        The terminal event that ended the run.
    """

    def __init__(
        self,
        model: Model,
        world: World,
        q: FloatArray,
        v: FloatArray,
        *,
        integrator: str,
        events: Sequence[Event] = (),
        **options: Any,
    ) -> None:
        super().__init__(model, world, q, v, integrator="flow", **options)
        if not self.single:
            raise ArgumentError(
                f"q0, v0 have batch axes {self.batch}, but {integrator!r}{' with events' if events else ''} takes one "
                "robot at a time; simulate them one by one, or use 'semi-implicit-euler', 'runge-kutta-4' or "
                "'implicit-midpoint'"
            )
        self.integrator, self.events = integrator, tuple(events)
        for event in self.events:
            if not callable(event):
                raise ArgumentError(f"events are callables event(t, q, v), not {type(event).__name__}")
        self.occurrences: list[Occurrence] = []
        self.ended: Occurrence | None = None
        self.sizes = np.cumsum([self.q.shape[1], model.nv, self.z.shape[1]])
        self.rate = np.empty((1, int(self.sizes[-1]) + WORKS))
        self._quaternions = [slice(i, i + 4) for i in quaternion_starts(model)]
        self._first_step: float | None = None

    def flow(self, t: float, y: FloatArray) -> FloatArray:
        """Rate of y at time t, shape (n,)."""
        self._set(y)
        self.run.update(steps=0, first_step=self.step, samples=0, sample_start=0, start=t, end=t, out_rate=self.rate)
        self.run.update(dict.fromkeys(OUTPUTS))
        status, robot, _ = _native.run_simulation(self.model, self.world.core, self.run, self.single, 1)
        if status != 0:
            raise StepFailure(status, robot, t)
        return np.array(self.rate[0], dtype=float)

    def reach(self, start: float, y: FloatArray, end: float) -> FloatArray:
        """The state at `end` by the native Dormand-Prince integrator."""
        self._set(y)
        self.run.update(
            dict.fromkeys(OUTPUTS), steps=0, first_step=self.step, samples=0, sample_start=0, start=start, end=end
        )
        self.run["integrator"] = INTEGRATORS["dormand-prince"]
        try:
            status, robot, _ = _native.run_simulation(self.model, self.world.core, self.run, self.single, 1)
        finally:
            self.run["integrator"] = FLOW
        if status != 0:
            raise StepFailure(status, robot, end)
        return self._state()

    def take_events(self) -> list[dict[str, Any]]:
        """Events of the last call of `advance`."""
        return [{"event": one.index, "time": one.time} for one in self.occurrences]

    def advance(self, steps: int) -> Samples:
        """Integrate to the end of that many steps of dt; returns the samples and the events on the way."""
        start, end = self.time, (self.step + steps) * self.dt
        spacing, before = self.every * self.dt, self.step // self.every
        due = [(before + 1 + k) * spacing for k in range((self.step + steps) // self.every - before)]
        found: list[Samples] = []
        self.occurrences = []
        try:
            self._advance(start, end, due, found)
        except StepFailure as failure:
            failure.samples = joined(found) if found else None
            raise
        self.step += steps
        return joined(found) if found else self._call(0, 0, sample_start=False)

    def _advance(self, start: float, end: float, due: list[float], found: list[Samples]) -> None:
        y = self._state()
        last = self._evaluate_events(start, y)
        solver = self._solver(start, y, end)
        while solver.status == "running":
            y_old = np.array(solver.y)
            solver.step()
            if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
                raise StepFailure(2 if np.all(np.isfinite(solver.y)) else 1, 0, float(solver.t))
            happened, last = self._look_for_events(solver, y_old, last)
            reached = float(solver.t)
            dense = solver.dense_output()
            for occurrence, state in happened:
                self._sample(found, due, dense, occurrence.time)
                found.append(self._at(occurrence.time, state))
                found[-1].signals["event"][:] = occurrence.index + 1
                self.occurrences.append(occurrence)
                if getattr(self.events[occurrence.index], "terminal", False):
                    self.ended = occurrence
                    return
            self._sample(found, due, dense, reached + 1e-12 * max(1.0, reached))
            self._first_step = reached - float(solver.t_old or 0.0)
        self._set(solver.y)
        self._normalise()

    def _solver(self, start: float, y: FloatArray, end: float) -> Solver:
        relative, absolute = self.run["relative"], self.run["absolute"]
        if self.integrator == "cvode":
            return CvodeSteps(self.flow, start, y, end, relative, absolute)
        if self.integrator == "dormand-prince":
            return NativeSteps(self, start, y, end)
        from scipy.integrate import BDF, Radau

        kind = {"radau": Radau, "bdf": BDF}[self.integrator]
        first = None if self._first_step is None else min(self._first_step, end - start)
        solver: Solver = kind(self.flow, start, y, end, rtol=relative, atol=absolute, first_step=first)
        return solver

    def _state(self) -> FloatArray:
        return np.concatenate([self.q[0], self.v[0], self.z[0], self.work[0]])

    def _set(self, y: FloatArray) -> None:
        a, b, c = self.sizes
        self.q[0], self.v[0], self.z[0], self.work[0] = y[:a], y[a:b], y[b:c], y[c:]

    def _normalise(self) -> None:
        for place in self._quaternions:
            self.q[0, place] /= np.linalg.norm(self.q[0, place])

    def _at(self, t: float, y: FloatArray) -> Samples:
        """The sample of a state."""
        self._set(y)
        self._normalise()
        samples = self._call(0, 1, sample_start=True, at=t)
        samples.time[:] = t
        return samples

    def _sample(self, found: list[Samples], due: list[float], dense: Any, reached: float) -> None:
        while due and due[0] <= reached:
            at = due.pop(0)
            found.append(self._at(at, np.asarray(dense(at))))

    def _call(self, steps: int, count: int, *, sample_start: bool, at: float | None = None) -> Samples:
        samples = super()._call(steps, count, sample_start=sample_start, at=at)
        if self.events:
            samples.signals["event"] = np.zeros(samples.count, dtype=np.int64)
        return samples

    def _evaluate_events(self, t: float, y: FloatArray) -> FloatArray:
        if not self.events:
            return np.zeros(0)
        self._set(y)
        self._normalise()
        q, v = to_user(self.model, self.q).reshape(-1), self.velocity
        values = np.empty(len(self.events))
        for index, event in enumerate(self.events):
            try:
                values[index] = event(t, q, v)
            except Exception as error:
                raise StepFailure(f"event {index} raised {type(error).__name__}: {error}", 0, t) from error
            if not np.isfinite(values[index]):
                raise StepFailure(f"event {index} returned {values[index]}; expected a finite number", 0, t)
        return values

    def _look_for_events(
        self, solver: Solver, y_old: FloatArray, last: FloatArray
    ) -> tuple[list[tuple[Occurrence, FloatArray]], FloatArray]:
        """Events of the last step in their order, with the states there, and the values at its end."""
        if not self.events:
            return [], last
        assert solver.t_old is not None
        start, end, dense = float(solver.t_old), float(solver.t), solver.dense_output()
        happened: list[tuple[Occurrence, FloatArray]] = []
        before, begin = last, start
        parts = 1 if isinstance(solver, NativeSteps) else _EVENT_PARTS  # native steps are not longer than dt
        for part in range(1, parts + 1):
            t = end if part == parts else start + (end - start) * part / parts
            values = self._evaluate_events(t, np.array(solver.y) if part == parts else np.asarray(dense(t)))
            for index, event in enumerate(self.events):
                direction = getattr(event, "direction", 0)
                rises = before[index] < 0 <= values[index] and direction >= 0
                falls = before[index] > 0 >= values[index] and direction <= 0
                if rises or falls:
                    happened.append(self._locate(index, start, y_old, begin, t))
            before, begin = values, t
        happened.sort(key=lambda item: item[0].time)
        return happened, before

    def _locate(
        self, index: int, start: float, y_old: FloatArray, low: float, high: float
    ) -> tuple[Occurrence, FloatArray]:
        """The moment between low and high where the event's sign changes, by integrating anew from the step's start.

        The interpolation of a step is less exact than its ends; integrating to the moment is as exact as any step.
        """
        from scipy.optimize import brentq

        def state_at(t: float) -> FloatArray:
            if t <= start:
                return y_old
            solver = self._solver(start, y_old, t)
            while solver.status == "running":
                solver.step()
            return np.array(solver.y)

        def value(t: float) -> float:
            return float(self._evaluate_events(t, state_at(t))[index])

        width = high - low
        while value(low) * value(high) > 0 and width < 4 * (high - start):  # interpolation and integration disagree
            low, high, width = max(start, low - 0.1 * width), high + 0.1 * width, 1.5 * width
        if value(low) * value(high) > 0:
            return Occurrence(index, high), state_at(high)
        t = float(brentq(value, low, high, xtol=_EVENT_TIME, rtol=1e-15))
        return Occurrence(index, t), state_at(t)


class NativeSteps:
    """Stretches of at most dt by the native Dormand-Prince integrator, with the interface of SciPy's solvers.

    States between are integrated anew from the start of the stretch instead of interpolated.
    """

    t_old: float | None

    def __init__(self, run: AdaptiveRun, start: float, y: FloatArray, end: float) -> None:
        self._run, self._start, self._end, self._count = run, start, end, 0
        self._y_old = self.y = np.array(y)
        self.t, self.t_old, self.status = start, None, "running" if end > start else "finished"

    def step(self) -> None:
        """To the next multiple of dt after the start, or to the end."""
        self._count += 1
        self.t_old, self._y_old = self.t, self.y
        self.t = min(self._start + self._count * self._run.dt, self._end)
        if self._end - self.t < 1e-6 * self._run.dt:
            self.t, self.status = self._end, "finished"
        self.y = self._run.reach(self.t_old, self._y_old, self.t)

    def dense_output(self) -> Callable[[float], FloatArray]:
        """States within the last stretch."""
        start, y_old, end, y = self.t_old, self._y_old, self.t, self.y
        assert start is not None
        return lambda t: y if t >= end else self._run.reach(start, y_old, t)
