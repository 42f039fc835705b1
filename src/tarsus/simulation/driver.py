"""Drives a run: stretch by stretch, the controller and pushes in between."""

from __future__ import annotations

import time as clock
import warnings
from collections.abc import Callable, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.joint_law import JointLaw
from tarsus.devices.sensors.running_contacts import calling_controller
from tarsus.dynamics import body_wrenches
from tarsus.errors import ArgumentError, SimulationError, SimulationWarning
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.collector import Collector
from tarsus.simulation.integration_check import integration_problem
from tarsus.simulation.plan import Plan
from tarsus.simulation.push import Push
from tarsus.simulation.runs.run import Run
from tarsus.simulation.runs.step_failure import StepFailure

Controller = Callable[[float, FloatArray, FloatArray], "npt.ArrayLike | JointLaw"]
"""controller(t, q, v): torques (*batch, nv), or a `JointLaw` for the next interval; q and v are read-only copies."""

_STRETCH_WALL_TIME = 0.2
"""A stretch of fixed steps takes about so long [s]: Ctrl-C and the progress bar wait for its end."""
_FIRST_STRETCH = 64.0
"""Steps of the first stretch, before it is known how long they take."""


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
    ) -> None:
        self._run, self._plan, self._controller, self._pushes = run, plan, controller, pushes
        self._collector, self._bar = collector, bar
        self._robots = run.robots
        self._end = self._robots.step + plan.steps
        self._stretch = _FIRST_STRETCH
        resumed = self._robots.step > 0
        self._added = self._robots.sample(self._robots.time).energy["integration"] if resumed else 0.0

    def drive(self) -> Trajectory:
        """Do the whole run; what Ctrl-C left of it where that ended it."""
        run, robots = self._run, self._robots
        try:
            fresh = robots.step == 0
            while (fresh or robots.step < self._end) and not run.ended:
                if callable(self._controller) and robots.step % self._plan.control == 0:
                    self._control()
                self._push()
                if fresh:
                    self._collector.add(run.start())
                    fresh = False
                if robots.step < self._end:
                    self._advance()
        except KeyboardInterrupt:
            return self._collector.interrupted(f"interrupted at {robots.time:g} s")
        except StepFailure as failure:
            self._collector.add(failure.samples)
            place = tuple(map(int, np.unravel_index(failure.robot, robots.batch)))
            robot = "" if robots.single else f" of robot {place}"
            raise self._error(f"simulation{robot} failed at {failure.time:g} s: {failure}") from None
        trajectory = self._collector.trajectory()
        self._warn(trajectory)
        return trajectory

    def _warn(self, trajectory: Trajectory) -> None:
        """Tell about steps that were taken without a solution, and about energy that came from nothing."""
        robots = self._robots
        if robots.unsettled > 0:
            warnings.warn(
                f"contact impulses did not settle in {robots.unsettled} of {robots.count * robots.step} steps: they "
                "changed by more than 1e-3 of the largest one to the last; try a smaller dt",
                SimulationWarning,
                stacklevel=4,
            )
        problem = integration_problem(trajectory, self._added)
        if problem is not None:
            warnings.warn(problem, SimulationWarning, stacklevel=4)

    def _advance(self) -> None:
        """Take one stretch of steps."""
        robots, chunk = self._robots, self._run.chunk
        steps = min(self._end - robots.step, self._free_steps(max(1, int(self._stretch)) if chunk is None else chunk))
        begin = clock.perf_counter()
        self._collector.add(self._run.advance(steps))
        spent = clock.perf_counter() - begin
        self._stretch = min(max(steps * _STRETCH_WALL_TIME / max(spent, 1e-6), 1.0), 4 * self._stretch)
        self._bar(robots.time)

    def _free_steps(self, most: int) -> int:
        """Steps that can be taken at once: up to the next call of the controller or change of a push."""
        robots = self._robots
        if callable(self._controller):
            most = min(most, self._plan.control - robots.step % self._plan.control)
        for push in self._pushes:
            first, last = push.steps(robots.dt)
            if first <= robots.step < last:
                return 1  # the moment of a force changes while the body turns
            if robots.step < first:
                most = min(most, first - robots.step)
        return most

    def _control(self) -> None:
        """Call the controller, and use what it returns."""
        robots = self._robots
        assert callable(self._controller)
        q, v = read_only_copy(robots.configuration), read_only_copy(robots.velocity)
        try:
            with calling_controller(robots.time, robots.batch, self._run.contacts):
                answer = self._controller(robots.time, q, v)
        except Exception as error:
            raise self._error(f"the controller failed at {robots.time:g} s: {type(error).__name__}: {error}") from error
        if isinstance(answer, JointLaw):
            try:
                robots.set_law(answer)
            except ArgumentError as error:
                raise self._error(
                    f"the controller returned a law that does not fit at {robots.time:g} s: {error}"
                ) from None
            return
        try:
            tau = np.array(answer, dtype=float)  # the controller may use its array again
        except (TypeError, ValueError):
            raise self._error(
                f"the controller returned {type(answer).__name__} at {robots.time:g} s, not torques"
            ) from None
        expected = (*robots.batch, robots.model.nv)
        if tau.shape != expected:
            raise self._error(
                f"the controller returned torques of shape {tau.shape} at {robots.time:g} s; expected {expected}"
            )
        if not np.all(np.isfinite(tau)):
            where = np.argwhere(~np.isfinite(tau))[0].tolist()
            raise self._error(f"the controller returned {tau[tuple(where)]} at {robots.time:g} s, entry {where}")
        robots.set_torque(tau)

    def _push(self) -> None:
        """Apply the pushes of this moment."""
        robots = self._robots
        acting = []
        for push in self._pushes:
            first, last = push.steps(robots.dt)
            if first <= robots.step < last:
                acting.append(push)
        if not acting:
            robots.set_external(None)
            return
        q = robots.configuration
        lead = (*robots.batch, 6)
        total = sum(body_wrenches(robots.model, q, {p.frame: np.broadcast_to(p.wrench, lead)}) for p in acting)
        robots.set_external(np.asarray(total))

    def _error(self, message: str) -> SimulationError:
        """An error with everything until now, the start at least."""
        if not self._collector.parts and self._robots.step == 0:
            self._collector.add(self._run.present())
        return SimulationError(message, self._collector.trajectory(message))
