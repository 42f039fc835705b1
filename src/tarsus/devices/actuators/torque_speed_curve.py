"""What a drive can deliver at a given speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class TorqueSpeedCurve:
    """Torque limits that depend on speed: constant up to the knee, then a straight line to zero at the greatest speed.

    The line is that of a motor at its greatest voltage, where the back electromotive force takes away from what drives
    the current. Braking is limited by `torque_max` alone. Beyond the greatest speed the upper limit turns negative,
    down to
    -torque_max: the drive brakes.

    Attributes
    ----------
    torque_max : float or ndarray, shape (n,)
        [N m], at the joint.
    speed_max : float or ndarray, shape (n,)
        Speed without load [rad/s]; infinite: constant torque.
    knee : float or ndarray, shape (n,)
        Speed at which the torque begins to fall [rad/s]; 0 for a plain motor's straight line.
    """

    torque_max: npt.ArrayLike
    speed_max: npt.ArrayLike = np.inf
    knee: npt.ArrayLike = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "torque_max", parameter("TorqueSpeedCurve", "torque_max", self.torque_max))
        set_(
            self, "speed_max", parameter("TorqueSpeedCurve", "speed_max", self.speed_max, positive=True, unlimited=True)
        )
        set_(self, "knee", parameter("TorqueSpeedCurve", "knee", self.knee))
        if not np.all(np.asarray(self.knee) < np.asarray(self.speed_max)):
            raise ArgumentError(f"knee {self.knee} of TorqueSpeedCurve is not below speed_max {self.speed_max}")

    def bounds(self, v: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Least and greatest torque (...) at the joint rate v (...)."""
        torque, top, knee = np.asarray(self.torque_max), np.asarray(self.speed_max), np.asarray(self.knee)
        speed = np.asarray(v, dtype=float)
        slope = 1.0 / (top - knee)  # zero where the greatest speed is infinite
        high: FloatArray = torque * np.clip(1.0 - (speed - knee) * slope, -1.0, 1.0)
        low: FloatArray = -torque * np.clip(1.0 + (speed + knee) * slope, -1.0, 1.0)
        return low, high

    def limited(self, torque: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Torque (...) brought inside the bounds at the joint rate v (...)."""
        low, high = self.bounds(v)
        inside: FloatArray = np.clip(np.asarray(torque, dtype=float), low, high)
        return inside
