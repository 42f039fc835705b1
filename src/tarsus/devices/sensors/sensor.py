"""What every sensor is: a truth, errors, a rate and a delay."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.sensors.error_model import ErrorModel, ErrorPart, ErrorRun
from tarsus.devices.sensors.motion import Contacts, Motion, sampled
from tarsus.devices.sensors.native_truth import NativeTruth
from tarsus.errors import ArgumentError
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.recording.signal_log import SAME_TIME

Readings = Callable[[FloatArray], FloatArray]
"""Turns true values (..., channels), one sample after the other, into readings."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """Readings of one sensor.

    Attributes
    ----------
    name : str
    labels : tuple of str
        Names of the channels.
    time : ndarray, shape (N,)
        When they were taken [s].
    available : ndarray, shape (N,)
        When they reached the controller [s]: time + delay.
    value : ndarray, shape (N, ..., channels)
    """

    name: str
    labels: tuple[str, ...]
    time: FloatArray
    available: FloatArray
    value: FloatArray

    def held(self, time: npt.ArrayLike) -> FloatArray:
        """Latest reading that had arrived at each of the times (M,) [s], (M, ..., channels); NaN before the first."""
        index = np.searchsorted(self.available, np.asarray(time, dtype=float) + SAME_TIME, side="right") - 1
        result = self.value[np.maximum(index, 0)]
        result[index < 0] = np.nan
        return result


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensor(ABC):
    """A sensor of a robot.

    It samples at start, start + 1 / rate, ..., whenever these are; each reading arrives exactly `delay` later. Delays
    need not be multiples of anything. Random numbers come from a generator of its own, seeded by the seed of the run
    and its name: the same seed gives the same bits, and other sensors change nothing. Simulations of a batch have
    errors of their own.

    Attributes
    ----------
    name : str
    rate : float
        Samples in a second [Hz].
    delay : float
        Time from sample to arrival [s].
    """

    name: str
    rate: float = 1000.0
    delay: float = 0.0
    needs_contacts: ClassVar[bool] = False
    """Whether it measures forces of contacts."""

    def __post_init__(self) -> None:
        what = f"{type(self).__name__} {self.name!r}"
        if not self.name:
            raise ArgumentError(f"a {type(self).__name__} needs a name")
        if not (np.isfinite(self.rate) and self.rate > 0.0):
            raise ArgumentError(f"rate of {what} is {self.rate!r}, expected a positive number of Hz")
        if not (np.isfinite(self.delay) and self.delay >= 0.0):
            raise ArgumentError(f"delay of {what} is {self.delay!r}, expected seconds, not negative")

    @abstractmethod
    def labels(self, model: Model) -> tuple[str, ...]:
        """Names of the channels; raises if the sensor does not fit the model."""

    def fitted(self, model: Model) -> Sensor:
        """The sensor with what follows from the model, where it was not given; itself by default."""
        return self

    @abstractmethod
    def truth(self, motion: Motion) -> FloatArray:
        """What a perfect sensor would read, (..., channels)."""

    def error_parts(self) -> tuple[tuple[ErrorModel, int], ...]:
        """Errors of what is sensed, with the number of channels of each, in the order of their random numbers."""
        raise ArgumentError(
            f"the sensor {type(self).__name__} tells nothing of its errors: define `error_parts`, or `begin`"
        )

    def sensed(self, truth: FloatArray) -> FloatArray:
        """What errors are added to, (..., sensed channels): the truth itself by default."""
        return truth

    def told(self, batch: tuple[int, ...]) -> Readings | None:
        """A run of what makes readings of sensed values with their errors; None where they are the readings."""
        return None

    def add_to(self, table: NativeTruth, contacts: Contacts | None) -> bool:
        """Add what is sensed to a table that the native core evaluates; False where `truth` and `sensed` must do."""
        return False

    def begin(self, shape: tuple[int, ...], rng: np.random.Generator) -> Readings:
        """A run: a function that turns true values of the given shape (..., channels) into readings, in order."""
        batch = shape[:-1]
        errors = ErrorRun([ErrorPart(*part, rng) for part in self.error_parts()], batch, self.rate)
        told = self.told(batch)

        def read(truth: FloatArray) -> FloatArray:
            value = errors(self.sensed(truth))
            return value if told is None else told(value)

        return read

    def generator(self, seed: int) -> np.random.Generator:
        """The random numbers of a run."""
        if not isinstance(seed, int | np.integer) or seed < 0:
            raise ArgumentError(f"seed is {seed!r}, expected an integer, not negative")
        return np.random.Generator(np.random.PCG64([int(seed), zlib.crc32(self.name.encode())]))

    def measure(self, trajectory: Recorded, seed: int = 0) -> Measurement:
        """Readings over a finished trajectory.

        Parameters
        ----------
        trajectory : Trajectory
        seed : int

        Returns
        -------
        Measurement
            From the first sample of the trajectory to its end, at the sensor's own rate.
        """
        labels = self.labels(trajectory.model)
        start, end = float(trajectory.time[0]), float(trajectory.time[-1])
        count = 1 + int(np.floor((end - start + SAME_TIME) * self.rate))
        time = np.minimum(start + np.arange(count) / self.rate, end)
        truth = self.truth(sampled(trajectory, time))
        run = self.fitted(trajectory.model).begin(truth.shape[1:], self.generator(seed))
        value = np.array([run(sample) for sample in truth])
        return Measurement(self.name, labels, time, time + self.delay, value)
