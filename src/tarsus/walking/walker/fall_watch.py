"""Tells when a robot that walks has fallen, and what went wrong first."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.walking.biped.biped import Biped

LOWEST = 0.75
"""Height of the hips above the lower foot below which a robot has fallen, in that of standing."""
TILTED = math.radians(40.0)
"""Tilt of the pelvis from upright beyond which it has fallen [rad]."""


STILL = 0.5
"""Error of the divergent component at the end up to which a robot stands, in half diagonals of a sole."""


class FallWatch:
    """Looks at every state of a walk.

    Attributes
    ----------
    fallen : str
        Why it has fallen; empty while it has not.
    first : tuple of (float, str), optional
        Time [s] and condition that was violated first.
    """

    def __init__(self, biped: Biped) -> None:
        self._biped = biped
        X = frame_pose(biped.model, biped.q, biped.pelvis)
        self._up = X[:3, :3].T[:, 2]  # the vertical, in axes of the pelvis
        hips = [frame_pose(biped.model, biped.q, biped.model.joints[leg.joints[0]].child) for leg in biped.legs]
        # Frames of pelvises may be anywhere, also below the feet: the middle of the hips is where legs begin.
        self._hips = X[:3, :3].T @ (np.mean([hip[:3, 3] for hip in hips], axis=0) - X[:3, 3])
        self._height = float(X[2, :3] @ self._hips + X[2, 3])
        self._reach = float(np.linalg.norm(biped.legs[0].half))
        self.fallen = ""
        self.first: tuple[float, str] | None = None

    def look(self, t: float, q: FloatArray, soles: list[FloatArray], error: FloatArray) -> None:
        """A true state, poses of the soles, and the error of the divergent component, shape (2,) [m]."""
        X = frame_pose(self._biped.model, q, self._biped.pelvis)
        off = math.hypot(error[0], error[1])
        if self.first is None and off > self._reach:
            most = f"more than half a sole of {self._reach:.2f} m can bring back"
            self.first = t, f"the divergent component is {off:.2f} m off, {most}"
        tilt = math.acos(min(1.0, max(-1.0, float(X[2, :3] @ self._up))))
        height = float(X[2, :3] @ self._hips + X[2, 3] - min(sole[2, 3] for sole in soles))
        if tilt > TILTED:
            self.fallen = f"the pelvis tilts by {math.degrees(tilt):.0f} degrees"
        elif height < LOWEST * self._height:
            self.fallen = f"the pelvis is {height:.2f} m above the feet, {height / self._height:.0%} of standing"
        if self.fallen and self.first is None:
            self.first = t, self.fallen

    def stands(self, error: FloatArray) -> str:
        """Why a robot does not stand at the end, by the error then, shape (2,) [m]; empty where it does."""
        off = math.hypot(error[0], error[1])
        if off <= STILL * self._reach:
            return ""
        return f"it did not stand when the plan ended: its divergent component was {off:.2f} m off"
