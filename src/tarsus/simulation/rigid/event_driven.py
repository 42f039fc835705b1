"""Rigid contact by events: smooth motion between them, located touch-downs, lift-offs, slips, sticks and impacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.recording.samples import Samples
from tarsus.simulation.rigid.event_stretches import EventStretches
from tarsus.simulation.rigid.rigid_run import RigidRun
from tarsus.simulation.runs.integration import Integration, adaptive_chunk
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import STATUS
from tarsus.simulation.runs.stretch import Stretch
from tarsus.simulation.runs.user_events import Event


@final
class EventDriven(Integration):
    """Robots on rigid ground, each with the phase of its contacts, by the native core.

    Between events the modes of all points are constant and the motion is smooth; a step ends early where an open point
    touches, a force leaves its cone, or a slip ends; there impacts are solved and modes chosen anew.

    Parameters
    ----------
    events : sequence of Event
        What the user looks for, of a single robot.
    """

    def __init__(self, robots: Robots, events: Sequence[Event] = ()) -> None:
        locks = robots.constraints is not None and bool(robots.constraints.locks)
        if (events or locks) and not robots.single:
            raise ArgumentError(
                f"q0, v0 have batch axes {robots.batch}, but 'event-driven' with events or locks takes one robot at a "
                "time; simulate them one by one"
            )
        self._robots = robots
        self._run = RigidRun(robots)
        self._events = EventStretches(self._run, events) if events or locks else None
        self._happened: list[dict[str, Any]] = []

    @property
    def chunk(self) -> int | None:
        """A fixed number of steps: those of the integrator end with a stretch."""
        return adaptive_chunk(self._robots.dt)

    @property
    def ended(self) -> bool:
        """Whether a terminal event happened."""
        return self._events is not None and self._events.ended

    def start(self) -> list[Samples]:
        """Begin the energy audit, and settle: two samples where there is an impact at once."""
        robots = self._robots
        robots.begin_audit()
        answer = self._run.advance(robots.time, robots.time, 0, 0, check_start=True)
        if answer.failure is not None:
            raise answer.failure
        self._happened += answer.events
        return [] if answer.samples is None else [self._marked(answer.samples)]

    def integrate(self, stretch: Stretch) -> None:
        """Integrate from event to event to the end of a stretch; impacts are samples before and after."""
        robots, run = self._robots, self._run
        state, phase = robots.state.copy(), run.phase.copy()
        try:
            if self._events is not None:
                self._events.integrate(stretch, self._advance)
            else:
                self._advance(stretch, stretch.end)
        except BaseException:
            robots.state.assign(state)
            run.phase[:] = phase
            raise

    def _advance(self, stretch: Stretch, end: float) -> None:
        """Bring the robots to a time [s], with what happens on the way."""
        robots = self._robots
        spacing = robots.every * robots.dt
        while True:
            due = sum(1 for time in stretch.due if time <= end + 1e-12 * max(1.0, end))
            taken = round(stretch.due[0] / spacing) - 1 if stretch.due else 0
            answer = self._run.advance(stretch.now, end, taken, due)
            if answer.samples is not None and (robots.single or answer.failure is None):
                stretch.found.append(self._marked(answer.samples))
            self._happened += answer.events
            for _ in range(answer.due):
                stretch.due.popleft()
            if answer.failure is not None:
                raise answer.failure
            if answer.status != STATUS["paused"]:
                stretch.now = end
                return
            stretch.now = answer.time

    def completed(self, samples: Samples) -> Samples:
        """The sample of the present state with forces and degrees of freedom."""
        return self._marked(self._run.sample(float(samples.time[-1])))

    def acted(self) -> Samples:
        """The forces of the present phase; before it those of the continued trajectory, or of a start on trial."""
        robots = self._robots
        if robots.step > 0 and not self._run.settled:
            samples = robots.sample(robots.time)
            samples.contact_force[-1] = robots.state.contact.force.reshape(samples.contact_force[-1].shape)
            return samples
        return self._run.sample(robots.time)

    def go_on_from(self, other: Integration) -> None:
        """The phase of all contacts."""
        if isinstance(other, EventDriven):
            self._run.phase[:] = other._run.phase

    def take_events(self) -> list[dict[str, Any]]:
        """Events of contact, and those of the user, since the last call, in the order of time."""
        happened, self._happened = self._happened, []
        if self._events is not None:
            happened = sorted([*happened, *self._events.take()], key=lambda entry: float(entry["time"]))
        return happened

    def _marked(self, samples: Samples) -> Samples:
        """The samples with the number of the user's event that they belong to: none."""
        if self._events is None:
            return samples
        return samples._replace(signals={"event": np.zeros(len(samples.time), dtype=np.int64), **samples.signals})
