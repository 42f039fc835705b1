"""Sensors that sample at the same instants: one evaluation and one set of errors for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.devices.sensors.error_model import ErrorPart, ErrorRun
from tarsus.devices.sensors.motion import Contacts, Motion
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.devices.sensors.sensor import Readings, Sensor
from tarsus.model.model import Model


@final
class SensorGroup:
    """Sensors of one rate, one sample after the other.

    What they sense is computed by the native core as far as they know how to tell it (`Sensor.add_to`), and by their
    own `truth` otherwise; errors are added to all channels at once.

    Parameters
    ----------
    model : Model
    sensors : sequence of Sensor
        With the same rate.
    seed : int

    Attributes
    ----------
    rate : float
        [Hz].
    count : int
        Samples that were taken.
    """

    def __init__(self, model: Model, sensors: Sequence[Sensor], seed: int) -> None:
        self._model = model
        self.sensors, self.rate, self.count = tuple(sensors), sensors[0].rate, 0
        self._seed = seed
        self._runs: list[Readings | None] = []
        self._channels: list[slice | None] = []  # of sensed values; None of sensors that make readings of their own
        self._lowered: object = self  # contacts and their bodies that the native table was made for, None without any

    def sample(self, motion: Motion) -> list[FloatArray]:
        """Readings of all sensors, (*batch, channels) each, which cannot be written to."""
        if not self._runs:
            self._begin(motion.v.shape[:-1])
        value = self._sensed(motion)
        if self._errors is not None:
            value = self._errors(value)
        value.flags.writeable = False
        self.count += 1
        readings = []
        for sensor, channels, run in zip(self.sensors, self._channels, self._runs, strict=True):
            if channels is None:
                assert run is not None
                reading = read_only_copy(run(sensor.truth(motion)))
            else:
                reading = value[..., channels]
                if run is not None:
                    reading = run(reading)
                    reading.flags.writeable = False
            readings.append(reading)
        return readings

    def _begin(self, batch: tuple[int, ...]) -> None:
        """Errors and channels of all sensors."""
        parts: list[ErrorPart] = []
        first = 0
        for sensor in self.sensors:
            rng = sensor.generator(self._seed)
            if _own_begin(sensor):
                shape = (*batch, len(sensor.labels(self._model)))
                self._runs.append(sensor.fitted(self._model).begin(shape, rng))
                self._channels.append(None)
                continue
            own = [ErrorPart(*part, rng) for part in sensor.error_parts()]
            count = sum(part.channels for part in own)
            self._runs.append(sensor.fitted(self._model).told(batch))
            self._channels.append(slice(first, first + count))
            parts += own
            first += count
        self._size = first
        self._errors = ErrorRun(parts, batch, self.rate) if parts else None

    def _sensed(self, motion: Motion) -> FloatArray:
        """What all sensors sense, without errors, (*batch, channels)."""
        contacts = motion.contacts
        told = None if contacts is None else (contacts.names, contacts.bodies)
        if told != self._lowered:
            self._lower(contacts)
            self._lowered = told
        native = self._native_values(motion)
        if native is not None and self._python == ():
            return native
        value = np.empty((*motion.v.shape[:-1], self._size))
        if native is not None:
            value[..., self._native_channels] = native
        for sensor, channels in zip(self.sensors, self._channels, strict=True):
            if channels is not None and (native is None or sensor in self._python):
                value[..., channels] = sensor.sensed(sensor.truth(motion))
        return value

    def _native_values(self, motion: Motion) -> FloatArray | None:
        """What the native core computes; None where there is nothing, or where it refuses the state."""
        lead = motion.v.shape[:-1]
        if self._table.channels == 0 or motion.q.shape[:-1] != lead or motion.vdot.shape[:-1] != lead:
            return None
        if motion.contacts is None:
            return self._table.sense(motion.q, motion.v, motion.vdot, _NONE, _NONE)
        position, force = motion.contacts.position, motion.contacts.force
        shape = (*lead, len(motion.contacts.names), 3)
        if position.shape != shape or force.shape != shape:
            position, force = (np.ascontiguousarray(np.broadcast_to(x, shape)) for x in (position, force))
        return self._table.sense(motion.q, motion.v, motion.vdot, position, force)

    def _lower(self, contacts: Contacts | None) -> None:
        """Fill the native table."""
        table = NativeTruth(self._model, 0 if contacts is None else len(contacts.names))
        self._table = table
        python: list[Sensor] = []
        columns: list[int] = []
        for sensor, channels in zip(self.sensors, self._channels, strict=True):
            if channels is not None and not _own_truth(sensor) and sensor.add_to(table, contacts):
                columns.extend(range(channels.start, channels.stop))
            else:
                python.append(sensor)
        self._python = tuple(python)
        self._native_channels = np.array(columns, dtype=np.intp)


_NONE = np.zeros(0)


def _defined_by(sensor: Sensor, name: str) -> type:
    """The class that a method of a sensor comes from."""
    return next(kind for kind in type(sensor).__mro__ if name in vars(kind))


def _own_begin(sensor: Sensor) -> bool:
    """Whether a sensor makes its readings in a way of its own."""
    return _defined_by(sensor, "begin") is not Sensor


def _own_truth(sensor: Sensor) -> bool:
    """Whether `truth` or `sensed` was changed by a class derived from the one that knows how to tell it natively."""
    native = _defined_by(sensor, "add_to")
    return any(not issubclass(native, _defined_by(sensor, name)) for name in ("truth", "sensed"))
