"""What became of a walk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.recording.trajectory import Trajectory
from tarsus.spatial import inverse_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.walker.walk_notes import PlannedWay, turn_of

CARRYING = 0.9
"""Load of a foot whose pressure counts, in all of the load and in weights of the robot: one that stands alone."""


@dataclass(frozen=True, eq=False)
class WalkOutcome:
    """A walk that was walked.

    Attributes
    ----------
    biped : Biped
    plan : WalkPlan
    trajectory : Trajectory
        With the signals "divergent_error" (2,), "pressure_wanted" (2,), "pressure_reference" (2,), "com_reference"
        (3,), "loads" (2,), "plan_time" and "phase"; "command" (3,) where it may change; "reference_restarts" where
        inverse kineto-dynamics acts in each cycle; "whole_body/status" and "wrench/FRAME" (6,) of both soles where
        joints are torque-controlled.
    passed : bool
        Whether it walked to the end of the plan, and still stands.
    reason : str
        Why it did not.
    time : float
        When it fell, or the end [s].
    first : tuple of (float, str), optional
        When which condition was violated first, where it fell.
    steps : int
        Feet that have come down.
    planned : PlannedWay
        Where it was to lead, and how fast.
    sensors : str
        Which sensors could not be believed since when, and why; empty where all could.
    commands : str
        Which commands on the way were not walked as they were told, and why; empty where all were.
    """

    biped: Biped
    plan: WalkPlan
    trajectory: Trajectory
    passed: bool
    reason: str
    time: float
    first: tuple[float, str] | None
    steps: int
    planned: PlannedWay
    sensors: str = ""
    commands: str = ""

    @cached_property
    def _pelvis(self) -> FloatArray:
        return frame_pose(self.biped.model, self.trajectory.q, self.biped.pelvis)

    @property
    def way(self) -> FloatArray:
        """From where the pelvis was to where it is at the end, shape (2,) [m]."""
        return np.asarray(self._pelvis[-1, :2, 3] - self._pelvis[0, :2, 3])

    @property
    def distance(self) -> float:
        """Length of that [m]."""
        return float(np.linalg.norm(self.way))

    @property
    def turned(self) -> float:
        """About the vertical from the start to the end, as it was walked, also beyond half a turn [rad]."""
        return turn_of(self._pelvis)

    @property
    def speed(self) -> float:
        """Of the pelvis between the second lift-off and the last one that was reached, along the line between [m/s].

        Not a number where there are none.
        """
        starts = [phase.start for phase in self.plan.phases if phase.swing is not None][1:]
        clock = self.trajectory.signals.get("plan_time", np.zeros(0))
        places = [k for k in np.searchsorted(clock, starts) if k < len(clock)]
        if len(places) < 2 or places[-1] == places[0]:
            return float("nan")
        first, last = places[0], places[-1]
        way = self._pelvis[last, :2, 3] - self._pelvis[first, :2, 3]
        return float(np.linalg.norm(way) / (self.trajectory.time[last] - self.trajectory.time[first]))

    @property
    def tilt(self) -> float:
        """Largest tilt of the pelvis from upright [rad]."""
        up = frame_pose(self.biped.model, self.biped.q, self.biped.pelvis)[:3, :3].T[:, 2]
        return float(np.arccos(np.clip(self._pelvis[:, 2, :3] @ up, -1.0, 1.0)).max())

    @cached_property
    def pressure_margin(self) -> float:
        """Least distance of the pressure under a foot that stands alone from the edge of its sole [m]."""
        run, found = self.trajectory, np.inf
        for leg in self.biped.legs:
            own = [k for k, name in enumerate(run.contacts) if name.split(".")[0] == leg.side]
            force, place = run.contact_force[:, own], run.contact_position[:, own]
            down = force[:, :, 2].sum(axis=1)
            loaded = (down > CARRYING * run.contact_force[..., 2].sum(axis=1)) & (down > CARRYING * self.biped.weight)
            if not loaded.any():
                continue
            X = inverse_pose(frame_pose(self.biped.model, run.q[loaded], leg.sole))
            at = np.sum(force[loaded, :, 2:] * place[loaded], axis=1) / down[loaded, None]
            local = np.einsum("nij,nj->ni", X[:, :2, :3], at) + X[:, :2, 3]
            found = min(found, float((leg.half - np.abs(local)).min()))
        return found

    def _share(self, values: FloatArray, limits: FloatArray) -> tuple[float, str]:
        """Largest value over its limit, and whose."""
        model = self.biped.model
        names = [joint.name for joint in model.joints.values() for _ in range(joint.v_index.stop - joint.v_index.start)]
        share = np.abs(values[:, 6:]).max(axis=0) / np.where(limits[6:] > 0, limits[6:], np.inf)
        k = int(share.argmax())
        return float(share[k]), names[6 + k]

    @property
    def torque(self) -> tuple[float, str]:
        """Largest torque over its limit, and the joint."""
        return self._share(self.trajectory.tau, self.biped.model.tau_max)

    @property
    def joint_speed(self) -> tuple[float, str]:
        """Largest speed of a joint over its limit, and the joint."""
        return self._share(self.trajectory.v, self.biped.model.v_max)

    @property
    def restarts(self) -> int:
        """How often inverse kineto-dynamics could not go on in a cycle, and the planned base was taken."""
        counted = self.trajectory.signals.get("reference_restarts")
        return 0 if counted is None or not len(counted) else int(counted[-1])

    @property
    def unsolved(self) -> int:
        """Samples at which whole-body control had not all that it was asked for; 0 of position-controlled joints."""
        status = self.trajectory.signals.get("whole_body/status")
        return 0 if status is None else int(np.count_nonzero(status))

    @property
    def notes(self) -> tuple[str, ...]:
        """What deserves attention: sensors that are wrong, a speed that the way was too short for, another way."""
        found = [self.planned.short(), self.commands]
        if self.passed:  # else the reason tells of sensors
            found += [self.sensors, *self.planned.strayed(self._pelvis, float(self.biped.legs[0].half[0]))]
        return tuple(note for note in found if note)

    def __str__(self) -> str:
        """The walk in a few lines."""
        (torque, strongest), (speed, fastest) = self.torque, self.joint_speed
        lines = [
            f"{self.biped.model.name}: {self.steps} steps in {self.time:.2f} s, {self.distance:.2f} m, "
            f"turned by {np.degrees(self.turned):+.0f} degrees",
            f"  walk      {_speed(self.speed)}steps of {self.plan.phases[2].end - self.plan.phases[1].start:.2f} s"
            if len(self.plan.phases) > 2
            else "  stands",
            f"  tilt      {np.degrees(self.tilt):.1f} degrees at most",
            f"  pressure  {_margin(self.pressure_margin)}",
            f"  torque    {_part(torque, strongest)}",
            f"  joints    {_part(speed, fastest, 'of speed')}",
        ]
        if self.restarts:
            times = "once" if self.restarts == 1 else f"{self.restarts} times"
            lines.append(f"  reference could not be followed {times}: the planned base was taken")
        if self.unsolved:
            lines.append(f"  program   {self.unsolved} of {len(self.trajectory.time)} samples were not solved")
        lines += [f"  note      {note}" for note in self.notes]
        if not self.passed:
            lines.append(f"failed at {self.time:.2f} s: {self.reason}")
            if self.first is not None and self.first[1] != self.reason:
                lines.append(f"  first     {self.first[0]:.2f} s: {self.first[1]}")
        return "\n".join(lines)


def _speed(speed: float) -> str:
    return f"{speed:.3f} m/s, " if np.isfinite(speed) else ""


def _margin(way: float) -> str:
    if not np.isfinite(way):
        return "never on one foot alone"
    return f"{round(1e3 * way)} mm from the edge of a sole at least"


def _part(share: float, joint: str, what: str = "") -> str:
    """How much of a limit is used at most, and by which joint."""
    limit = f"the limit {what}".rstrip()
    return f"{share:.0%} of {limit} at most, {joint}" if share else f"no limits {what}".rstrip()
