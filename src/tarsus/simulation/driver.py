"""Drives a run: stretch by stretch, the controller and pushes in between."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.calling import takes_observation
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import NO_READINGS, Observation, Readings
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.running_contacts import calling_controller
from tarsus.devices.sensors.suite import SensorSuite
from tarsus.dynamics import body_wrenches
from tarsus.errors import ArgumentError, SimulationError, SimulationWarning
from tarsus.model.model import Model
from tarsus.recording.samples import Samples, split_samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.collector import Collector
from tarsus.simulation.held_signals import HeldSignals
from tarsus.simulation.integration_check import integration_problem, unsettled_problem
from tarsus.simulation.plan import Plan
from tarsus.simulation.push import Push
from tarsus.simulation.rigid.stepped_time import stepped_problem
from tarsus.simulation.runs.contact_switches import switch_contacts
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.run import Run
from tarsus.simulation.runs.step_failure import StepFailure

Controller = (
    Callable[[float, FloatArray, FloatArray], "npt.ArrayLike | JointLaw"]
    | Callable[[Observation], "npt.ArrayLike | JointLaw"]
)
"""controller(t, q, v) or controller(observation): torques (*batch, nv), or a `JointLaw` for the next interval."""

_STRETCH_WALL_TIME = 0.2
"""A stretch of fixed steps takes about so long [s]: Ctrl-C and the progress bar wait for its end."""
_FIRST_STRETCH = 64.0
"""Steps of the first stretch, before it is known how long they take."""

_SAME_MOMENT = 1e-3
"""Part of a step by which the times of one moment may differ; samples of impacts come closer before its end."""


@final
class Driver:
    """Brings a run to its end, and calls the controller in between."""

    def __init__(
        self,
        run: Run,
        plan: Plan,
        controller: Controller | JointLaw | None,
        pushes: Sequence[Push],
        collector: Collector,
        bar: Callable[[float], None],
        suite: SensorSuite | None = None,
    ) -> None:
        self._run, self._plan, self._pushes = run, plan, pushes
        self._controller: Callable[..., Any] | None = controller if callable(controller) else None
        self._observes = self._controller is not None and takes_observation(self._controller)
        self._suite = suite
        self._calls = self._controller is not None or suite is not None
        self._looks_back = suite is not None and plan.control > 1  # accelerations are those of the last step
        self._signals = HeldSignals(run.robots.batch)
        if suite is not None:  # NaN of sensors that have told nothing yet
            silent = {name: np.full((*run.robots.batch, len(x)), np.nan) for name, x in suite.labels.items()}
            self._signals.hold(silent)
        self._stopped = ""
        self._still = np.zeros(run.velocity.shape)
        self._earlier: FloatArray | None = None  # velocity a step before the present one
        self._late: Samples | None = None  # of the present moment: what the controller logs now belongs to it
        self._collector, self._bar = collector, bar
        self._end = self._robots.step + plan.steps
        self._stretch = _FIRST_STRETCH
        resumed = self._robots.step > 0
        self._added = self._robots.sample(self._robots.time).energy["integration"] if resumed else 0.0

    @property
    def _robots(self) -> Robots:
        """The robots at present; others take over where the joints that lead loops change."""
        return self._run.robots

    def drive(self) -> Trajectory:
        """Do the whole run; what Ctrl-C left of it where that ended it."""
        run = self._run
        try:
            fresh = run.robots.step == 0
            while (fresh or run.robots.step < self._end) and not run.ended:
                if self._calls and run.robots.step % self._plan.control == 0:
                    self._control()
                    self._add_late()
                if self._pushes:
                    self._push()
                if fresh:
                    self._signals.fix()
                    self._collector.add(self._signals.on(run.start()))
                    fresh = False
                if self._stopped:
                    self._add_end()
                    trajectory = self._collector.stopped(self._stopped)
                    self._bar(run.robots.time + self._plan.dt * (self._end - run.robots.step))
                    self._warn(trajectory)
                    return trajectory
                if run.robots.step < self._end:
                    self._advance()
        except KeyboardInterrupt:
            self._add_late()
            return self._collector.interrupted(f"interrupted at {run.robots.time:g} s")
        except StepFailure as failure:
            self._add_late()
            self._collector.add(self._signals.on(failure.samples))
            place = tuple(map(int, np.unravel_index(failure.robot, run.robots.batch)))
            robot = "" if run.robots.single else f" of robot {place}"
            ways_on = f"; {failure.ways_on}" if failure.ways_on else ""
            raise self._error(f"simulation{robot} failed at {failure.time:g} s: {failure}{ways_on}") from None
        self._add_late()
        self._add_end()
        trajectory = self._collector.trajectory()
        self._warn(trajectory)
        return trajectory

    def _add_end(self) -> None:
        """Keep the end of a run that can be resumed, where no sample was due: the last steps would be lost."""
        run, parts = self._run, self._collector.parts
        if run.robots.resumable and not run.ended and not (parts and self._is_now(parts[-1])):
            self._collector.add(self._signals.on(run.end()))

    def _warn(self, trajectory: Trajectory) -> None:
        """Tell about steps that were taken without a solution, and about energy that came from nothing."""
        robots = self._robots
        for problem in (
            unsettled_problem(robots.unsettled, robots.count * robots.step),
            stepped_problem(trajectory, robots.count),
            integration_problem(trajectory, self._added),
        ):
            if problem is not None:
                warnings.warn(problem, SimulationWarning, stacklevel=4)

    def _advance(self) -> None:
        """Take one stretch of steps."""
        chunk = self._run.chunk
        most = max(1, int(self._stretch)) if chunk is None else chunk
        steps = min(self._end - self._robots.step, self._free_steps(most))
        begin = clock.perf_counter()
        samples = self._run.advance(steps)
        if self._looks_back and (self._robots.step + 1) % self._plan.control == 0:
            self._earlier = np.array(self._run.velocity)
        if samples is not None:
            self._add(samples)
        spent = clock.perf_counter() - begin
        self._stretch = min(max(steps * _STRETCH_WALL_TIME / max(spent, 1e-6), 1.0), 4 * self._stretch)
        self._bar(self._robots.time)

    def _add(self, samples: Samples) -> None:
        """Keep samples with the signals that hold; one of this moment waits for the controller, where it is called."""
        if self._calls and self._robots.step % self._plan.control == 0 and self._is_now(samples):
            samples, self._late = split_samples(samples, len(samples.time) - 1)
        if len(samples.time) > 0:
            self._collector.add(self._signals.on(samples))

    def _is_now(self, samples: Samples) -> bool:
        """Whether the last one is of the present moment, whose time may be rounded in another way."""
        return bool(samples.time[-1] > self._robots.time - _SAME_MOMENT * self._robots.dt)

    def _add_late(self) -> None:
        """Keep the sample that waited, with what the controller logged."""
        late, self._late = self._late, None
        self._collector.add(self._signals.on(late))

    def _free_steps(self, most: int) -> int:
        """Steps that can be taken at once: up to the next call of the controller or change of a push."""
        robots = self._robots
        if self._calls:
            left = self._plan.control - robots.step % self._plan.control
            most = min(most, left - 1 if self._looks_back and left > 1 else left)
        for push in self._pushes:
            first, last = push.steps(robots.dt)
            if first <= robots.step < last:
                return 1  # the moment of a force changes while the body turns
            if robots.step < first:
                most = min(most, first - robots.step)
        return most

    # -- what an observation asks for (control.observation.Observed) --------------------------------------------------

    @property
    def model(self) -> Model:
        """Of all robots."""
        return self._run.model

    @property
    def bodies_of_contacts(self) -> tuple[str, ...]:
        """Body that each contact is on."""
        return self._robots.world.bodies

    @property
    def moment(self) -> int:
        """Steps so far."""
        return self._run.robots.step

    def contacts(self) -> Contacts:
        """Contact forces of the step that ended last."""
        return self._run.contacts()

    def torque(self) -> FloatArray:
        """Torques of the joints in the step that ended last, shape (*batch, nv)."""
        return read_only_copy(self._run.torque)

    def log(self, signals: Mapping[str, Any]) -> None:
        """Hold these values from now on."""
        self._signals.hold(signals)

    def stop(self, reason: str) -> None:
        """End the run at the present time."""
        self._stopped = reason

    def switch(self, contacts: str | Iterable[str], on: npt.ArrayLike) -> None:
        """Switch contacts on or off from now on."""
        switch_contacts(self._robots, contacts, on)

    # -- control ----------------------------------------------------------------------------------------------------

    def _control(self) -> None:
        """Let sensors measure, call the controller, and use what it returns."""
        robots = self._robots
        q, v = read_only_copy(self._run.configuration), read_only_copy(self._run.velocity)
        readings = NO_READINGS if self._suite is None else self._measure(self._suite, q, v)
        if self._controller is None:
            return
        try:
            with calling_controller(robots.time, robots.batch, self._run.contacts):
                if self._observes:
                    answer = self._controller(Observation(self, robots.time, q, v, readings))
                else:
                    answer = self._controller(robots.time, q, v)
        except Exception as error:
            raise self._error(f"the controller failed at {robots.time:g} s: {type(error).__name__}: {error}") from error
        if self._stopped and answer is None:
            return
        if isinstance(answer, JointLaw):
            try:
                self._run.set_law(answer)
            except ArgumentError as error:
                raise self._error(
                    f"the controller returned a law that does not fit at {robots.time:g} s: {error}"
                ) from None
            return
        try:
            tau = np.asarray(answer)
            if tau.dtype.kind == "c":  # imaginary parts would get lost
                raise TypeError
            tau = np.asarray(tau, dtype=float)
        except (TypeError, ValueError):
            kind = f"{answer.dtype} numbers" if isinstance(answer, np.ndarray) else type(answer).__name__
            raise self._error(f"the controller returned {kind} at {robots.time:g} s, not torques") from None
        expected = (*robots.batch, self.model.nv)
        if tau.shape != expected:
            raise self._error(
                f"the controller returned torques of shape {tau.shape} at {robots.time:g} s; expected {expected}"
            )
        place = self._run.set_torque(tau)
        if place is not None:
            where = list(map(int, np.unravel_index(place, tau.shape)))
            raise self._error(f"the controller returned {tau[tuple(where)]} at {robots.time:g} s, entry {where}")

    def _measure(self, suite: SensorSuite, q: FloatArray, v: FloatArray) -> Mapping[str, FloatArray]:
        """Readings that have arrived by now; they are signals of the samples, too."""
        robots = self._robots
        try:
            contacts = self._run.contacts() if suite.needs_contacts else None
            earlier, self._earlier = self._earlier, None
            vdot = self._still if earlier is None else (v - earlier) / robots.dt
            motion = Motion.known(self.model, q, v, vdot, contacts, robots.time)
            suite.follow(robots.time, motion, accelerated=earlier is not None)
            arrived = suite.readings(robots.time)
        except ArgumentError as error:
            raise self._error(f"a sensor failed at {robots.time:g} s: {error}") from error
        self._signals.exchange(arrived)
        return Readings(suite.names, arrived)

    def _push(self) -> None:
        """Apply the pushes of this moment."""
        robots = self._robots
        acting = []
        for push in self._pushes:
            share = push.share(robots.step, robots.dt)
            if share > 0.0:
                acting.append((push, share))
        if not acting:
            robots.set_external(None)
            return
        q = robots.configuration
        lead = (*robots.batch, 6)
        total = sum(
            body_wrenches(robots.model, q, {push.frame: np.broadcast_to(share * push.wrench, lead)})
            for push, share in acting
        )
        robots.set_external(np.asarray(total))

    def _error(self, message: str) -> SimulationError:
        """An error with everything until now, the start at least."""
        self._add_late()
        if not self._collector.parts and self._robots.step == 0:
            self._collector.add(self._run.present())
        return SimulationError(message, self._collector.trajectory(message))
