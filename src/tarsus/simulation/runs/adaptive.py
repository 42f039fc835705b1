"""Adaptive integrators over the native right-hand side: stiff ones, and those that locate events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.recording.samples import Samples
from tarsus.simulation.runs.cvode import CvodeSteps
from tarsus.simulation.runs.flow import Flow
from tarsus.simulation.runs.integration import Integration, adaptive_chunk
from tarsus.simulation.runs.locks import Locks
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.solver import NativeStretches, Solver, start_solver, take_step
from tarsus.simulation.runs.stretch import Stretch
from tarsus.simulation.runs.user_events import Event, Occurrence, UserEvents

ADAPTIVE = ("radau", "bdf", "cvode")
"""Stiff integrators; with events "dormand-prince" runs here, too."""
_LOOKS = 4
"""Parts in which a step is looked through for events; native stretches are not longer than dt and get one look."""


@final
class AdaptiveSteps(Integration):
    """One robot whose state y = (q, v, contact states, work) a SciPy or SUNDIALS integrator advances.

    Parameters
    ----------
    integrator : {"radau", "bdf", "cvode", "dormand-prince"}
    events : sequence of Event
    """

    def __init__(self, robots: Robots, integrator: str, events: Sequence[Event] = ()) -> None:
        if not robots.single:
            raise ArgumentError(
                f"q0, v0 have batch axes {robots.batch}, but {integrator!r}{' with events' if events else ''} takes "
                "one robot at a time; simulate them one by one, or use 'semi-implicit-euler', 'runge-kutta-4' or "
                "'implicit-midpoint'"
            )
        self._robots, self._integrator = robots, integrator
        self._flow = Flow(robots, robots.world)
        looks = 1 if integrator == "dormand-prince" else _LOOKS
        self._locks = Locks(robots, self._flow)
        self._users = len(events)
        self._events = UserEvents((*events, *self._locks.switches), self._flow, self._solver, looks)
        self._turned: list[dict[str, Any]] = []
        self._happened: list[Occurrence] = []
        self._ended = False
        self._first_step: float | None = None

    @property
    def chunk(self) -> int | None:
        """A fixed number of steps: those of the integrator end with a stretch."""
        return adaptive_chunk(self._robots.dt)

    @property
    def ended(self) -> bool:
        """Whether a terminal event happened."""
        return self._ended

    def start(self) -> list[Samples]:
        """Begin the energy audit; nothing happens at once."""
        self._robots.begin_audit()
        return []

    def integrate(self, stretch: Stretch) -> None:
        """Integrate to the end of a stretch, or to a terminal event; every event is a sample."""
        y = self._flow.present()
        values = self._events.values(stretch.now, y)
        solver = self._solver(stretch.now, y, stretch.end)
        while solver.status == "running":
            y_old = np.array(solver.y)
            take_step(solver, self._flow.trial)
            self._flow.check_branches(float(solver.t_old or 0.0), y_old, solver.y)
            happened, values = self._events.of_step(solver, y_old, values)
            reached, dense, turned = float(solver.t), solver.dense_output(), False
            for one in happened:
                if one.index >= self._users:  # what happened afterwards did not: the motion is another one
                    stretch.take_due(one.time, dense, self._sample)
                    solver, turned = self._turn(one, stretch), True
                    values = self._events.values(one.time, np.array(solver.y))
                    break
                stretch.take_due(one.time, dense, self._sample)
                stretch.found.append(self._sample(one.time, one.state))
                stretch.found[-1].signals["event"][:] = one.index + 1
                self._happened.append(one)
                if self._events.is_terminal(one.index):
                    self._ended = True
                    self._flow.set_present(one.state)
                    return
            if turned:
                continue
            stretch.take_due(reached + 1e-12 * max(1.0, reached), dense, self._sample)
            self._first_step = reached - float(solver.t_old or 0.0)
        self._flow.set_present(solver.y)

    def _turn(self, one: Occurrence, stretch: Stretch) -> Solver:
        """A lock turns, with samples before and after; the solver that goes on from there."""
        stretch.found.append(self._sample(one.time, one.state))
        after, happened = self._locks.turn(one.index - self._users, one.time, one.state)
        stretch.found.append(self._sample(one.time, after))
        self._turned.append(happened)
        return self._solver(one.time, after, stretch.end)

    def completed(self, samples: Samples) -> Samples:
        """The sample with the number of the event that it belongs to: none."""
        if self._users == 0:
            return samples
        return samples._replace(signals={"event": np.zeros(len(samples.time), dtype=np.int64), **samples.signals})

    def acted(self) -> Samples:
        """The forces of the state: it causes them."""
        return self._robots.sample(self._robots.time)

    def go_on_from(self, other: Integration) -> None:
        """The length of the last step."""
        if isinstance(other, AdaptiveSteps):
            self._first_step = other._first_step

    def take_events(self) -> list[dict[str, Any]]:
        """Numbers and times of events since the last call."""
        happened, self._happened = self._happened, []
        turned, self._turned = self._turned, []
        found = [{"event": one.index, "time": one.time} for one in happened]
        return sorted([*found, *turned], key=lambda one: float(one["time"]))

    def _sample(self, time: float, y: FloatArray) -> Samples:
        return self.completed(self._flow.sample(time, y))

    def _solver(self, start: float, y: FloatArray, end: float) -> Solver:
        relative, absolute, rates = self._robots.relative, self._robots.absolute, self._flow.trial
        if self._integrator == "cvode":
            return start_solver(lambda: CvodeSteps(rates, start, y, end, relative, absolute), rates, start)
        if self._integrator == "dormand-prince":
            return NativeStretches(self._flow, start, y, end)
        from scipy.integrate import BDF, Radau

        kind = {"radau": Radau, "bdf": BDF}[self._integrator]
        first = None if self._first_step is None else min(self._first_step, end - start)
        options = {"rtol": relative, "atol": absolute, "first_step": first, "jac": rates.slope}
        return start_solver(lambda: kind(rates, start, y, end, **options), rates, start)
