"""Tells when a robot that walks has fallen, and what went wrong first."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.walk_guide import WalkGuide

LOWEST = 0.75
"""Height of the hips above the lower foot below which a robot has fallen, in the least that was planned."""
TILTED = math.radians(40.0)
"""Tilt of the pelvis from upright beyond which it has fallen [rad]."""


Goal = Callable[[list[FloatArray]], str]
"""Why soles, by their poses at the end, are not where they were to come; empty where they are."""
STILL = 0.5
"""Error of the divergent component at the end up to which a robot stands, in half diagonals of a sole."""


class FallWatch:
    """Looks at every state of a walk.

    Attributes
    ----------
    fallen : str
        Why it has fallen; empty while it has not.
    first : tuple of (float, str), optional
        Time [s] since which the robot was never again within its conditions, and the one that was violated first then;
        None while it is within them: a push that it has recovered from is forgotten.
    """

    def __init__(self, biped: Biped, plan: WalkPlan, goal: Goal | None = None) -> None:
        self._biped, self._goal = biped, goal
        X = frame_pose(biped.model, biped.q, biped.pelvis)
        self._up = X[:3, :3].T[:, 2]  # the vertical, in axes of the pelvis
        hips = [frame_pose(biped.model, biped.q, biped.model.joints[leg.joints[0]].child) for leg in biped.legs]
        # Frames of pelvises may be anywhere, also below the feet: the middle of the hips is where legs begin.
        self._hips = X[:3, :3].T @ (np.mean([hip[:3, 3] for hip in hips], axis=0) - X[:3, 3])
        self._height = min(float(X[2, :3] @ self._hips + X[2, 3]), self._least_planned(plan))
        self._reach = float(np.linalg.norm(biped.legs[0].half))
        self._soles = [frame_pose(biped.model, biped.q, leg.sole) for leg in biped.legs]
        self.fallen = ""
        self.first: tuple[float, str] | None = None

    def _least_planned(self, plan: WalkPlan) -> float:
        """Least height of the hips above the lower foot in a plan [m]: stairs and long steps bend legs."""
        X = frame_pose(self._biped.model, plan.q, self._biped.pelvis)
        return float((X[:, 2, :3] @ self._hips + X[:, 2, 3] - plan.feet.place[:, :, 2].min(axis=1)).min())

    def look(self, t: float, q: FloatArray, error: FloatArray) -> None:
        """A true state, shape (nq,), and the error of the divergent component, shape (2,) [m]."""
        self._soles = [frame_pose(self._biped.model, q, leg.sole) for leg in self._biped.legs]
        X = frame_pose(self._biped.model, q, self._biped.pelvis)
        off = math.hypot(error[0], error[1])
        if off <= self._reach:
            self.first = None
        elif self.first is None:
            most = f"more than half a sole of {self._reach:.2f} m can bring back"
            self.first = t, f"the divergent component is {off:.2f} m off, {most}"
        tilt = math.acos(min(1.0, max(-1.0, float(X[2, :3] @ self._up))))
        height = float(X[2, :3] @ self._hips + X[2, 3] - min(sole[2, 3] for sole in self._soles))
        if tilt > TILTED:
            self.fallen = f"the pelvis tilts by {math.degrees(tilt):.0f} degrees"
        elif height < LOWEST * self._height:
            part = height / self._height
            self.fallen = f"the pelvis is {height:.2f} m above the feet, {part:.0%} of the least that was planned"
        if self.fallen and self.first is None:
            self.first = t, self.fallen

    def stands(self, control: WalkGuide) -> str:
        """Why a robot does not stand where it shall when its time is over; empty where it does.

        Where its feet are is told by the state that was looked at last, not by what sensors make of it.
        """
        phases, (x, y) = control.phases, control.error.tolist()
        off = math.hypot(x, y)
        if off > STILL * self._reach:
            return f"it did not stand when the plan ended: its divergent component was {off:.2f} m off"
        left = control.plan.phases[-1].start - phases.time
        if left > 0.0:
            return f"its time was over {left:.2f} s before its last foot was to stand: it had waited on the way"
        if not all(phases.landed):
            return "it stood on one foot when its time was over"
        return "" if self._goal is None else self._goal(self._soles)
