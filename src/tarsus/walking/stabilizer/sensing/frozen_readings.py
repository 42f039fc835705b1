"""Sensors whose readings stay the same, bit by bit, while a robot walks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.encoder import Encoder
from tarsus.devices.sensors.sensor import Sensor

LASTING = 0.2
"""How long a sensor must be wrong before it is told [s]; landings shake inertial units for a moment."""
READINGS = 4
"""The same in readings that do not change: slow sensors tell the same until the next one."""
STIRRED = 0.1
"""Change of the load of a foot that no robot undergoes without moving, in its weight."""
TURNED = 0.02
"""Way of a joint by its rate that every encoder sees [rad or m]."""
PACE = 0.01
"""Between two looks at least [s]."""
KEPT = 40
"""Loads that are kept."""


class FrozenReadings:
    """Tells which sensors cannot be alive.

    A reading that does not change is wrong where the robot moved: a force sensor on another foot tells loads that
    changed by a tenth of the weight. Of a single joint of an encoder that changes otherwise: its rate tells that it
    went on. Joints that stand still, and robots, are not taken for it.

    Parameters
    ----------
    sensors : sequence of Sensor
    soles : sequence of str
        Names of the force sensors.
    weight : float
        Of the robot [N].
    """

    def __init__(self, sensors: Sequence[Sensor], soles: Sequence[str], weight: float) -> None:
        self._soles, self._stirred = list(soles), STIRRED * weight
        self._lasting = {sensor.name: max(LASTING, READINGS / sensor.rate) for sensor in sensors}
        self._bits: dict[str, bytes] = {}
        self._since: dict[str, float] = {}
        self._joints = [_Joints(sensor) for sensor in sensors if isinstance(sensor, Encoder)]
        self._loads: list[tuple[float, FloatArray]] = []
        self._next = -np.inf

    def look(self, t: float, readings: Mapping[str, FloatArray]) -> None:
        """Readings by names of the sensors at a time [s], in every cycle."""
        if t < self._next - 1e-9:
            return
        self._next = t + PACE
        for name in self._lasting:
            bits = readings[name].tobytes()
            if bits != self._bits.get(name):
                self._bits[name], self._since[name] = bits, t
        for joints in self._joints:
            joints.look(t, readings[joints.name])

    def found(self, t: float, readings: Mapping[str, FloatArray]) -> dict[str, float]:
        """Sensors, and joints of encoders, that are dead by now, and since when [s]; now and then."""
        self._loads = [*self._loads[1 - KEPT :], (t, np.array([readings[name][2] for name in self._soles]))]
        dead = {}
        for name, since in self._since.items():
            if t - since < self._lasting[name] - 1e-9 or not self._moved(name, since):
                continue
            if np.isfinite(readings[name]).all() and (readings[name].any() or name not in self._soles):
                dead[name] = since
        for joints in self._joints:
            if joints.name not in dead:
                dead.update(joints.found(t))
        return dead

    def _moved(self, name: str, since: float) -> bool:
        """Whether loads of feet have changed since a time, by what other sensors tell."""
        others = [k for k, sole in enumerate(self._soles) if sole != name]
        told = np.array([loads[others] for t, loads in self._loads if t > since - 1e-9])
        return bool(len(told) and np.ptp(told, axis=0).max() > self._stirred)


class _Joints:
    """Joints of one encoder that has rates, too."""

    def __init__(self, encoder: Encoder) -> None:
        self.name, self._names = encoder.name, encoder.joints
        self._lasting = max(LASTING, READINGS / encoder.rate)
        self._rates = encoder.velocity != "none"
        n = len(encoder.joints)
        self._last, self._since, self._way = np.full(n, np.nan), np.zeros(n), np.zeros(n)
        self._time = 0.0

    def look(self, t: float, reading: FloatArray) -> None:
        """A reading at a time [s]."""
        if not self._rates:
            return
        n = len(self._last)
        changed = reading[:n] != self._last
        self._way += (t - self._time) * reading[n:]
        self._way[changed], self._since[changed] = 0.0, t
        self._last, self._time = np.array(reading[:n]), t

    def found(self, t: float) -> dict[str, float]:
        """Those that tell one place while their rates tell that they move, and since when [s]."""
        dead = (np.abs(self._way) > TURNED) & (t - self._since > self._lasting - 1e-9)
        return {self._names[k]: float(self._since[k]) for k in np.flatnonzero(dead)}
