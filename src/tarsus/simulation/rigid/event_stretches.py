"""Events that a user describes, and locks, on rigid ground: located by integrating anew, with maps of the state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.model.lowering import to_native, to_user
from tarsus.recording.samples import Samples
from tarsus.simulation.audit import begin_audit
from tarsus.simulation.rigid.rigid_run import RigidRun
from tarsus.simulation.runs.locks import lock_switches, require_closed
from tarsus.simulation.runs.solver import NativeStretches, Solver, take_step
from tarsus.simulation.runs.step_failure import STATUS, StepFailure
from tarsus.simulation.runs.stretch import Stretch
from tarsus.simulation.runs.trial_rates import TrialRates
from tarsus.simulation.runs.user_events import Event, Occurrence, UserEvents


@final
class _Motion:
    """One robot's state and phase as a vector, and the way of it through time without samples."""

    def __init__(self, run: RigidRun) -> None:
        self.run, self.robots = run, run.robots
        self.trial = TrialRates(lambda t, y: y, 0)
        state = run.robots.state
        self.q, self.v = slice(0, state.q.size), slice(state.q.size, state.q.size + state.v.size)

    def configuration(self, y: FloatArray) -> FloatArray:
        return np.asarray(to_user(self.robots.model, y[None, self.q])[0])

    def velocity(self, y: FloatArray) -> FloatArray:
        return y[self.v]

    def reach(self, start: float, y: FloatArray, end: float) -> FloatArray:
        kept = self.run.present()
        self.run.set_present(y)
        try:
            answer = self.run.advance(start, end, 0, 0, record=False)
            if answer.status != STATUS["ok"]:
                raise answer.failure or StepFailure(answer.status, 0, answer.time)
            return self.run.present()
        finally:
            self.run.set_present(kept)


@final
class EventStretches:
    """Stretches of time that end where a user's event happens.

    Attributes
    ----------
    ended : bool
        Whether a terminal event happened.
    """

    def __init__(self, run: RigidRun, events: Sequence[Event]) -> None:
        self._run, self._motion, self._functions = run, _Motion(run), tuple(events)
        self._events = UserEvents((*events, *lock_switches(run.robots)), self._motion, self._solver, 1)
        self._entries: list[dict[str, Any]] = []
        self.ended = False

    def take(self) -> list[dict[str, Any]]:
        """Events since the last call."""
        entries, self._entries = self._entries, []
        return entries

    def integrate(self, stretch: Stretch, advance: Callable[[Stretch, float], None]) -> None:
        """Bring the robot to the end of a stretch or to a terminal event; ``advance(stretch, end)`` takes it there."""
        dt = self._run.robots.dt
        y = self._run.present()
        values = self._events.values(stretch.now, y)
        while stretch.end - stretch.now > 1e-12 * max(1.0, stretch.end):
            solver = self._solver(stretch.now, y, min(stretch.now + dt, stretch.end))
            take_step(solver, self._motion.trial)
            end = float(solver.t)
            happened, _ = self._events.of_step(solver, y, values)
            mapped = False
            for one in happened:
                advance(stretch, one.time)
                if one.index >= len(self._functions):
                    self._turn(one, stretch, advance)
                    mapped = True
                    break
                mapped = self._take(one, stretch)
                if self.ended:
                    return
                if mapped:
                    break
            if not mapped:
                advance(stretch, end)
            y = self._run.present()
            values = self._events.values(stretch.now, y)

    def _take(self, one: Occurrence, stretch: Stretch) -> bool:
        """Note an event at the present state, and map that where the event asks for it; whether it did."""
        run = self._run
        stretch.found.append(self._sample(one))
        entry: dict[str, Any] = {"event": one.index, "time": one.time}
        self._entries.append(entry)
        self.ended = self._events.is_terminal(one.index)
        state_map = getattr(self._functions[one.index], "state_map", None)
        if state_map is None:
            return False
        robots = run.robots
        before = stretch.found[-1].energy
        q, v = self._mapped(state_map, one)
        robots.state.q[:], robots.state.v[:] = to_native(robots.model, q[None]), v
        run.phase[:] = 0.0
        run.require_above(one.time, f"state_map of event {one.index} puts {{}}")
        after = robots.sample(one.time).energy
        robots.state.work[:] += self._gained(before, after)
        stretch.found.append(self._sample(one))
        entry |= {f"{name}_{when}": float(energy[name][-1]) for when, energy in (("before", before), ("after", after))
                  for name in ("kinetic", "potential")}  # fmt: skip
        return True

    def _turn(self, one: Occurrence, stretch: Stretch, advance: Callable[[Stretch, float], None]) -> None:
        """Engage or release a lock at the present state; what engages is an impact of all contacts."""
        run, robots = self._run, self._run.robots
        held, number = robots.constraints, one.index - len(self._functions)
        assert held is not None
        place, engages = held.locks[number // 2], number % 2 == 0
        if engages:
            require_closed(robots, place, robots.configuration, robots.velocity, one.time)
        robots.set_engaged(place, engages)
        label = held.table.constraints[place].label
        entry: dict[str, Any] = {"event": "engage" if engages else "release", "constraint": label, "time": one.time}
        self._entries.append(entry)
        advance(stretch, one.time)
        if engages:
            impulse, loss = run.lock_impact()
            entry |= {"loss": loss, "impulse": [impulse]}

    def _gained(self, before: dict[str, FloatArray], after: dict[str, FloatArray]) -> FloatArray:
        """What a map changes in the works: the energy at the start, from which the audit counts, moves along."""
        shift = np.zeros_like(self._run.robots.state.work)
        begin_audit(shift, {name: after[name][-1:] - before[name][-1:] for name in after if name != "integration"})
        return shift

    def _mapped(self, state_map: Any, one: Occurrence) -> tuple[FloatArray, FloatArray]:
        """The state that a map makes of the present one."""
        robots = self._run.robots
        model = robots.model
        try:
            q, v = state_map(one.time, read_only_copy(robots.configuration), read_only_copy(robots.velocity))
            q, v = np.array(q, dtype=float), np.array(v, dtype=float)
        except Exception as error:
            raise StepFailure(
                f"state_map of event {one.index} raised {type(error).__name__}: {error}", 0, one.time
            ) from error
        who = f"state_map of event {one.index} returned"
        if q.shape != (model.nq,) or v.shape != (model.nv,):
            expected = f"({model.nq},) and ({model.nv},)"
            raise StepFailure(f"{who} shapes {q.shape}, {v.shape}; expected {expected}", 0, one.time)
        for name, array in (("q", q), ("v", v)):
            for i in np.flatnonzero(~np.isfinite(array)):
                raise StepFailure(f"{who} {name}[{i}] = {array[i]}; expected finite numbers", 0, one.time)
        return np.asarray(model.normalize(q)), v

    def _sample(self, one: Occurrence) -> Samples:
        samples = self._run.sample(one.time)
        mark = np.full(len(samples.time), one.index + 1, dtype=np.int64)
        return samples._replace(signals={"event": mark, **samples.signals})

    def _solver(self, start: float, y: FloatArray, end: float) -> Solver:
        return NativeStretches(self._motion, start, y, end)
