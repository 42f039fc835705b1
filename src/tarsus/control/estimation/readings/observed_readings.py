"""What the sensors of a simulation tell an estimator, moment by moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.readings.reading_line import ReadingLine
from tarsus.control.estimation.readings.wiring import Wiring
from tarsus.control.estimation.support import Support
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.control.observation import Observation
    from tarsus.model import Model

_CLOSED = 1e9
"""Load that a closed switch stands for [N]: above every threshold."""

Told = tuple[FloatArray | None, FloatArray | None, FloatArray | None, FloatArray | None, FloatArray | None]


@final
class ObservedReadings:
    """Takes new readings from observations, all of the same age.

    Attributes
    ----------
    delay : float
        Of the slowest sensor [s].
    """

    def __init__(self, model: Model, supports: tuple[Support, ...], wiring: Wiring) -> None:
        self._wiring, self._frames = wiring, [support.frame for support in supports]
        delays = [wire.delay for wire in wiring.encoders] + [wire.delay for wire in wiring.loads]
        self.delay = max(wiring.imu.delay, *delays)
        self._unit = ReadingLine(self.delay - wiring.imu.delay)
        self._encoders = [(wire, ReadingLine(self.delay - wire.delay)) for wire in wiring.encoders]
        self._loads = [(wire, ReadingLine(self.delay - wire.delay)) for wire in wiring.loads]
        self._position = np.zeros(model.nq - model.joints["base"].q_index.stop)
        self._rate = np.zeros(model.nv - 6)
        self._rates = all(wire.rates is not None for wire in wiring.encoders)
        self._load = np.zeros(len(supports))
        self._whole = len(wiring.encoders) == 1 and wiring.encoders[0].positions == list(range(len(self._position)))

    def reset(self) -> None:
        """Forget all readings."""
        for line in (self._unit, *(line for _, line in (*self._encoders, *self._loads))):
            line.reset()
        self._load[:] = 0.0
        self._heard = [False] * len(self._encoders)

    def load_name(self, support: int) -> str:
        """Sensor that tells the load of a support."""
        return self._wiring.loads[support].name or f"touching of {self._frames[support]}"

    def take(self, observation: Observation) -> Told:
        """Positions, rates, angular velocity, specific force and loads, None where nothing new came."""
        t, sensors = observation.t, observation.sensors
        unit = self._unit.take(t, sensors.get(self._wiring.imu.name))
        if unit is not None and unit.ndim != 1:
            raise ArgumentError(f"readings have shape {unit.shape}; a BaseEstimator is for one robot, not for a batch")
        gyroscope, accelerometer = (None, None) if unit is None else (unit[:3], unit[3:])
        return *self._joints(t, observation), gyroscope, accelerometer, self._taken_loads(t, observation)

    def _joints(self, t: float, observation: Observation) -> tuple[FloatArray | None, FloatArray | None]:
        """Positions and rates of all joints, once every encoder has told something."""
        new = False
        for k, (wire, line) in enumerate(self._encoders):
            reading = line.take(t, observation.sensors.get(wire.name))
            if reading is None:
                continue
            new = self._heard[k] = True
            n = len(wire.positions)
            if self._whole:
                return reading[:n], reading[n:] if self._rates else None
            self._position[wire.positions] = reading[:n]
            if wire.rates is not None:
                self._rate[wire.rates] = reading[n:]
        if not new or not all(self._heard):
            return None, None
        return self._position.copy(), self._rate.copy() if self._rates else None

    def _taken_loads(self, t: float, observation: Observation) -> FloatArray:
        for k, (wire, line) in enumerate(self._loads):
            if wire.name is None:
                f = observation.wrench(self._frames[k])[:3]
                reading = line.take(t, np.array(f))
            else:
                reading = line.take(t, observation.sensors.get(wire.name))
            if reading is None:
                continue
            if wire.switch:
                self._load[k] = _CLOSED * reading[0]
            else:
                x, y, z = reading[:3].tolist()
                self._load[k] = (x * x + y * y + z * z) ** 0.5
        return self._load
