"""What a recording tells of a walk beside its motion: feet, footsteps and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.dead_sensors import DeadSensors
from tarsus.walking.stabilizer.walk_guide import WalkGuide
from tarsus.walking.walker.fall_watch import FallWatch
from tarsus.walking.walker.gait_choice import GaitChoice
from tarsus.walking.walker.walk_notes import PlannedWay

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
        if watch.first is not None:
            self._verdict["first"] = list(watch.first)
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
        When which condition was violated first.
    way : PlannedWay, optional
        Where it was to lead; None where that was not recorded.
    sensors : str
        Which sensors could not be believed since when, and why.
    commands : str
        Which commands on the way were not walked as they were told, and why.
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
    commands: str = ""

    def notes(self, pelvis: FloatArray) -> list[str]:
        """What deserves attention, from poses of the pelvis, shape (n, 4, 4)."""
        found = [self.sensors, self.commands]
        if self.way is not None:
            found += [self.way.short(), *(self.way.strayed(pelvis, float(self.halves[0, 0])) if self.passed else [])]
        return [note for note in found if note]

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
    first = verdict.get("first")
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
                        str(found.get("commands", "")))  # fmt: skip
