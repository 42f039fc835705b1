"""What a recording tells of a walk beside its motion: feet, footsteps and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground
from tarsus.dynamics import frame_pose
from tarsus.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.sensing.dead_sensors import DeadSensors
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.gait.gait_choice import GaitChoice
from tarsus.walking.walker.terrain import Course
from tarsus.walking.walker.verdict.fall_watch import FallWatch
from tarsus.walking.walker.verdict.joint_limits import limit_notes
from tarsus.walking.walker.verdict.sole_overlap import foot_height, overlap_note
from tarsus.walking.walker.verdict.walk_notes import NOWHERE, PlannedWay, turn_of
from tarsus.walking.walker.verdict.walked_way import WalkedWay

WALK = "walk"
"""Entry of the metadata of recordings."""
MOST_STEPS = 100_000
"""Footsteps of a recording that are read."""
NOT_OVER = "the walk was not over"


class WalkRecord:
    """Fills the entry of the metadata while a walk is walked; a recording that ends early has it, too.

    Attributes
    ----------
    document : dict
        Plain JSON values.
    commands : str
        Which commands were not walked as they were told.
    """

    def __init__(
        self,
        biped: Biped,
        choice: GaitChoice,
        control: WalkGuide,
        asked: float = 0.0,
        dead: DeadSensors | None = None,
        ground: Ground | None = None,
    ) -> None:
        self._control, self._step_time, self._asked, self._dead = control, choice.step_time, asked, dead
        self.commands = ""
        self._steps: list[list[float]] = []
        self._verdict: dict[str, Any] = {"passed": False, "reason": NOT_OVER, "time": 0.0, "steps": 0}
        self.document: dict[str, Any] = {
            "feet": [{"sole": leg.sole, "half": leg.half.tolist()} for leg in biped.legs],
            "pelvis": biped.pelvis,
            "step_time": choice.step_time,
            "clearance": choice.clearance,
            "footsteps": self._steps,
            "planned": self.planned.document(),
            "verdict": self._verdict,
        }
        if isinstance(ground, Course):
            self.document["terrain"] = {"name": ground.name, "start": ground.start}
            if not control.plan.climbs and (low := ground.too_high(choice.clearance)):  # else it is told of the ground
                self.document["low"] = low

    @property
    def low(self) -> str:
        """That feet rise too little for the terrain, which the robot is not told of; empty where they do not."""
        return str(self.document.get("low", ""))

    @property
    def planned(self) -> PlannedWay:
        """Where the walk was to lead, as it is planned now."""
        return PlannedWay.of(self._control.plan.footsteps, self._step_time, self._asked)

    @property
    def sensors(self) -> str:
        """Which sensors cannot be believed."""
        return "" if self._dead is None else str(self._dead)

    def look(self, t: float, watch: FallWatch, over: bool) -> None:
        """Keep what this cycle of the controller brought; the last one where the walk is over."""
        control = self._control
        foot, swing = control.phases.lifted, control.phases.phase.swing
        if foot is not None and swing is not None:
            place, footing = swing[1], control.footing
            x, y = footing.point(place.position[:2])
            z = footing.raised(float(place.position[2]))
            self._steps.append([float(foot), t, float(x), float(y), z, place.yaw + footing.angle])
        reason = watch.fallen or (watch.stands(control) if over else NOT_OVER)
        if over:
            self.document["planned"] = self.planned.document()
        if watch.fallen and "fell" not in self._verdict:
            self._verdict["fell"] = t
        self._verdict["first"] = None if watch.first is None else list(watch.first)
        if sensors := self.sensors:
            self.document["sensors"] = sensors
        if self.commands:
            self.document["commands"] = self.commands
        self._verdict.update(passed=not reason, reason=reason, time=t, steps=control.phases.steps)


@dataclass(frozen=True, eq=False)
class RecordedWalk:
    """What a recording tells of a walk.

    Attributes
    ----------
    soles : tuple of str
        Frames of the left and the right sole.
    halves : ndarray, shape (2, 2)
        Half of the length and of the width of each [m].
    pelvis : str
    step_time : float
        [s].
    foot : ndarray of int, shape (n,)
        0 for steps of the left foot, 1 for the right one.
    lifted : ndarray, shape (n,)
        When it left the ground [s].
    planned : ndarray, shape (n, 4)
        Where it was to land, as planned then: x, y, z, yaw, world [m, rad].
    passed : bool
    reason : str
        Why it did not pass.
    time : float
        When it fell, or the end [s].
    steps : int
    first : tuple of (float, str), optional
        Since when it was never again within its conditions, and which was violated first then.
    way : PlannedWay, optional
        Where it was to lead; None where that was not recorded.
    sensors : str
        Which sensors could not be believed since when, and why.
    terrain : tuple of (str, float), optional
        What the level ground of the start ends with, and at which x [m].
    commands : str
        Which commands on the way were not walked as they were told, and why.
    low : str
        That feet rise too little for the terrain, and how far they had to.
    """

    soles: tuple[str, str]
    halves: FloatArray
    pelvis: str
    step_time: float
    foot: np.ndarray
    lifted: FloatArray
    planned: FloatArray
    passed: bool
    reason: str
    time: float
    steps: int
    first: tuple[float, str] | None
    way: PlannedWay | None = None
    sensors: str = ""
    terrain: tuple[str, float] | None = None
    commands: str = ""
    low: str = ""

    def walked(self, run: Recorded) -> WalkedWay:
        """How far, how long and how fast it walked in its run; no speed where it was to go nowhere."""
        found = WalkedWay.of(run, self.pelvis, self.lifted, self.time)
        if self.way is None or self.way.length > NOWHERE:
            return found
        return WalkedWay(found.way, found.distance, float("nan"))

    def notes(self, run: Recorded) -> list[str]:
        """What deserves attention in its run, until it fell."""
        upright = slice(max(int(np.searchsorted(run.time, self.time + 1e-9, side="right")), 1))
        q = run.q[upright]
        soles = np.stack([frame_pose(run.model, q, sole) for sole in self.soles])
        found = ["" if self.way is None else self.way.short(), self.sensors, self.commands]
        if self.passed and self.way is not None:
            middle = soles[:, -1, :2, 3].mean(axis=0) - soles[:, 0, :2, 3].mean(axis=0)
            turned = turn_of(frame_pose(run.model, q, self.pelvis))
            found += self.way.strayed(middle, turned, float(self.halves[0, 0]))
        height = max(foot_height(run.model, sole, half) for sole, half in zip(self.soles, self.halves, strict=True))
        found += limit_notes(run, upright)
        found += [self._of_terrain(soles), overlap_note(run.time[upright], soles, self.corners, height)]
        return [note for note in found if note]

    def _of_terrain(self, soles: FloatArray) -> str:
        """What there is to tell of where the ground is not level any more, from poses of soles, shape (2, n, 4, 4).

        That no foot came to it, or that feet rise too little for it.
        """
        if self.terrain is None:
            return ""
        name, start = self.terrain
        furthest = float((np.einsum("snj,skj->snk", soles[:, :, 0, :3], self.corners) + soles[:, :, :1, 3]).max())
        return (
            self.low
            if furthest > start
            else f"no foot came to the {name} from x = {start:.2f} m on: {furthest:.2f} m at most"
        )

    @property
    def corners(self) -> FloatArray:
        """Of both soles, in their frames, around them, shape (2, 4, 3) [m]."""
        signs = np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)])
        flat = self.halves[:, None] * signs
        return np.concatenate([flat, np.zeros((2, 4, 1))], axis=2)

    @property
    def outlines(self) -> FloatArray:
        """Corners of the soles at the planned footsteps, shape (n, 4, 3), world [m]."""
        c, s = np.cos(self.planned[:, 3]), np.sin(self.planned[:, 3])
        local = self.corners[self.foot]
        x = c[:, None] * local[..., 0] - s[:, None] * local[..., 1]
        y = s[:, None] * local[..., 0] + c[:, None] * local[..., 1]
        return np.stack([x, y, np.zeros_like(x)], axis=-1) + self.planned[:, None, :3]


def recorded_walk(run: Recorded) -> RecordedWalk | None:
    """What the metadata of a run tell of a walk; None where they tell of none, or not as `WalkRecord` writes it."""
    found = getattr(run, "metadata", {}).get(WALK)
    try:
        return _read(found, run.model) if isinstance(found, dict) else None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None


def _read(found: dict[str, Any], model: Model) -> RecordedWalk | None:
    left, right = found["feet"]
    soles = str(left["sole"]), str(right["sole"])
    halves = np.array([left["half"], right["half"]], dtype=float)
    steps = np.array(found["footsteps"][:MOST_STEPS], dtype=float).reshape(-1, 6)
    verdict, pelvis = found["verdict"], str(found["pelvis"])
    first, terrain = verdict.get("first"), found.get("terrain")
    known = all(name in model.frames for name in (*soles, pelvis))
    if not known or halves.shape != (2, 2) or not (np.isfinite(halves).all() and np.isfinite(steps).all()):
        return None
    foot = steps[:, 0].astype(int)
    if not np.isin(foot, (0, 1)).all():
        return None
    return RecordedWalk(soles, halves, pelvis, float(found["step_time"]), foot, steps[:, 1], steps[:, 2:],
                        bool(verdict["passed"]), str(verdict["reason"]), float(verdict.get("fell", verdict["time"])),
                        int(verdict["steps"]), None if first is None else (float(first[0]), str(first[1])),
                        PlannedWay.read(found.get("planned")), str(found.get("sensors", "")),
                        None if terrain is None else (str(terrain["name"]), float(terrain["start"])),
                        str(found.get("commands", "")), str(found.get("low", "")))  # fmt: skip
