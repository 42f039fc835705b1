"""One step of the walk: from one exchange of supports to the next, on rigid ground by events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Rigid, flat
from tarsus.control.observation import Observation
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.recording.trajectory import Trajectory
from tarsus.robots.feng18 import Side
from tarsus.simulation.push import Push
from tarsus.simulation.simulate import simulate
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, foot_points, support_model
from tarsus.walking.feng.finite_numbers import check_numbers
from tarsus.walking.feng.gait_state import Stay, stays
from tarsus.walking.feng.support_exchange import FLAT_HEIGHT, bears
from tarsus.walking.feng.torques.camera import Sight
from tarsus.walking.feng.torques.visual_lifting import HEAD
from tarsus.walking.feng.torques.walk_law import WalkLaw

LOW_HEAD, TURNED_FOOT, LEANING = 1.0, 1.5, 1.0
"""A walk has ended where the head is lower than this [m], the supporting foot has turned further about its toes than
this [rad], or the head leans further than this [rad] to any side."""
LONGEST_STEP = 2.5
"""Nor does it go on where the next foot is not flat on the ground after so long [s]."""


@dataclass(frozen=True)
class Means:
    """How steps are computed.

    Attributes
    ----------
    friction : float
        Coefficient of friction K of the ground.
    control_dt, sample_dt : float
        Time between torques, and between samples [s].
    relative, absolute : float
        Tolerances of the integration.
    """

    friction: float = 0.7
    control_dt: float = 2e-3
    sample_dt: float = 0.01
    relative: float = 1e-7
    absolute: float = 1e-8

    def __post_init__(self) -> None:
        check_numbers(self, ("control_dt", "sample_dt", "relative", "absolute"), 0.0, above=True)
        check_numbers(self, ("friction",), 0.0)
        samples = self.sample_dt / self.control_dt
        if round(samples) < 1 or abs(samples - round(samples)) > 1e-9 * samples:
            raise ArgumentError(
                f"sample_dt is {self.sample_dt!r}; expected a multiple of control_dt = {self.control_dt!r}"
            )


@dataclass(frozen=True, eq=False)
class WalkStep:
    """A step.

    Attributes
    ----------
    support : {"right", "left"}
        Supporting leg; the other foot steps.
    begin : float
        Time of the walk at which it begins [s].
    origin : float
        Where the toe joint of the supporting foot is, along the way [m].
    duration : float
        [s].
    run : Trajectory
        Of `support_model(support)`, from time zero, from the toe joint on; the last sample may be a moment earlier.
    end_q, end_v : ndarray, shape (18,)
        State at its end, in the coordinates of the run.
    length : float
        From toe joint to toe joint [m]; 0 where no exchange ended it.
    reason : str
        Why the walk ended in this step; empty where supports were exchanged.
    """

    support: Side
    begin: float
    origin: float
    duration: float
    run: Trajectory
    end_q: FloatArray
    end_v: FloatArray
    length: float
    reason: str

    @property
    def events(self) -> Sequence[dict[str, Any]]:
        """What happened at the contacts, with times of the step."""
        return list(self.run.metadata["events"])

    @property
    def stays(self) -> list[Stay]:
        """States of the gait one after another."""
        closed = {event["contact"] for event in self.events if event["event"] == "touch-down" and event["time"] == 0.0}
        return stays(closed, [e for e in self.events if e["time"] > 0.0], self.duration)


@final
class _StepController:
    """Torques of one step, and the end of it."""

    def __init__(
        self, model: Model, law: WalkLaw, support: Side, begin: float, origin: float, sight: Sight | None
    ) -> None:
        self._model, self._law, self._sight = model, law, sight
        self._across = 1.0 if support == "right" else -1.0
        self._begin, self._origin = begin, origin
        self.length, self.reason = 0.0, ""
        self.q = self.v = np.zeros(model.nv)
        self.time = 0.0

    def __call__(self, now: Observation) -> FloatArray:
        q, v = np.asarray(now.q), np.asarray(now.v)
        head = np.asarray(frame_pose(self._model, q, HEAD))
        self.time, self.q, self.v = now.t, q, v
        points = bears(self._model, q, v) if now.t > 0.0 else None
        if points is not None:
            self.length = float(points.position[1, 0])
            now.stop("exchange of supports")
        else:
            self.reason = fall_of(q, head)
            if self.reason:
                now.stop(self.reason)
        return self._law.torque(self._model, now.t, q, self._across, self._seen(now.t, head))

    def _seen(self, t: float, head: FloatArray) -> FloatArray:
        """Pose of the head from the supporting toe, as the camera tells it."""
        if self._sight is None:
            return head
        world = head.copy()
        world[0, 3] += self._origin
        seen = np.array(self._sight.look(self._begin + t, world))
        seen[0, 3] -= self._origin
        return seen


def fall_of(q: FloatArray, head: FloatArray) -> str:
    """What ends a walk at a configuration (18,) with this pose of the head (4, 4); empty where nothing does."""
    if head[2, 3] < LOW_HEAD:
        return f"the head is {head[2, 3]:.2f} m high, lower than {LOW_HEAD:g} m"
    if q[0] > TURNED_FOOT:
        return f"the supporting foot has turned about its toes by {q[0]:.2f} rad, more than {TURNED_FOOT:g}"
    lean = float(np.arccos(np.clip(head[2, 2], -1.0, 1.0)))
    return f"the head leans by {lean:.2f} rad, more than {LEANING:g}" if lean > LEANING else ""


def take_step(
    law: WalkLaw,
    support: Side,
    q: FloatArray,
    v: FloatArray,
    *,
    begin: float = 0.0,
    origin: float = 0.0,
    means: Means | None = None,
    sight: Sight | None = None,
    pushes: Sequence[Push] = (),
    longest: float = LONGEST_STEP,
) -> WalkStep:
    """One step from a state q, v, shapes (18,), of `support_model(support)`; see `WalkStep` for the rest."""
    means, model = means or Means(), support_model(support)
    controller = _StepController(model, law, support, begin, origin, sight)
    most = math.ceil(longest / means.control_dt - 1e-9) * means.control_dt
    run = simulate(
        model, q, v, duration=most, controller=controller, ground=flat(Rigid(means.friction)),
        contacts=FENG_CONTACTS, dt=means.control_dt, sample_dt=means.sample_dt, relative=means.relative,
        absolute=means.absolute, stops=False, pushes=pushes, progress=False, resumable=True,
    )  # fmt: skip
    if controller.length or controller.reason:
        end, reason = (controller.time, controller.q, controller.v), controller.reason
    else:  # nothing stopped it but its length, or Ctrl-C
        end = float(run.time[-1]), run.q[-1], run.v[-1]
        reason = _unended(model, run, most) if run.finished else run.reason
    return WalkStep(support, begin, origin, end[0], run, end[1], end[2], controller.length, reason)


def _unended(model: Model, run: Trajectory, longest: float) -> str:
    """Why no exchange ended a step that was gone through for as long as steps may take."""
    height = float(foot_points(model, run.q[-1], run.v[-1]).highest)
    where = "is not flat on the ground" if height > FLAT_HEIGHT else "does not rest ahead of the other one"
    return f"after {longest:g} s the contacting foot {where}"
