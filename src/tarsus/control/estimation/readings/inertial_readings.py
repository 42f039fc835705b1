"""Readings of an inertial unit that can be believed."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError

_SILENT = 0.1
"""Without a reading for so long [s], a sensor is silent."""
_BORNE = 0.5
"""Part of its weight with which supports must press a robot before they contradict an accelerometer."""
_FALLING = 0.2
"""Part of gravity below which an accelerometer says that the robot falls."""


@final
class InertialReadings:
    """The last angular velocity and specific force that can be believed.

    Parameters
    ----------
    name : str
        Of the sensor.
    gyroscope_limit, accelerometer_limit : float
        Readings beyond them are not believed [rad/s, m/s^2].

    Attributes
    ----------
    gyroscope, accelerometer : ndarray, shape (3,), or None
        None before the first reading.
    known : (bool, bool)
        Whether the present ones can be used: read, believed, and not too old.
    """

    def __init__(self, name: str, gyroscope_limit: float, accelerometer_limit: float) -> None:
        for what, limit in (("gyroscope_limit", gyroscope_limit), ("accelerometer_limit", accelerometer_limit)):
            if not limit > 0.0:
                raise ArgumentError(f"{what} is {limit!r}; expected a number above 0")
        self._name, self._limits = name, (gyroscope_limit, accelerometer_limit)
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.gyroscope: FloatArray | None = None
        self.accelerometer: FloatArray | None = None
        self._age = [0.0, 0.0]
        self._wrong = [False, False]
        self._dead = False
        self.known = (False, False)

    def update(self, dt: float, gyroscope: FloatArray | None, accelerometer: FloatArray | None) -> None:
        """Take readings that came in a step of dt [s]; None where none came: the last ones are held."""
        turned = self._take(0, dt, gyroscope)
        if turned is not None:
            self.gyroscope = turned
        pushed = self._take(1, dt, accelerometer)
        if pushed is not None:
            self.accelerometer = pushed
        age, wrong = self._age, self._wrong
        self.known = (
            self.gyroscope is not None and age[0] <= _SILENT and not wrong[0],
            self.accelerometer is not None and age[1] <= _SILENT and not wrong[1],
        )

    def compare(self, pressed: float, gravity: float) -> None:
        """Do not believe an accelerometer that tells of a fall while supports carry the robot: it is dead.

        Nor a gyroscope that reads nothing but zeros beside it.

        Parameters
        ----------
        pressed : float
            Loads of all supports over the mass of the robot [m/s^2]: specific force of its centre of mass.
        gravity : float
            Its size [m/s^2].
        """
        self._dead = False
        if self.accelerometer is None or not pressed > _BORNE * gravity:
            return
        x, y, z = self.accelerometer.tolist()
        self._dead = math.sqrt(x * x + y * y + z * z) < _FALLING * gravity
        if self._dead:
            turns = self.gyroscope is not None and bool(self.gyroscope.any())
            self.known = (self.known[0] and turns, False)

    def _take(self, which: int, dt: float, reading: FloatArray | None) -> FloatArray | None:
        """The reading where it can be believed."""
        self._age[which] += dt
        if reading is None:
            return None
        if reading.shape != (3,):
            what = ("gyroscope", "accelerometer")[which]
            raise ShapeError(f"{what} has shape {reading.shape}, expected (3,)")
        x, y, z = reading.tolist()
        self._wrong[which] = not math.sqrt(x * x + y * y + z * z) <= self._limits[which]  # NaN, too
        if self._wrong[which]:
            return None
        self._age[which] = 0.0
        return np.array(reading, dtype=float)

    def rejected(self) -> dict[str, str]:
        """The sensor, if something of it is not believed, and why."""
        parts = []
        for k, what in enumerate(("gyroscope", "accelerometer")):
            if self._wrong[k]:
                parts.append(f"{what} reads no number or more than {self._limits[k]:g}")
            elif self._age[k] > _SILENT:
                parts.append(f"{what} silent for {self._age[k]:.3g} s")
            elif k == 1 and self._dead:
                parts.append(f"{what} reads that of a fall while supports carry the robot")
        return {self._name: ", ".join(parts)} if parts else {}
