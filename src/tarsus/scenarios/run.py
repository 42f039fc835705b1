"""Runs a scenario: on different grounds, with masses that differ and commands that come late."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.laws import LAWS
from tarsus.control.observation import Observation
from tarsus.control.sequencing.contact_sequence import Event
from tarsus.control.whole_body.answer import STATUSES, Command
from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.recording.trajectory import CONTACT_BODIES, Trajectory
from tarsus.scenarios.model_errors import heavier
from tarsus.scenarios.monitor import Monitor, Verdict
from tarsus.scenarios.scenario import Control, Scenario
from tarsus.scenarios.sensing import Proprioception, Senses, Told, TrueState
from tarsus.simulation.simulate import simulate

FRICTION = 0.8
"""Coefficient of friction of the ground."""
DT = 1e-3
"""Step of the simulation, and time between commands [s]."""
ENDING = 0.25
"""Time that goes on after the controller is done [s]."""
STATES = ("hold", "shift", "unload", "swing", "seek", "load", "trot", "done", "failed", "reach", "grasp", "lift",
          "carry", "lower", "put", "release", "retreat")  # fmt: skip
"""Numbers of the signal "control_state"."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a scenario.

    Attributes
    ----------
    trajectory : Trajectory
        With the signals "com_reference" (3,), "q_reference" (nq,), "control_state" (number in `STATES`), "status"
        (number in the statuses of whole-body control, 0 where all holds), "iterations", "solve_time" (processor time
        of the controller, [s]: it alone is not the same in every run), and, for each contact of the controller,
        "wrench/FRAME" (6,), what the command expects there: force and moment at the frame, world axes. On sensors also
        "q_told" (nq,), what the controller took for the state.
    verdict : Verdict
    events : tuple of Event
    """

    trajectory: Trajectory
    verdict: Verdict
    events: tuple[Event, ...]


def run(
    scenario: Scenario,
    *,
    ground: str = "compliant",
    mass_error: float = 0.0,
    delay: float = 0.0,
    seed: int = 0,
    sensors: bool = False,
    control_dt: float = DT,
    duration: float | None = None,
    record: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Outcome:
    """Simulate a scenario under its controller, 1000 commands a second where nothing else is asked for.

    Parameters
    ----------
    ground : {"compliant", "least-constraint", "rigid", "pseudo-coulomb", "visco-elastic-sole"}
        Contact law of the ground, friction 0.8.
    mass_error : float
        By which part all bodies of the simulated robot are heavier than those that the controller knows.
    delay : float
        Time from the state to the torques that are made for it, a multiple of `control_dt` [s].
    seed : int
        The same seed gives the same run, bit by bit.
    sensors : bool
        Whether the controller is told what encoders, an inertial unit and force sensors make of the state, with errors
        of ordinary parts; the true state otherwise. Verdicts are about the true state.
    control_dt : float
        Time between commands, a multiple of 1 ms [s].
    duration : float, optional
        Instead of that of the scenario [s].
    record : path-like, optional
        Recording to write.
    progress : bool, optional
        Of `tarsus.simulate`.

    Returns
    -------
    Outcome
        The verdict names the first condition that was violated: a command without a solution; equations of motion
        missed by more than 1e-8, cones or torque limits by more than 1e-6; a contact that slides by more than 1 mm;
        without an error of masses, a centre of mass more than 5 mm from its reference (after pushes 2 s are given to
        come back); other bodies than those of the contacts on the ground; a fall; a controller that has not come to its
        end.
    """
    law = _law(ground)(friction=FRICTION)
    late = _steps(delay, control_dt)
    control = scenario.control()
    senses = Proprioception(scenario.known, scenario.q0, control.supports) if sensors else TrueState()
    watch = Monitor(scenario.known, scenario.pushes, scenario.calm, tracks=scenario.tracks and mass_error == 0.0)
    driven = _Driven(control, senses, watch, late)
    found = simulate(
        heavier(scenario.model, mass_error),
        scenario.q0,
        duration=scenario.duration if duration is None else duration,
        controller=driven,
        sensors=senses.sensors,
        ground=scenario.ground(law),
        contacts=scenario.contacts,
        pairs=scenario.pairs,
        dt=DT,
        control_dt=control_dt,
        pushes=scenario.pushes,
        seed=seed,
        record=record,
        progress=progress,
    )
    told = _unfinished(scenario, control, float(found.time[-1]))
    other = _touching(found, scenario)
    verdict = watch.verdict(told)
    if verdict.passed and not found.finished:  # Ctrl-C
        verdict = Verdict(False, found.reason, float(found.time[-1]), watch.largest)
    if other is not None and (verdict.passed or verdict.time is None or other[0] < verdict.time):
        verdict = Verdict(False, other[1], other[0], watch.largest)
    return Outcome(found, verdict, tuple(control.events))


class _Driven:
    """The controller as `simulate` calls it: watched, and late."""

    def __init__(self, control: Control, senses: Senses, watch: Monitor, late: int) -> None:
        self._control, self._senses, self._watch = control, senses, watch
        self._frames = tuple(dict.fromkeys(control.frames))
        self._waiting: deque[FloatArray] = deque()
        self._late, self._done = late, np.inf

    def __call__(self, observation: Observation) -> FloatArray:
        control, t = self._control, observation.t
        told = self._senses.tell(observation)
        begin = time.thread_time()
        found = control.command(t, told.q, told.v, told.force)
        spent = time.thread_time() - begin
        self._watch.watch(t, observation.q, told, found, control.contacts, control.com_reference,
                          control.heaviness)  # fmt: skip
        observation.log(**self._signals(told, found, spent))
        self._end(observation)
        self._waiting.append(found.tau)
        if len(self._waiting) <= self._late:
            return self._waiting[0]
        return self._waiting.popleft()

    def _signals(self, told: Told, found: Command, spent: float) -> dict[str, FloatArray | float]:
        control, nothing = self._control, np.zeros(6)
        signals: dict[str, FloatArray | float] = {
            "com_reference": control.com_reference,
            "q_reference": control.q_reference,
            "control_state": float(STATES.index(control.state)),
            "status": float(STATUSES.index(found.status) if found.status in STATUSES else len(STATUSES)),
            "iterations": float(found.iterations),
            "solve_time": spent,
            **{f"wrench/{frame}": found.wrenches.get(frame, nothing) for frame in self._frames},
        }
        return {**signals, "q_told": told.q} if self._senses.sensors else signals

    def _end(self, observation: Observation) -> None:
        """Stop after the last state, and where the robot falls."""
        control = self._control
        if self._watch.fallen:
            observation.stop("the robot falls")
        elif control.state == "failed":
            observation.stop(control.reason)
        elif control.state == "done":
            self._done = min(self._done, observation.t)
            if observation.t > self._done + ENDING:
                observation.stop("done")


def _law(name: str) -> type:
    known = {law.name: law for law in LAWS}
    if name not in known:
        raise UnknownNameError(f"ground {name!r} not found{nearest(name, known)}; there are {', '.join(known)}")
    return known[name]


def _steps(delay: float, control_dt: float) -> int:
    if not (np.isfinite(control_dt) and control_dt > 0.0):
        raise ArgumentError(f"control_dt is {control_dt!r}; expected a multiple of {DT:g} s above 0")
    steps = round(delay / control_dt) if np.isfinite(delay) else -1
    if not (steps >= 0 and abs(steps * control_dt - delay) < 1e-9):
        raise ArgumentError(f"delay is {delay!r}; expected a multiple of {control_dt:g} s, not negative")
    return steps


def _unfinished(scenario: Scenario, control: Control, end: float) -> str:
    if control.state == "failed":
        return control.reason
    if scenario.needs_done and control.state != "done":
        return f"the controller is not done after {end:g} s: {control.state}"
    return ""


def _touching(run: Trajectory, scenario: Scenario) -> tuple[float, str] | None:
    """When, and with what, the robot first touches the ground that it does not stand on."""
    allowed = set(scenario.standing_on)
    bodies = run.metadata.get(CONTACT_BODIES, [])
    other = np.array([body not in allowed for body in bodies], dtype=bool)
    pressed = np.any(run.contact_force != 0.0, axis=-1) & other
    moments = np.flatnonzero(pressed.any(axis=-1))
    if not len(moments):
        return None
    k = int(moments[0])
    return float(run.time[k]), f"{bodies[int(pressed[k].argmax())]} touches the ground"
