"""What became of a walk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.recording.format import PART_SUFFIX
from tarsus.recording.recorded_pushes import pushes_in_words, pushes_of
from tarsus.recording.trajectory import Trajectory
from tarsus.spatial import inverse_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.walker.verdict.walk_notes import PlannedWay, turn_of
from tarsus.walking.walker.verdict.walked_way import WalkedWay
from tarsus.walking.walker.walk_record import RecordedWalk, recorded_walk

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
        Since when it was never again within its conditions, and which was violated first then, where it fell.
    steps : int
        Feet that have come down.
    planned : PlannedWay
        Where it was to lead, and how fast.
    sensors : str
        Which sensors could not be believed since when, and why; empty where all could.
    recording : str
        File of its recording; empty where there is none. It has ".part" added to the name that was asked for where an
        error ended the simulation and an older file is there, which stays as it was.
    older : bool
        Whether that is so.
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
    recording: str = ""
    older: bool = False
    commands: str = ""

    @cached_property
    def _pelvis(self) -> FloatArray:
        """Poses of the pelvis until it fell, shape (n, 4, 4)."""
        run = self.trajectory
        upright = max(int(np.searchsorted(run.time, self.time + 1e-9, side="right")), 1)
        return frame_pose(run.model, run.q[:upright], self.biped.pelvis)

    @cached_property
    def _recorded(self) -> RecordedWalk:
        """What its recording tells, with what is known in the end."""
        found = recorded_walk(self.trajectory)
        if found is None:  # a run that has diverged
            soles, halves = (self.biped.legs[0].sole, self.biped.legs[1].sole), [leg.half for leg in self.biped.legs]
            none = np.zeros(0)
            found = RecordedWalk(soles, np.array(halves), self.biped.pelvis, 0.0, none.astype(int), none,
                                 np.zeros((0, 4)), False, "", 0.0, 0, None)  # fmt: skip
        sensors = self.sensors if self.passed else ""  # else the reason tells of them
        return replace(
            found, passed=self.passed, time=self.time, way=self.planned, sensors=sensors, commands=self.commands
        )

    @cached_property
    def walked(self) -> WalkedWay:
        """How far, how long and how fast it walked until the end, or until it fell."""
        return self._recorded.walked(self.trajectory)

    @property
    def way(self) -> FloatArray:
        """From where the pelvis was to where it is at the end, or when it falls, shape (2,) [m]."""
        return self.walked.way

    @property
    def distance(self) -> float:
        """Length of that [m]; that of curves is longer, `walked.length`."""
        return self.walked.distance

    @property
    def turned(self) -> float:
        """About the vertical from the start to the end or a fall, as it was walked, also beyond half a turn [rad]."""
        return turn_of(self._pelvis)

    @property
    def speed(self) -> float:
        """Of the pelvis along its way, between the second lift-off and the last one before the end or a fall [m/s].

        Not a number where there are none, and where the robot was to stay where it is.
        """
        return self.walked.speed

    @property
    def tilt(self) -> float:
        """Largest tilt of the pelvis from upright until the end or a fall [rad]."""
        up = frame_pose(self.biped.model, self.biped.q, self.biped.pelvis)[:3, :3].T[:, 2]
        return float(np.arccos(np.clip(self._pelvis[:, 2, :3] @ up, -1.0, 1.0)).max())

    @cached_property
    def pressure_margin(self) -> float:
        """Least distance of the pressure under a foot that stands alone from the edge of its sole, in samples [m]."""
        run, found = self.trajectory, np.inf
        weight = run.model.total_mass * float(np.linalg.norm(run.model.gravity))  # the robot that is simulated
        for leg in self.biped.legs:
            own = [k for k, name in enumerate(run.contacts) if name.split(".")[0] == leg.side]
            force, place = run.contact_force[:, own], run.contact_position[:, own]
            down = force[:, :, 2].sum(axis=1)
            loaded = (down > CARRYING * run.contact_force[..., 2].sum(axis=1)) & (down > CARRYING * weight)
            if not loaded.any():
                continue
            X = inverse_pose(frame_pose(run.model, run.q[loaded], leg.sole))
            at = np.sum(force[loaded, :, 2:] * place[loaded], axis=1) / down[loaded, None]
            local = np.einsum("nij,nj->ni", X[:, :2, :3], at) + X[:, :2, 3]
            found = min(found, float((leg.half - np.abs(local)).min()))
        return found

    def _share(self, values: FloatArray, limits: FloatArray) -> tuple[float, str]:
        """Largest value over its limit, and whose."""
        model = self.trajectory.model
        names = [joint.name for joint in model.joints.values() for _ in range(joint.v_index.stop - joint.v_index.start)]
        share = np.abs(values[:, 6:]).max(axis=0) / np.where(limits[6:] > 0, limits[6:], np.inf)
        k = int(share.argmax())
        return float(share[k]), names[6 + k]

    @property
    def torque(self) -> tuple[float, str]:
        """Largest torque over its limit in samples of the trajectory, and the joint; between them there may be more."""
        return self._share(self.trajectory.tau, self.trajectory.model.tau_max)

    @property
    def joint_speed(self) -> tuple[float, str]:
        """Largest speed of a joint over its limit in samples of the trajectory, and the joint."""
        return self._share(self.trajectory.v, self.trajectory.model.v_max)

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

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What deserves attention.

        Sensors that are wrong, a speed that the way was too short for, another way, joints far beyond their limits,
        terrain that was not met or is too high for the clearance, soles that pass through each other, and a recording
        that is not where it was to be.
        """
        found = self._recorded.notes(self.trajectory)
        if self.older:
            found.append(f"recorded in {self.recording}: the file without {PART_SUFFIX!r} is of an older run")
        return tuple(found)

    def __str__(self) -> str:
        """The walk in a few lines."""
        lines = [
            f"{self.biped.model.name}: {self.steps} steps in {self.time:.2f} s, {self.walked}, "
            f"turned by {np.degrees(self.turned):+.0f} degrees",
            f"  walk      {_speed(self.speed)}steps of {self.plan.phases[2].end - self.plan.phases[1].start:.2f} s"
            if len(self.plan.phases) > 2
            else "  stands",
            *self._strain(),
        ]
        if self.restarts:
            times = "once" if self.restarts == 1 else f"{self.restarts} times"
            lines.append(f"  reference could not be followed {times}: the planned base was taken")
        if self.unsolved:
            lines.append(f"  program   {self.unsolved} of {len(self.trajectory.time)} samples were not solved")
        lines += [f"  push      {push}" for push in self._pushes()]
        lines += [f"  note      {note}" for note in self.notes]
        if not self.passed:
            lines.append(f"failed at {self.time:.2f} s: {self.reason}")
            if self.first is not None and self.first[1] != self.reason:
                lines.append(f"  first     {self.first[0]:.2f} s: {self.first[1]}")
        return "\n".join(lines)

    def _pushes(self) -> list[str]:
        return pushes_in_words(pushes_of(self.trajectory), self.time, self.trajectory.finished)

    def _strain(self) -> list[str]:
        """Lines of tilt, pressure, torques and speeds of joints; one that there are none where it ended at once."""
        model = self.trajectory.model
        if len(self.trajectory.time) < 2:
            return ["  nothing was sampled: it ended at its start"]
        return [
            f"  tilt      {np.degrees(self.tilt):.1f} degrees at most",
            f"  pressure  {_margin(self.pressure_margin)}",
            f"  torque    {_part(self.torque, model.tau_max)}",
            f"  joints    {_part(self.joint_speed, model.v_max, 'of speed')}",
        ]


def _speed(speed: float) -> str:
    return f"{speed:.3f} m/s, " if np.isfinite(speed) else ""


def _margin(way: float) -> str:
    if not np.isfinite(way):
        return "never on one foot alone"
    return f"{round(1e3 * way)} mm from the edge of a sole at least"


def _part(used: tuple[float, str], limits: FloatArray, what: str = "") -> str:
    """How much of a limit is used at most, and by which joint."""
    if not (np.isfinite(limits[6:]) & (limits[6:] > 0.0)).any():
        return f"no limits {what}".rstrip()
    limit = f"the limit {what}".rstrip()
    return f"{used[0]:.0%} of {limit} at most, {used[1]}"
