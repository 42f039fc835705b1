"""Rigid contact by events: smooth motion between them, located touch-downs, lift-offs, slips, sticks and impacts."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.touch_points import Indices, TouchPoints
from tarsus.errors import ArgumentError
from tarsus.recording.samples import Samples
from tarsus.simulation.rigid.event_log import EventLog
from tarsus.simulation.rigid.event_search import backward_slips, first_event, touch_gaps
from tarsus.simulation.rigid.flow import RigidFlow
from tarsus.simulation.rigid.settlement import Settlement
from tarsus.simulation.runs.integration import Integration, adaptive_chunk
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.solver import Solver, take_step
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.stretch import Stretch

_DEEPEST_START = 1e-4
"""A start deeper in the ground than this is refused; what is less deep is lifted [m]."""
_AT_REST = 1e-10
"""Velocities and accelerations up to this are rounding: the robot stands still [m/s, m/s^2 or rad/s, rad/s^2]."""
_EXPLICIT_STEPS = 20
"""Steps after an event before implicit ones: phases between events are often too short for a Jacobian to pay."""
_MOST_STALLED_EVENTS = 200
"""Number of events in a row without progress that ends a run."""
_PROGRESS = 1e-9
"""Events closer than this are without progress [s]."""
_UNSHARED = 1e-7
"""Forces of redundant points that cannot be shared within their cones, though no mode changes, are left so long at
first, and twice as long each time that follows [s]."""
_FALLING = 1e-6
"""Faster points have a time of touch that their gap corrects [m/s]."""
_LARGEST_SHIFT = 1e-6
"""Largest correction of that time [s]."""


@final
class EventDriven(Integration):
    """One robot on rigid ground, with state y = (q, v, work) and the phase of its contacts.

    Between events the modes of all points are constant, the accelerations smooth (`closed_motion`), and an integrator
    of order 8 (or an implicit one where joints are stiff) takes steps. A step ends early where an open point touches, a
    force leaves its cone, or a slip ends; there impacts are solved and modes chosen anew.
    """

    def __init__(self, robots: Robots, points: TouchPoints) -> None:
        if not robots.single:
            raise ArgumentError(
                f"q0, v0 have batch axes {robots.batch}, but 'event-driven' takes one robot at a time; simulate them "
                "one by one, or use the law LeastConstraint"
            )
        self._robots, self._points = robots, points
        self._flow = RigidFlow(robots, points)
        self._log = EventLog(points.names)
        place = {name: i for i, name in enumerate(robots.world.names)}
        self._column = np.array([place[name] for name in points.names], dtype=np.intp)
        self._settled = False
        self._unshared = _UNSHARED
        self._steps = 0
        self._first_step: float | None = None

    @property
    def chunk(self) -> int | None:
        """A fixed number of steps: those of the integrator end with a stretch."""
        return adaptive_chunk(self._robots.dt)

    @property
    def ended(self) -> bool:
        """Never: nothing ends such a run early."""
        return False

    def start(self) -> list[Samples]:
        """Begin the energy audit, and settle: two samples where there is an impact at once."""
        gap = self._flow.gaps(self._flow.present())
        if np.any(gap < -_DEEPEST_START):
            i = int(np.argmin(gap))
            name = self._points.names[i]
            raise StepFailure(
                f"contact {name!r} starts {-gap[i]:.3g} m below the rigid ground; expected 0 or above", 0, 0.0
            )
        self._robots.begin_audit()
        found: list[Samples] = []
        self._settle(self._robots.time, self._flow.present(), found)
        return found

    def integrate(self, stretch: Stretch) -> None:
        """Integrate from event to event to the end of a stretch; impacts are samples before and after."""
        flow, found = self._flow, stretch.found
        if not self._settled or not flow.forces_fit(stretch.now, flow.present()):
            self._settle(stretch.now, flow.present(), found)
        stalled, last = 0, stretch.now
        while stretch.end - stretch.now > 1e-12 * max(1.0, stretch.end) and not self._rests(stretch.now):
            event = self._integrate_phase(stretch)
            if event is None:
                break
            self._settle(stretch.now, event[0], found, event[1])
            stalled = stalled + 1 if stretch.now - last < _PROGRESS else 0
            last = stretch.now
            if stalled > _MOST_STALLED_EVENTS:
                message = f"{_MOST_STALLED_EVENTS} events of contact follow one another without progress"
                raise StepFailure(message, 0, stretch.now)
        stretch.take_due(np.inf, lambda _: flow.present(), self._sample)

    def completed(self, samples: Samples) -> Samples:
        """The sample of the present state with forces and degrees of freedom."""
        return self._with_forces(samples, self._flow.present())

    def acted(self) -> Samples:
        """The forces of the present phase; before it those of the continued trajectory, or of a start on trial."""
        robots, flow = self._robots, self._flow
        if self._settled:
            return self.completed(robots.sample(robots.time))
        if robots.step > 0:
            samples = robots.sample(robots.time)
            samples.contact_force[-1] = robots.state.contact.force.reshape(-1, 3)
            index = np.flatnonzero(samples.contact_force[-1, self._column].any(axis=-1))
            samples.contact_position[-1, self._column[index]] = flow.touch(flow.present(), index).point
            return samples
        before, trial = robots.state.copy(), EventDriven(robots, self._points)
        trial._settle(robots.time, flow.present(), [])
        samples = trial.acted()
        robots.state.assign(before)
        return samples

    def take_events(self) -> list[dict[str, Any]]:
        """Events of contact since the last call."""
        return self._log.take()

    # -- phases -----------------------------------------------------------------------------------------------------

    def _rests(self, t: float) -> bool:
        """Whether nothing moves, and nothing will before the law or a push changes."""
        if self._robots.law.times is not None or np.abs(self._robots.state.v).max() > _AT_REST:
            return False
        rate = self._flow.rate(t, self._flow.present())
        return bool(np.abs(self._flow.velocity(rate)).max() <= _AT_REST)

    def _integrate_phase(self, stretch: Stretch) -> tuple[FloatArray, Indices] | None:
        """Integrate with constant modes to an event: the state there and points that touch; None at the end of time."""
        flow = self._flow
        y = flow.present()
        solver = self._solver(stretch.now, y, stretch.end, self._first_step)
        flow.phase.touch_gap = touch_gaps(flow, y)
        while solver.status == "running":
            y_old = np.array(solver.y)
            take_step(solver, flow.trial)
            t_old, t = float(solver.t_old or 0.0), float(solver.t)
            flow.check_branches(t_old, y_old, solver.y)
            dense = solver.dense_output()
            event = first_event(flow, t_old, y_old, t, np.array(solver.y), dense)
            if event is not None:
                y, stretch.now = self._reach(t_old, y_old, *event)
                stretch.take_due(stretch.now - 1e-12 * max(1.0, stretch.now), dense, self._sample)
                return y, event[1]
            stretch.take_due(t + 1e-12 * max(1.0, t), dense, self._sample)
            stretch.now, self._first_step = t, t - t_old
            solver = self._after_step(solver, stretch.end)
        flow.set_present(solver.y)
        return None

    def _after_step(self, solver: Solver, end: float) -> Solver:
        """Bring closed points back onto the ground; the integrator that goes on, which may become an implicit one."""
        flow, t, y = self._flow, float(solver.t), np.array(solver.y)
        if np.any(flow.phase.backward_slip > 0.0):
            flow.phase.backward_slip = backward_slips(flow, y)
        self._steps += 1
        if flow.project(y):
            solver.y = y
            solver.f = flow.rate(t, y)  # type: ignore[attr-defined]
        if self._steps == _EXPLICIT_STEPS and solver.status == "running":
            return self._solver(t, y, end, self._first_step)
        return solver

    def _reach(self, t_old: float, y_old: FloatArray, at: float, touched: Indices) -> tuple[FloatArray, float]:
        """The state at an event, integrated anew to it, and its time, corrected by what the gap of a touch then is."""
        y = self._integrated(t_old, y_old, at)
        if len(touched):
            touch = self._flow.touch(y, touched)
            falling = touch.velocity[:, 0] < -_FALLING
            if falling.any():
                shift = float(np.min(-touch.gap[falling] / touch.velocity[falling, 0]))
                if abs(shift) < _LARGEST_SHIFT and shift != 0.0 and at + shift > t_old:
                    at = at + shift
                    y = self._integrated(t_old, y_old, at)
        return y, at

    def _solver(self, start: float, y: FloatArray, end: float, first: float | None) -> Solver:
        return self._flow.solver(start, y, end, first=first, implicit=self._steps >= _EXPLICIT_STEPS)

    def _integrated(self, start: float, y: FloatArray, end: float) -> FloatArray:
        """The state at `end`, with constant modes."""
        if end <= start:
            return y
        solver = self._solver(start, y, end, end - start)
        while solver.status == "running":
            take_step(solver, self._flow.trial)
        return np.array(solver.y)

    # -- events -----------------------------------------------------------------------------------------------------

    def _settle(self, t: float, y: FloatArray, found: list[Samples], touched: Indices | None = None) -> None:
        """Solve impacts of what touches at a state, choose the modes that follow, and go on from there."""
        flow = self._flow
        moment = Settlement(flow, self._log, t, touched, lambda before: found.append(self._sample(t, before)))
        y, fits = moment.settle(y)
        # Forces that cannot be shared within their cones: go on for a moment before asking again, longer each time.
        self._unshared = _UNSHARED if fits else 2.0 * self._unshared
        if not fits:
            flow.phase.unshared_until = t + self._unshared
        self._settled, self._steps, self._first_step = True, 0, None
        flow.phase.backward_slip = backward_slips(flow, y)
        flow.set_present(y)
        if moment.jumped:
            found.append(self._sample(t, y))

    # -- samples ----------------------------------------------------------------------------------------------------

    def _sample(self, time: float, y: FloatArray) -> Samples:
        return self._with_forces(self._flow.sample(time, y), self._flow.normalised(y))

    def _with_forces(self, samples: Samples, y: FloatArray) -> Samples:
        """The sample of a state y with forces of contact, and the degrees of freedom that are left."""
        touch, motion = self._flow.closed(float(samples.time[-1]), y, share=True)
        where = self._column[self._flow.phase.modes.index]
        samples.contact_force[-1, where] = touch.world(motion.load)
        samples.contact_position[-1, where] = touch.point
        dof = np.full(len(samples.time), self._flow.model.nv - motion.rank, dtype=np.int64)
        return samples._replace(signals={"dof": dof, **samples.signals})
