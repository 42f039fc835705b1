"""Rigid contact by events: smooth motion between them, located touch-downs, lift-offs, slips, sticks and impacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.rigid.impact import REST, ImpactLoads, jam, solve_impact
from tarsus.contact.rigid.modes import STILL, Choice, Modes, choose_modes
from tarsus.contact.rigid.touch_points import Indices, Touch, TouchPoints
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError
from tarsus.simulation.rigid.flow import RigidFlow
from tarsus.simulation.runs.adaptive import Solver
from tarsus.simulation.runs.robots import NativeRun, Samples, StepFailure, joined
from tarsus.simulation.world import World

if TYPE_CHECKING:
    from tarsus.model import Model

ON_GROUND = 1e-9
"""Points with a gap up to this can close [m]."""
_SUNK = 1e-4
"""A start deeper in the ground than this is refused; what is less deep is lifted [m]."""
_HIT = 1e-12
"""An open point touches when its gap falls so far below zero, or below what it was [m]."""
_SOLVED = 1e-7
"""Residual of complementarity above which a run fails."""
_LOOKS = 4
"""A step is looked through for events in so many parts."""
_BISECTIONS = 48
_EVENT_TIME = 1e-12
"""Bracket that remains about the time of an event [s]."""
_REPEATS = 8
"""At most so many times impacts are solved, and modes chosen, at one event."""
_RESTING = 1e-10
"""Velocities and accelerations up to this are rounding: the robot stands still [m/s, m/s^2 or rad/s, rad/s^2]."""
_EXPLICIT_STEPS = 20
"""Before that: phases between events are often too short for a Jacobian to pay."""
_CROWD = 200
"""So many events in a row without progress end a run."""
_PATIENCE = 1e-7
"""Forces of redundant points that cannot be shared within their cones, though no mode changes, are left so long [s]."""


class EventDrivenRun(NativeRun):
    """One robot on rigid ground; the state is y = (q, v, work), and the modes of the contacts.

    Between events the modes of all points are constant, the accelerations smooth (`closed_motion`), and an integrator
    of order 8 (or an implicit one where joints are stiff) takes steps. A step ends early where an open point touches, a
    force leaves its cone, or a slip ends; there impacts are solved and modes chosen anew.
    """

    def __init__(
        self, model: Model, world: World, q: FloatArray, v: FloatArray, *, points: TouchPoints, **options: Any
    ) -> None:
        if q.shape[:-1] != ():
            raise ArgumentError(
                f"q0, v0 have batch axes {q.shape[:-1]}, but 'event-driven' takes one robot at a time; simulate them "
                "one by one, or use the law LeastConstraint"
            )
        self._flow = RigidFlow(model, points, q, v, **options)
        super().__init__(model, world, q, v, integrator="flow", **options)
        self.points = points
        place = {name: i for i, name in enumerate(world.names)}
        self._column = np.array([place[name] for name in points.names], dtype=np.intp)
        self._settled = self._jumped = False
        self._clock = 0.0
        self._threshold, self._slack = np.zeros(points.count), np.zeros(0)
        self._first_step: float | None = None
        self._steps = 0
        self._trust, self._patience = -np.inf, _PATIENCE
        self._happened: list[dict[str, Any]] = []

    # -- what drives it ---------------------------------------------------------------------------------------------

    def set_law(self, law: JointLaw) -> None:
        """Use this joint law from now on."""
        super().set_law(law)
        self._flow.set_law(law)

    def set_external(self, wrenches: FloatArray | None) -> None:
        """Constant wrenches on the bodies from now on, shape (nb, 6)."""
        super().set_external(wrenches)
        self._flow.set_external(wrenches)

    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call."""
        found, self._happened = self._happened, []
        return found

    def start(self) -> Samples:
        """The present state as one sample, after impacts that are due at once."""
        gap = self.points.gaps(self._flow.configuration(self._state()))
        if np.any(gap < -_SUNK):
            i = int(np.argmin(gap))
            name = self.points.names[i]
            raise StepFailure(
                f"contact {name!r} starts {-gap[i]:.3g} m below the rigid ground; expected 0 or above", 0, 0.0
            )
        samples = super().start()
        found: list[Samples] = []
        self._settle(self.time, found)
        return joined(found) if found else self._completed(samples)

    def present(self) -> Samples:
        """The present state as one sample."""
        return self._completed(super().present())

    def advance(self, steps: int) -> Samples:
        """Integrate to the end of that many steps of dt; returns the samples, those at impacts included."""
        end = (self.step + steps) * self.dt
        spacing, before = self.every * self.dt, self.step // self.every
        due = [(before + 1 + k) * spacing for k in range((self.step + steps) // self.every - before)]
        found: list[Samples] = []
        self._clock = self.time
        try:
            self._advance(end, due, found)
        except StepFailure as failure:
            failure.samples = joined(found) if found else None
            raise
        self.step += steps
        return joined(found) if found else self._call(0, 0, sample_start=False)

    # -- phases -----------------------------------------------------------------------------------------------------

    def _advance(self, end: float, due: list[float], found: list[Samples]) -> None:
        if not self._settled or not self._forces_fit(self._clock, self._state()):
            self._settle(self._clock, found)
        stalled, last = 0, self._clock
        while end - self._clock > 1e-12 * max(1.0, end) and not self._rests():
            touched = self._phase(end, due, found)
            if touched is None:
                break
            self._settle(self._clock, found, touched)
            stalled = stalled + 1 if self._clock - last < 1e-9 else 0
            last = self._clock
            if stalled > _CROWD:
                raise StepFailure(f"{_CROWD} events of contact follow one another without progress", 0, self._clock)
        self._clock = end
        while due:
            found.append(self._at(due.pop(0), self._state()))

    def _rests(self) -> bool:
        """Whether nothing moves, and nothing will before the law or a push changes."""
        if self._flow.law.times is not None or np.abs(self.v).max() > _RESTING:
            return False
        rate = self._flow.rate(self._clock, self._state())
        return bool(np.abs(self._flow.velocity(rate)).max() <= _RESTING)

    def _phase(self, end: float, due: list[float], found: list[Samples]) -> Indices | None:
        """Integrate with constant modes; points that touched where an event ended it, None at the end of time."""
        y = self._state()
        solver = self._solver(self._clock, y, end, self._first_step)
        gap = self.points.gaps(self._flow.configuration(y))
        self._threshold = np.minimum(gap, 0.0) - _HIT
        while solver.status == "running":
            y_old = np.array(solver.y)
            solver.step()
            if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
                raise StepFailure(2 if np.all(np.isfinite(solver.y)) else 1, 0, float(solver.t))
            t_old, t = float(solver.t_old or 0.0), float(solver.t)
            dense = solver.dense_output()
            event = self._first_event(t_old, y_old, t, np.array(solver.y), dense)
            if event is not None:
                at, touched = event
                y_event, at, touched = self._reach(t_old, y_old, at, touched)
                self._sample(found, due, dense, at - 1e-12 * max(1.0, at))
                self._set(y_event)
                self._clock = at
                return touched
            self._sample(found, due, dense, t + 1e-12 * max(1.0, t))
            self._first_step = t - t_old
            self._clock = t
            y = np.array(solver.y)
            if np.any(self._slack > 0.0):
                self._slack = self._slowness(y)
            self._steps += 1
            if self._flow.project(y):
                solver.y = y
                solver.f = self._flow.rate(t, y)  # type: ignore[attr-defined]
            if self._steps == _EXPLICIT_STEPS and solver.status == "running":
                solver = self._solver(t, y, end, self._first_step)
        self._set(solver.y)
        self._normalise()
        return None

    def _settle(self, t: float, found: list[Samples], touched: Indices | None = None) -> None:
        """Impacts of what touches, then the modes that follow."""
        before, self._jumped, self._trust = self._flow.modes, False, -np.inf
        y = self._state()
        for _ in range(_REPEATS):
            y, choice = self._choose(t, y, touched, found)
            self._flow.modes, self._flow.load = choice.modes, choice.load
            self._flow.project(y)  # which may turn slow slips, and the forces with them
            if self._forces_fit(t, y):
                self._patience = _PATIENCE
                break
        else:
            # They cannot be shared within their cones: go on for a moment before asking again, longer each time.
            self._patience *= 2.0
            self._trust = t + self._patience
        self._announce(t, before, self._flow.modes)
        self._settled, self._steps, self._first_step = True, 0, None
        self._slack = self._slowness(y)
        self._set(y)
        self._normalise()
        if self._jumped:
            found.append(self._at(t, y))

    def _choose(
        self, t: float, y: FloatArray, touched: Indices | None, found: list[Samples]
    ) -> tuple[FloatArray, Choice]:
        """Impacts, and the modes of the state after them."""
        for _ in range(_REPEATS):
            touch = self._candidates(y, touched)
            if not np.any(touch.velocity[:, 0] < -1e-10):
                break
            y = self._impact(t, y, touch, found)
        choice, Y, A = self._modes_of(t, y, touch)
        if len(choice.painleve) and (choice.residual > _SOLVED or np.any(choice.solution.loaded[choice.painleve])):
            y = self._jam(t, y, touch, Y, A, choice.painleve, found)
            choice, Y, A = self._modes_of(t, y, self._candidates(y, touched))
        if choice.residual > _SOLVED:
            raise StepFailure(f"no contact forces were found (residual {choice.residual:.1e})", 0, t)
        return y, choice

    def _modes_of(self, t: float, y: FloatArray, touch: Touch) -> tuple[Choice, FloatArray, FloatArray]:
        Y, A = touch.response(self.model, self._flow.configuration(y))
        free = self._flow.free_acceleration(t, y)
        return choose_modes(touch, A, free), Y, A

    def _candidates(self, y: FloatArray, touched: Indices | None) -> Touch:
        """Points on the ground that do not leave it, or slower than `REST`: rocking comes to an end like bouncing."""
        q, v = self._flow.configuration(y), self._flow.velocity(y)
        near = self.points.gaps(q) <= ON_GROUND
        near[self._flow.modes.index] = True
        if touched is not None:
            near[touched] = True
        touch = self.points.touch(q, v, np.flatnonzero(near))
        stays = touch.velocity[:, 0] <= REST
        return self.points.touch(q, v, touch.index[stays]) if not stays.all() else touch

    def _impact(self, t: float, y: FloatArray, touch: Touch, found: list[Samples]) -> FloatArray:
        Y, A = touch.response(self.model, self._flow.configuration(y))
        loads = solve_impact(touch, A)
        if loads.residual > _SOLVED:
            raise StepFailure(f"no impulses of an impact were found (residual {loads.residual:.1e})", 0, t)
        hits = np.flatnonzero((touch.velocity[:, 0] < -REST) & (loads.impulse[:, 0] > 0.0))
        return self._jump(t, y, touch, Y, loads, [("impact", i) for i in hits], found)

    def _jam(
        self, t: float, y: FloatArray, touch: Touch, Y: FloatArray, A: FloatArray, where: Indices, found: list[Samples]
    ) -> FloatArray:
        stop = np.zeros(touch.count, dtype=bool)
        stop[where] = True
        loads = jam(touch, A, stop)
        names = ", ".join(self.points.names[touch.index[i]] for i in where)
        if loads is None:
            raise StepFailure(f"Painleve's paradox at {names}: no force and no impulse obeys the friction law", 0, t)
        return self._jump(t, y, touch, Y, loads, [("painleve", int(i)) for i in where], found)

    def _jump(
        self,
        t: float,
        y: FloatArray,
        touch: Touch,
        Y: FloatArray,
        loads: ImpactLoads,
        events: list[tuple[str, Any]],
        found: list[Samples],
    ) -> FloatArray:
        """The velocities change; where that is an event, a sample is taken before it."""
        if events and not self._jumped:
            found.append(self._at(t, y))
        self._jumped = self._jumped or bool(events)
        y = self._flow.kicked(y, Y @ loads.impulse.ravel(), loads.loss)
        for kind, i in events:
            name, impulse = self.points.names[touch.index[i]], touch.world(loads.impulse)[i].tolist()
            self._happened.append(
                {"event": kind, "contact": name, "time": t, "speed": float(-touch.velocity[i, 0]), "impulse": impulse}
            )
        return y

    def _announce(self, t: float, before: Modes, after: Modes) -> None:
        """Touch-downs, lift-offs, slips and sticks from the change of modes."""
        old = dict(zip(before.index.tolist(), before.stick.tolist(), strict=True))
        ahead = dict(zip(before.index.tolist(), before.direction, strict=True))
        along = dict(zip(after.index.tolist(), after.direction, strict=True))
        new = dict(zip(after.index.tolist(), after.stick.tolist(), strict=True))
        for i in sorted(old.keys() | new.keys()):
            name = self.points.names[i]
            if i not in old:
                self._happened.append({"event": "touch-down", "contact": name, "time": t})
            elif i not in new:
                self._happened.append({"event": "lift-off", "contact": name, "time": t})
            elif old[i] != new[i] or float(ahead[i] @ along[i]) < 0.0:  # a slip may turn back at once
                self._happened.append({"event": "stick" if new[i] else "slip", "contact": name, "time": t})

    # -- events -----------------------------------------------------------------------------------------------------

    def _first_event(
        self, t_old: float, y_old: FloatArray, t: float, y: FloatArray, dense: Callable[[float], FloatArray]
    ) -> tuple[float, Indices] | None:
        """Time of the first event within a step, and points that touch then."""
        times = np.linspace(t_old, t, _LOOKS + 1)
        low = t_old
        history: list[FloatArray] = [self._open_gaps(y_old)]
        for k in range(1, _LOOKS + 1):
            at = float(times[k])
            state = y if k == _LOOKS else np.asarray(dense(at))
            gap = self._open_gaps(state)
            history.append(gap)
            if k >= 2:  # a dip between the looks: the parabola through three of them falls below zero
                dip = self._dip(history[-3:], times[k - 2 : k + 1])
                if dip is not None and np.any(self._open_gaps(np.asarray(dense(dip))) < 0.0):
                    return self._locate(float(times[k - 2]), dip, dense)
            if np.any(gap < 0.0) or self._slip_ends(state) or (k == _LOOKS and not self._forces_fit(at, state)):
                # Forces are looked at at the end only: they may have left their cones anywhere before.
                return self._locate(low if k < _LOOKS else t_old, at, dense)
            low = at
        return None

    def _dip(self, gaps: list[FloatArray], times: FloatArray) -> float | None:
        a, b, c = (np.where(np.isfinite(gap), gap, 0.0) for gap in gaps)
        bend = a - 2 * b + c
        lowest = (bend > 0.0) & (b > 0.0) & (a > 0.0) & (c > 0.0) & (np.abs(a - c) < 2.0 * bend)
        if not lowest.any():
            return None
        depth = np.where(lowest, b - (a - c) ** 2 / (8.0 * np.where(bend > 0.0, bend, 1.0)), np.inf)
        i = int(np.argmin(depth))
        if depth[i] >= 0.0:
            return None
        return float(times[1] + 0.5 * (a[i] - c[i]) / bend[i] * (times[1] - times[0]))

    def _locate(self, low: float, high: float, dense: Callable[[float], FloatArray]) -> tuple[float, Indices]:
        """Bisection to the moment at which something happens first."""
        for _ in range(_BISECTIONS):
            if high - low <= _EVENT_TIME:
                break
            middle = 0.5 * (low + high)
            if self._happens(middle, np.asarray(dense(middle))):
                high = middle
            else:
                low = middle
        return high, np.flatnonzero(self._open_gaps(np.asarray(dense(high))) < 0.0)

    def _happens(self, t: float, y: FloatArray) -> bool:
        return bool(np.any(self._open_gaps(y) < 0.0)) or self._slip_ends(y) or not self._forces_fit(t, y)

    def _open_gaps(self, y: FloatArray) -> FloatArray:
        """Gaps above their thresholds; infinite for closed points."""
        gap = self.points.gaps(self._flow.configuration(y)) - self._threshold
        gap[self._flow.modes.index] = np.inf
        return gap

    def _slip_ends(self, y: FloatArray) -> bool:
        """Whether a point slips backwards: its slip has ended in between."""
        modes = self._flow.modes
        if modes.stick.all():
            return False
        touch = self._flow.touch(y, modes.index)
        u = np.einsum("kab,ka->kb", touch.axes[:, 1:], touch.velocity[:, 1:])
        back = np.sum(u * modes.direction, axis=1) < -self._slack
        return bool(np.any(back & ~modes.stick & (touch.friction > 0.0)))

    def _slowness(self, y: FloatArray) -> FloatArray:
        """How far back a slip may go before it has ended: what begins to slip may first tremble."""
        touch = self._flow.touch(y, self._flow.modes.index)
        return np.where(np.hypot(touch.velocity[:, 1], touch.velocity[:, 2]) <= 2.0 * STILL, 0.1 * STILL, 0.0)

    def _forces_fit(self, t: float, y: FloatArray) -> bool:
        if len(self._flow.modes.index) == 0 or t < self._trust:
            return True
        return self._flow.closed(t, y, share=True)[1].feasible

    def _reach(self, t_old: float, y_old: FloatArray, at: float, touched: Indices) -> tuple[FloatArray, float, Indices]:
        """The state at an event, integrated anew to it; the time of a touch is corrected by what the gap then is."""
        y = self._integrate(t_old, y_old, at)
        if len(touched):
            touch = self._flow.touch(y, touched)
            falling = touch.velocity[:, 0] < -1e-6
            if falling.any():
                shift = float(np.min(-touch.gap[falling] / touch.velocity[falling, 0]))
                if abs(shift) < 1e-6 and shift != 0.0 and at + shift > t_old:
                    at = at + shift
                    y = self._integrate(t_old, y_old, at)
        return y, at, touched

    def _solver(self, start: float, y: FloatArray, end: float, first: float | None) -> Solver:
        return self._flow.solver(start, y, end, first=first, implicit=self._steps >= _EXPLICIT_STEPS)

    def _integrate(self, start: float, y: FloatArray, end: float) -> FloatArray:
        if end <= start:
            return y
        solver = self._solver(start, y, end, end - start)
        while solver.status == "running":
            solver.step()
        if solver.status == "failed":
            raise StepFailure(2, 0, end)
        return np.array(solver.y)

    # -- states and samples -----------------------------------------------------------------------------------------

    def _state(self) -> FloatArray:
        return np.concatenate([self.q[0], self.v[0], self.work[0]])

    def _set(self, y: FloatArray) -> None:
        parts = np.cumsum([self.q.shape[1], self.model.nv])
        self.q[0], self.v[0], self.work[0] = np.split(y, parts)

    def _normalise(self) -> None:
        self._flow.normalise(self.q[0])

    def _sample(self, found: list[Samples], due: list[float], dense: Any, reached: float) -> None:
        while due and due[0] <= reached:
            at = due.pop(0)
            found.append(self._at(at, np.asarray(dense(at))))

    def _at(self, t: float, y: FloatArray) -> Samples:
        """The sample of a state."""
        kept = self._state()
        self._set(y)
        self._normalise()
        samples = self._completed(self._call(0, 1, sample_start=True, at=t))
        samples.time[:] = t
        self._set(kept)
        return samples

    def _completed(self, samples: Samples) -> Samples:
        """Forces and degrees of freedom put into the sample of the present state."""
        touch, motion = self._flow.closed(float(samples.time[-1]), self._state(), share=True)
        where = self._column[self._flow.modes.index]
        samples.force[-1, where], samples.position[-1, where] = touch.world(motion.load), touch.point
        samples.signals["dof"] = np.full(samples.count, self.model.nv - motion.rank, dtype=np.int64)
        return samples
