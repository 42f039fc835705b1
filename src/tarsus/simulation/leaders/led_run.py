"""A run in which the joints that lead kinematic loops change on the way; it is told over all joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError, LoopError
from tarsus.model.model import Model
from tarsus.recording.samples import Samples
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.leaders.led_mechanism import LedMechanism
from tarsus.simulation.runs.run import Run
from tarsus.simulation.runs.step_failure import StepFailure
from tarsus.simulation.runs.user_events import Event
from tarsus.simulation.scene import Scene

LEADERS = "leaders"
"""Entry of the metadata that tells since when which joints lead, and signal of resumable runs: the number of its entry
that holds, and the step of the next look at the slopes."""
WAY = 0.05
"""How far the fastest joint may go between two looks at the slopes [rad or m]: from a slope of 3 it is some 0.3 to a
dead point."""
PAUSE = 0.01
"""Time between two looks at most [s]."""
_NO_WAY_ON = (
    "no joint leads on from there: a stop is pressed, or a step ended too near to where branches of the loop meet, "
    "which another dt may avoid; multipliers need no leaders: couplings='cut' with constraints=loop_constraints(model)"
)


@final
@dataclass(frozen=True, eq=False)
class Lead:
    """What leads a mechanism.

    Attributes
    ----------
    mechanism : LedMechanism
        With its leaders.
    look : int
        Step of the next look at the slopes.
    since : float
        Since when [s].
    told_at : ndarray, shape (nq,), or None
        Coordinates of all joints where these leaders were chosen; None for those of the model.
    """

    mechanism: LedMechanism
    look: int = 0
    since: float = 0.0
    told_at: FloatArray | None = None

    def entry(self) -> dict[str, Any]:
        """As an entry of the metadata, from which it can be made again."""
        told = {"time": self.since, "joints": list(self.mechanism.in_loops(self.mechanism.leaders))}
        return told if self.told_at is None else {**told, "q": self.told_at.tolist()}


@final
class LedRun(Run):
    """Minimal coordinates of whichever joints lead well, and all joints for whoever asks.

    The slopes G of the followers are looked at on the way. Where one is too steep others lead from there on, with the
    contacts, works and time of those before. What is told, and what a controller returns, is over all joints: a torque
    T of all joints acts on the leaders as G^T T, and is brought to them anew in every step.

    Parameters
    ----------
    lead : Lead
        What leads at the start.
    q, v : ndarray, shape (nq,) and (nv,)
        Start, of all joints.
    scene : Scene
    events : sequence of Event
        Functions of the coordinates of all joints.

    Attributes
    ----------
    leaders : list of dict
        Since when which joints lead: "time" [s], "joints", and "q" of all joints where that was decided, left out where
        they are those of the model; plain JSON values.
    """

    def __init__(self, lead: Lead, q: FloatArray, v: FloatArray, scene: Scene, events: Sequence[Event] = ()) -> None:
        self._lead, self._scene, self._events = lead, scene, tuple(events)
        self._tau = np.zeros(lead.mechanism.whole.nv)
        self._happened: list[dict[str, Any]] = []
        led = self._made(lead.mechanism, q, v)
        super().__init__(led.robots, led.integration)
        self.leaders = [lead.entry()]
        if lead.look == 0:
            self._lead_better()
            self.leaders[:] = self.leaders[-1:]

    def resume(self, trajectory: Trajectory) -> None:
        """Go on where a trajectory that was made resumable ended, from whose last state and leaders this was made."""
        super().resume(trajectory)
        if self.robots.step >= self._lead.look:
            self._lead_better()

    # -- told over all joints ----------------------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The mechanism over all its joints."""
        return self._lead.mechanism.whole

    @property
    def configuration(self) -> FloatArray:
        """Of all joints, shape (nq,)."""
        return self._state()[0]

    @property
    def velocity(self) -> FloatArray:
        """Of all joints, shape (nv,)."""
        return self._state()[1]

    @property
    def torque(self) -> FloatArray:
        """Of all joints, shape (nv,)."""
        return self._tau

    def set_torque(self, tau: FloatArray) -> int | None:
        """Apply constant torques of all joints from now on, shape (nv,)."""
        bad = np.flatnonzero(~np.isfinite(tau))
        if bad.size:
            return int(bad[0])
        self._tau = np.array(tau)
        self._apply_torque()
        return None

    def set_law(self, law: JointLaw) -> None:
        """Refuse it: it acts on leading joints."""
        raise ArgumentError("a JointLaw acts on leading joints, which change: expected torques of all joints")

    def _state(self) -> tuple[FloatArray, FloatArray]:
        return self._lead.mechanism.all_joints(self.robots.configuration, self.robots.velocity)

    def told(self, samples: Samples) -> Samples:
        """Samples over all joints."""
        q, v = self._lead.mechanism.all_joints(samples.q, samples.v)
        signals = samples.signals
        if self._scene.resumable:
            now = [len(self.leaders) - 1, self._lead.look]
            signals = {**signals, LEADERS: np.tile(np.array(now, dtype=np.int64), (len(q), 1))}
        return samples._replace(q=q, v=v, tau=np.tile(self._tau, (len(q), 1)), signals=signals)

    def take_events(self) -> list[dict[str, Any]]:
        """Events since the last call, under former leaders, too."""
        happened, self._happened = self._happened, []
        return [*happened, *super().take_events()]

    # -- time --------------------------------------------------------------------------------------------------------

    @property
    def chunk(self) -> int | None:
        """Steps until the slopes are looked at, or one while torques act."""
        steps = 1 if self._tau.any() else self._lead.look - self.robots.step
        most = super().chunk
        return steps if most is None else min(most, steps)

    def advance(self, steps: int) -> Samples | None:
        """Bring the mechanism that many steps further, and let others lead from there on where they do it better."""
        self._apply_torque()
        try:
            samples = super().advance(steps)
        except StepFailure as failure:
            failure.ways_on = _NO_WAY_ON if failure.ways_on else ""
            raise
        if self.robots.step >= self._lead.look:
            try:
                self._lead_better()
            except LoopError as error:
                ended = StepFailure(str(error), 0, self.robots.time)
                ended.samples, ended.ways_on = samples, _NO_WAY_ON
                raise ended from None
        return samples

    def _apply_torque(self) -> None:
        if self._tau.any() or self.robots.state.tau.any():
            self.robots.set_torque(self._lead.mechanism.slopes(self.robots.configuration).T @ self._tau)

    def _lead_better(self) -> None:
        """Let others lead where those that do are near a dead point, and tell when to look again."""
        q, v = self._state()
        before = self._lead.mechanism
        better = before.with_better_leaders(q, stops=self._scene.stops)
        speed = float(np.abs(v).max(initial=0.0))
        steps = max(1, int(min(WAY / max(speed, 1e-12), PAUSE) / self._scene.dt + 1e-9))
        self._lead = replace(self._lead, look=self.robots.step + steps)
        if better is before:
            return
        led = self._made(better, q, v)
        led.robots.take_over(self.robots)
        led.integration.go_on_from(self.integration)
        self._happened += self.integration.take_events()
        self.robots, self.integration = led.robots, led.integration
        self._lead = Lead(better, self._lead.look, self.robots.time, q)
        self.leaders.append(self._lead.entry())
        self._apply_torque()

    def _made(self, mechanism: LedMechanism, q: FloatArray, v: FloatArray) -> Run:
        """A run of the leading joints."""
        events = [_OverAllJoints(event, mechanism) for event in self._events]
        return self._scene.run(mechanism.led, *mechanism.minimal(q, v), events)


@final
class _OverAllJoints:
    """A function of the coordinates of all joints as one of those that lead."""

    def __init__(self, event: Event, mechanism: LedMechanism) -> None:
        if not callable(event):
            raise ArgumentError(f"events are callables event(t, q, v), not {type(event).__name__}")
        if hasattr(event, "state_map"):
            raise ArgumentError(
                "an event with a state_map relabels leading joints; expected none with leaders='change'"
            )
        self._event, self._mechanism = event, mechanism
        self.terminal, self.direction = getattr(event, "terminal", False), getattr(event, "direction", 0)

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> float:
        return self._event(t, *self._mechanism.all_joints(q, v))
