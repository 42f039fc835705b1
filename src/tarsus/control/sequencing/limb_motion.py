"""A limb on its way: along its path, on beyond it where it meets nothing, and at rest where it touches."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.swing_path import SwingPath
from tarsus.control.whole_body.contact import Contact
from tarsus.tasks import FramePose

DESCENDING = 0.5
"""Part of its path after which a limb that feels a force has touched; before, it still leaves what it was on."""


class LimbMotion:
    """Follows a limb to its contact.

    Parameters
    ----------
    contact : Contact
        That is to be made.
    path : SwingPath
    start : float
        Time at which it begins [s].

    Attributes
    ----------
    touched : Contact or None
        The contact where it was met.
    early : float
        Part of the path that was left then; negative where the path had ended.
    """

    def __init__(self, contact: Contact, path: SwingPath, start: float) -> None:
        self.contact, self.path = contact, path
        self._start = start
        self.touched: Contact | None = None
        self.early = 0.0
        self._rest = np.asarray(path.end)

    @property
    def normal(self) -> FloatArray:
        """Out of what is to be met, world axes."""
        normal: FloatArray = np.asarray(self.contact.pose)[:3, :3] @ np.asarray(self.contact.normal)
        return normal

    def late(self, t: float) -> float:
        """Time since its path has ended [s]; negative before."""
        return t - self._start - self.path.duration

    def sought(self, t: float, pace: Pace) -> tuple[float, float, float]:
        """Way beyond the end of the path, its speed and acceleration: `seek_speed` is reached in 1 / `gain`."""
        late = max(self.late(t), 0.0) if self.touched is None else 0.0
        speed, ramp = pace.seek_speed, 1.0 / pace.gain
        if late < ramp:
            return 0.5 * speed * late**2 / ramp, speed * late / ramp, speed / ramp if late > 0 else 0.0
        return speed * (late - 0.5 * ramp), speed, 0.0

    def feel(self, t: float, X_WF: FloatArray, force: FloatArray, pace: Pace) -> bool:
        """Whether it touches now for the first time.

        Parameters
        ----------
        X_WF : ndarray, shape (4, 4)
            Where the limb is.
        force : ndarray, shape (3,)
            Of what it touches on it, world axes [N].
        """
        done = (t - self._start) / self.path.duration
        if self.touched is not None or done < DESCENDING or self.normal @ force < pace.touch:
            return False
        pose = np.array(self.contact.pose)
        middle = self.contact.X_FC[:3, 3]  # of its points, which is where it has met something
        met = X_WF[:3, :3] @ middle + X_WF[:3, 3]
        pose[:3, 3] = met - pose[:3, :3] @ middle
        self._rest = np.array(self.path.end)
        self._rest[:3, 3] = met - self._rest[:3, :3] @ middle
        self.touched, self.early = self.contact.with_pose(pose), 1.0 - done
        return True

    def task(self, t: float, pace: Pace) -> FramePose:
        """Where the limb shall be at a time [s]; the place alone where its contact is a point."""
        weight = np.full(6, pace.posture_weight)
        weight[:3] = pace.limb_weight
        axes = [True] * 3 + [self.contact.freedoms != 3] * 3
        weight = weight[axes]
        if self.touched is not None:
            return FramePose(self.contact.frame, self._rest, weight=weight, gain=pace.gain, axes=axes)
        X, speed, change = self.path.at(t - self._start)
        way, rate, bend = self.sought(t, pace)
        X[:3, 3] -= way * self.normal
        speed[:3] -= rate * self.normal
        change[:3] -= bend * self.normal
        return FramePose(
            self.contact.frame, X, weight=weight, gain=pace.gain, axes=axes, velocity=speed, acceleration=change
        )
