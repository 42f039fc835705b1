"""Sensors of a walk that cannot be believed for some time: dead ones, and those that read what cannot be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.base_estimator import BaseEstimator
from tarsus.control.estimation.single_rotation import rotation_of
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.imu import IMU
from tarsus.devices.sensors.sensor import Sensor
from tarsus.walking.stabilizer.sensing.frozen_readings import LASTING, FrozenReadings

EVERY = 0.05
"""Between two looks at what the estimator thinks of its sensors [s]."""
UNLOADED = 2.0
"""How long a foot that walks can carry nothing at all [s]."""
MOST = 3
"""Sensors that are named."""
NOTHING = 1e-6
"""Reading of a force sensor that is none, in weights of the robot."""
BORNE = 0.1
"""Load of both feet together that a robot that walks has at least, in its weight."""
CARRIED = 0.5
"""Specific force of an inertial unit on a robot that something carries, in gravity at least; in free fall it is 0."""
UPRIGHT = 0.3
"""Lean of a robot that does not fall yet [rad]: feet of one that falls carry nothing, and its joints are hurled."""
PULLED = -0.05
"""Force by which the ground would pull a foot, in weights of the robot; sensors that are off by less tell it, too."""


class DeadSensors:
    """Looks at readings, and at what `BaseEstimator` does not believe.

    A sensor is dead whose readings are all nothing. Feet that swing carry nothing, too: force sensors are dead that
    read nothing while the robot stands before its first step, or for longer than steps last, or while the other foot
    does not carry it, either, and it is upright and carried by what its inertial unit tells. So are sensors whose
    readings stay the same while the robot moves (`FrozenReadings`), and force sensors by which the ground pulls. Errors
    that could be motions, such as biases, are not seen; a robot that is lifted off the ground looks as if perfect force
    sensors were dead.

    Parameters
    ----------
    sensors : sequence of Sensor
    soles : sequence of str
        Names of the force sensors.
    weight : float
        Of the robot [N].
    q0 : ndarray, shape (nq,)
        In which it is upright.

    Attributes
    ----------
    found : dict of str to (float, str)
        Since when which sensor is wrong, and how.
    """

    def __init__(self, sensors: Sequence[Sensor], soles: Sequence[str], weight: float, q0: FloatArray) -> None:
        self._soles, self._weight = soles, weight
        self._up = rotation_of(q0[3:7])[2]
        self._units = [sensor.name for sensor in sensors if isinstance(sensor, IMU)]
        self._used = [sensor.name for sensor in sensors if isinstance(sensor, IMU | Encoder) or sensor.name in soles]
        self._frozen = FrozenReadings([sensor for sensor in sensors if sensor.name in self._used], soles, weight)
        self._since: dict[str, tuple[float, str]] = {}
        self._silent: dict[str, float] = {}
        self._begun: float | None = None
        self._unborne: float | None = None
        self._next, self._leans = -np.inf, np.inf
        self.found: dict[str, tuple[float, str]] = {}

    def look(self, t: float, told: Mapping[str, FloatArray], estimator: BaseEstimator, q: FloatArray) -> None:
        """Readings by names of the sensors, and the estimator after its step, with its estimate, shape (nq,).

        At a time [s], in every cycle.
        """
        self._frozen.look(t, told)
        if t < self._next - 1e-9:
            return
        readings = {name: told[name] for name in self._used}
        self._next = t + EVERY
        self._begun = t if self._begun is None else self._begun
        upright = float(rotation_of(q[3:7])[2] @ self._up) > math.cos(UPRIGHT)
        self._leans = np.inf if upright else min(t, self._leans)
        wrong = {**estimator.status.rejected, **self._wrong_forces(readings)}
        self._since = {name: self._since.get(name, (t, why)) for name, why in wrong.items()}
        for name, (begun, why) in self._since.items():
            if t - begun > LASTING - 1e-9:
                self._tell(name, begun, why)
        gravity = float(np.linalg.norm(estimator.model.gravity))
        carried = all(np.linalg.norm(readings[name][3:6]) > CARRIED * gravity for name in self._units)
        self._find_silent(t, readings, upright and carried)
        for name, begun in self._frozen.found(t, readings).items():
            self._tell(name, begun, "reads the same all the time")

    def _tell(self, name: str, begun: float, why: str) -> None:
        """Keep what began before the robot leaned: one that falls moves as no sensor of a walk expects."""
        if begun <= self._leans:
            self.found.setdefault(name, (begun, why))

    def _wrong_forces(self, readings: Mapping[str, FloatArray]) -> dict[str, str]:
        """Force sensors that tell what cannot be."""
        wrong = {}
        for name in self._soles:
            if not np.isfinite(readings[name]).all():
                wrong[name] = "reads no number"
            elif readings[name][2] < PULLED * self._weight:
                wrong[name] = "reads that the ground pulls"
        return wrong

    def _find_silent(self, t: float, readings: Mapping[str, FloatArray], stands: bool) -> None:
        """Sensors that read nothing for longer than they may, on a robot that something carries upright or not."""
        for name, reading in readings.items():
            if np.abs(reading).max() <= (NOTHING * self._weight if name in self._soles else 0.0):
                self._silent.setdefault(name, t)
            else:
                self._silent.pop(name, None)
        load = sum(max(0.0, float(readings[name][2])) for name in self._soles)
        if load > BORNE * self._weight or not stands:
            self._unborne = None
        elif self._unborne is None:
            self._unborne = t
        for name, begun in self._silent.items():
            if t - begun > self._patience(name, begun) - 1e-9 or self._must_carry(name, begun, t):
                self._tell(name, begun, "reads nothing")

    def _must_carry(self, name: str, begun: float, t: float) -> bool:
        """Whether a force sensor reads nothing since a time while no other carries the robot [s]."""
        alone = self._unborne is not None and t - max(begun, self._unborne) > LASTING - 1e-9
        return alone and name in self._soles

    def _patience(self, name: str, begun: float) -> float:
        """How long a sensor that reads nothing since a time may do so [s]."""
        return UNLOADED if name in self._soles and begun != self._begun else LASTING

    def __str__(self) -> str:
        """All of them, in words; empty where there is none."""
        alike: dict[tuple[float, str], list[str]] = {}
        for name, told in self.found.items():
            alike.setdefault(told, []).append(name)
        return "; ".join(f"{_named(names)} from {t:.2f} s on: {why}" for (t, why), names in alike.items())


def _named(names: list[str]) -> str:
    if len(names) == 1:
        return f"sensor {names[0]!r}"
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"sensors {', '.join(map(repr, names[:MOST]))}{more}"
