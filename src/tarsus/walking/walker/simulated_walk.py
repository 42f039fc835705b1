"""A walk in a simulation, from its controller to its outcome."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass

import numpy as np

from tarsus.contact import Ground, flat
from tarsus.devices.actuators.driven_joints import Drives
from tarsus.errors import ControlWarning, RecordingWarning, SimulationError
from tarsus.model import Model
from tarsus.recording.format import file_path, part_path
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation.push import Push
from tarsus.simulation.simulate import simulate
from tarsus.walking.stabilizer.sensing.perception import SensedState
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.commanded_walk import CommandedWalk
from tarsus.walking.walker.drive_loop import DriveLoop, steps_of
from tarsus.walking.walker.gait.gait_choice import GaitChoice
from tarsus.walking.walker.ground_gap import ground_gap
from tarsus.walking.walker.terrain import Course
from tarsus.walking.walker.verdict.fall_watch import Goal
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
from tarsus.walking.walker.walk_record import WALK, WalkRecord
from tarsus.walking.walker.watched_walk import LONGER, OVER, WatchedWalk

SAMPLED = 0.01
"""Between samples of the trajectory, about [s]."""


@dataclass(frozen=True, eq=False)
class SimulatedWalk:
    """What a walk is walked with and on.

    Attributes
    ----------
    control : WalkGuide
        For the plan that it begins with.
    choice : GaitChoice
    cycle : float
        Of the controller [s].
    lasts : float
        How long it is to last [s]; longer where the plan waits for feet.
    model : Model
        That is simulated.
    pushes : list of Push
    commanded : CommandedWalk, optional
        What extends the plan on the way.
    goal : callable, optional
        See `FallWatch`.
    asked : float
        Speed that was asked for [m/s].
    """

    control: WalkGuide
    choice: GaitChoice
    cycle: float
    lasts: float
    model: Model
    pushes: list[Push]
    commanded: CommandedWalk | None = None
    goal: Goal | None = None
    asked: float = 0.0

    def _comes_to(self, x: float) -> bool:
        """Whether a foot is planned to come as far as x [m]; where commands lead the walk that is not known."""
        feet = self.control.plan.footsteps
        reach = float(max(leg.half[0] for leg in self.control.plan.biped.legs))
        return self.commanded is not None or max(foot.position[0] for foot in feet) + reach > x

    def run(
        self,
        ground: Ground | None,
        drives: Drives | None,
        told: SensedState | None,
        seed: int,
        record: str | os.PathLike[str] | None,
        progress: bool | None,
    ) -> WalkOutcome:
        """Walk; see `Walker.walk`. What sensors tell is `told`, where the true state is not known."""
        sensors = [] if told is None else told.sensors
        control, plan = self.control, self.control.plan
        biped, cycle = plan.biped, self.cycle
        ends = round(int(np.ceil(self.lasts / cycle - 1e-9)) * cycle, 9)
        most = round((int(np.ceil(LONGER * ends / cycle - 1e-9)) + 1) * cycle, 9)
        dead = None if told is None else told.dead
        kept = WalkRecord(biped, self.choice, control, self.asked, dead, ground)
        if kept.low and isinstance(ground, Course) and self._comes_to(ground.start):
            warnings.warn(f"{biped.model.name!r}: {kept.low}", ControlWarning, stacklevel=4)
        gap = ground_gap(plan, ground) if isinstance(ground, Ground) else ""
        if gap:
            warnings.warn(f"{biped.model.name!r}: {gap}", ControlWarning, stacklevel=4)
        driven = WatchedWalk(control, kept, self.commanded, ends, self.goal)
        dt = cycle / steps_of(cycle)
        loop = None if drives is None else DriveLoop(driven, self.model, drives, cycle)
        failed = False
        try:
            run = simulate(
                self.model, plan.q[0], duration=most, controller=driven if loop is None else loop, dt=dt,
                sample_dt=dt * max(1, round(SAMPLED / dt)), metadata={WALK: kept.document},
                control_dt=cycle if loop is None else loop.dt, ground=flat() if ground is None else ground,
                contacts=biped.soles, pushes=self.pushes, seed=seed, sensors=sensors, record=record, progress=progress,
            )  # fmt: skip
        except SimulationError as error:
            if not isinstance(error.trajectory, Trajectory):
                raise
            run, driven.watch.fallen = error.trajectory, driven.watch.fallen or str(error)
            failed = True
        watch, end = driven.watch, float(run.time[-1])
        if run.reason == OVER and not watch.fallen:
            watch.look(end, run.q[-1], control.error)
            watch.fallen = watch.fallen or watch.stands(control)
        elif run.reason and not watch.fallen:  # a command stopped it
            watch.fallen = run.reason
        passed = not watch.fallen and run.finished
        time = end if driven.fell is None else driven.fell
        whole = plan if self.commanded is None else self.commanded.plan.whole()
        reason = "" if passed else "; ".join(text for text in (watch.fallen or run.reason, kept.sensors, gap) if text)
        return WalkOutcome(biped, whole, run, passed, reason, time,
                           watch.first, driven.steps, kept.planned, kept.sensors,
                           *_recording(record, failed), kept.commands)  # fmt: skip


def _recording(record: str | os.PathLike[str] | None, failed: bool) -> tuple[str, bool]:
    """Where the recording of a walk is, and whether a file of an older one is where it was to be.

    A simulation that fails replaces no older file (`Recorder`): there is a warning then.
    """
    if record is None:
        return "", False
    name = file_path(record)
    part = part_path(os.path.realpath(name))
    if not (failed and os.path.exists(part)):
        return name, False
    told = f"an error ended the walk: it is recorded in {part}; {name}, an older file, was not replaced"
    warnings.warn(told, RecordingWarning, stacklevel=5)
    return part, True
