"""Calls of the native core for rigid contact by events: stretches of time, samples on the way, and what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.recording.samples import Samples
from tarsus.simulation.runs.loop_failure import step_failure
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.runs.step_failure import STATUS, StepFailure

_KINDS = tuple(_native.enumeration("RigidEventKind"))
_START_SAMPLE = _native.enumeration("StartSample")
_PHASE_HEADER, _PHASE_POINT, _PHASE_JOINTS = 12, 9, 4
"""Numbers of a phase for a robot, for each contact and before the modes of the joints of its tree, as
native/simulation/rigid/phase_numbers.hpp has them; the core checks their number."""
_IMPACT_SAMPLES = 64
"""Samples before and after impacts that a call has room for; where there are more, another call goes on."""


@final
@dataclass(frozen=True)
class Answer:
    """What a call gave.

    Attributes
    ----------
    status : int
        Status of the native core.
    time : float
        Where it stopped, if not at the end [s].
    due : int
        Samples that were due, and were taken.
    samples : Samples or None
    events : list of dict
    failure : StepFailure or None
    """

    status: int
    time: float
    due: int
    samples: Samples | None
    events: list[dict[str, Any]]
    failure: StepFailure | None


@final
class RigidRun:
    """Robots on rigid ground, with the phase of their contacts: what lasts from event to event.

    Attributes
    ----------
    phase : ndarray, shape (robots, numbers)
        Modes, slips, forces and levels of all points; all zero before the first event.
    """

    def __init__(self, robots: Robots) -> None:
        self.robots = robots
        self._names = robots.world.names
        self._joints = _PHASE_HEADER + _PHASE_POINT * len(self._names)
        joints = _PHASE_JOINTS + len(robots.model.coordinates.leader_v)
        self.phase = np.zeros((robots.count, self._joints + joints))

    @property
    def settled(self) -> bool:
        """Whether all robots have come to a first event: their phases are known."""
        return bool(np.all(self.phase[:, 0] != 0.0))

    def lock_impact(self) -> tuple[float, float]:
        """Impulse [N m s or N s] and loss [J] of the lock that engaged last, of a single robot."""
        impulse, loss = self.phase[0, self._joints + 2 : self._joints + 4]
        return float(impulse), float(loss)

    # -- all that a motion depends on, as one vector -----------------------------------------------------------------

    def present(self) -> FloatArray:
        """All numbers of the present state and phase of one robot."""
        return np.concatenate([part.ravel() for part in self._parts()])

    def set_present(self, y: FloatArray) -> None:
        """Make these the present state and phase."""
        place = 0
        for part in self._parts():
            part.ravel()[:] = y[place : place + part.size]
            place += part.size

    def _parts(self) -> tuple[FloatArray, ...]:
        state = self.robots.state
        return state.q, state.v, state.work, state.contact.force, self.phase

    # -- calls -------------------------------------------------------------------------------------------------------

    def advance(
        self, start: float, end: float, taken: int, due: int, *, record: bool = True, check_start: bool = False
    ) -> Answer:
        """Bring the robots from `start` to `end` [s]; where the room for samples is used up, less far.

        Parameters
        ----------
        taken, due : int
            Samples that were due and taken since time zero, and that are due until `end`.
        record : bool
            Take samples; those before and after impacts, too, of a single robot.
        check_start : bool
            Refuse a start below the ground.
        """
        robots = self.robots
        impacts = robots.single and record
        room = due + (_IMPACT_SAMPLES if impacts else 0)
        out = robots.outputs(room) if room and record else {}
        times, dof = np.empty(room), np.empty((room, robots.count))
        every = robots.every
        answer = robots.run_rigid(
            None,
            **out,
            phase=self.phase,
            start=start,
            end=end,
            first_step=taken * every,
            steps=due * every if record else 0,
            samples=room,
            take_impacts=int(impacts),
            check_start=int(check_start),
            out_time=times,
            out_dof=dof,
        )
        status, robot, time, closure, unsettled, depth, count, due_taken, events = answer
        robots.unsettled += unsettled
        samples = self._samples(times[:count], {name: x[:count] for name, x in out.items()}, dof[:count])
        failure = None
        if status == STATUS["below-ground"]:
            failure = self._below("{} starts", closure, depth, robot, time)
        elif status not in (STATUS["ok"], STATUS["paused"]):
            failure = step_failure(robots.model, status, robot, time, closure)
        return Answer(status, time, due_taken, samples, [self._entry(*event) for event in events], failure)

    def require_above(self, time: float, how: str) -> None:
        """Refuse a present state with a contact below the ground; `how` says how it came there, "{} starts"."""
        robots, copy = self.robots, self.phase.copy()
        status, robot, _, closure, _, depth, *_ = robots.run_rigid(
            robots.state.copy(),
            phase=self.phase,
            start=time,
            end=time,
            samples=0,
            take_impacts=0,
            check_start=1,
            out_time=None,
            out_dof=None,
        )
        self.phase[:] = copy
        if status == STATUS["below-ground"]:
            raise self._below(how, closure, depth, robot, time)

    def _below(self, how: str, contact: int, depth: float, robot: int, time: float) -> StepFailure:
        who = how.format(f"contact {self._names[contact]!r}")
        return StepFailure(f"{who} {depth:.3g} m below the rigid ground; expected 0 or above", robot, time)

    def sample(self, time: float) -> Samples:
        """One sample of the present state with the forces of its phase; before the first one of a start on trial."""
        robots, copy = self.robots, self.phase.copy()
        out, dof = robots.outputs(1), np.empty((1, robots.count))
        robots.run_rigid(
            robots.state.copy(),
            **out,
            phase=self.phase,
            start=time,
            end=time,
            samples=1,
            sample_start=_START_SAMPLE["acted"],
            take_impacts=0,
            check_start=0,
            out_time=None,
            out_dof=dof,
        )
        self.phase[:] = copy
        samples = self._samples(np.array([time]), out, dof)
        assert samples is not None
        return samples

    def _samples(self, times: FloatArray, out: dict[str, FloatArray], dof: FloatArray) -> Samples | None:
        if not len(times) or not out:
            return None
        robots = self.robots
        samples = robots.samples_of(times.tolist(), out)
        left = np.rint(dof).astype(np.int64).reshape(len(times), *robots.batch)
        return samples._replace(signals={"dof": left, **samples.signals})

    def _entry(self, robot: int, kind: int, contact: int, time: float, speed: float, *impulse: float) -> dict[str, Any]:
        """An event as plain JSON values."""
        name = _KINDS[kind]
        entry: dict[str, Any] = {"event": name, "time": time}
        if contact >= 0:
            entry = {"event": name, "contact": self._names[contact], "time": time}
        if name in ("impact", "painleve"):
            entry |= {"speed": speed, "impulse": list(impulse)}
        if name == "stepped":
            entry |= {"duration": speed}
        if not self.robots.single:
            entry |= {"robot": [int(i) for i in np.unravel_index(robot, self.robots.batch)]}
        return entry
