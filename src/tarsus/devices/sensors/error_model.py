"""Errors that sensors have in common: bias, drift, noise, range and resolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError

_READINGS_AHEAD, _NUMBERS_AHEAD = 256, 65536
"""Readings whose random numbers are drawn at once, and how many numbers these may be."""


@dataclass(frozen=True, eq=False)
class ErrorModel:
    """reading = quantised(limited(truth + bias + drift + noise)).

    Parameters are numbers, or have one entry a channel. The noise has the standard deviation
    sqrt(noise^2 + noise_density^2 rate) at a sensor of the given rate; averaged over a time T it falls to
    noise_density / sqrt(T), and that is its Allan deviation. The drift is a random walk that grows by bias_walk
    sqrt(T); its Allan deviation is bias_walk sqrt(T / 3). IEEE Std 952-1997, annex C.

    Attributes
    ----------
    noise : float or ndarray, shape (channels,)
        Standard deviation of each reading, whatever the rate [unit].
    noise_density : float or ndarray, shape (channels,)
        Random walk coefficient of the integrated reading [unit / sqrt(Hz)].
    bias : float or ndarray, shape (channels,)
        Constant, of any sign [unit].
    bias_spread : float or ndarray, shape (channels,)
        Standard deviation of a bias drawn once at the start [unit].
    bias_walk : float or ndarray, shape (channels,)
        [unit sqrt(Hz)], that is unit / sqrt(s).
    limit : float or ndarray, shape (channels,)
        Readings stay within plus and minus this [unit].
    resolution : float or ndarray, shape (channels,)
        Step of the readings [unit]; 0 for none. Rounded to the nearest step, halves to the even one.
    """

    noise: npt.ArrayLike = 0.0
    noise_density: npt.ArrayLike = 0.0
    bias: npt.ArrayLike = 0.0
    bias_spread: npt.ArrayLike = 0.0
    bias_walk: npt.ArrayLike = 0.0
    limit: npt.ArrayLike = np.inf
    resolution: npt.ArrayLike = 0.0

    def __post_init__(self) -> None:
        for name in ("noise", "noise_density", "bias_spread", "bias_walk", "resolution"):
            object.__setattr__(self, name, parameter("ErrorModel", name, getattr(self, name)))
        limit = parameter("ErrorModel", "limit", self.limit, positive=True, unlimited=True)
        object.__setattr__(self, "limit", limit)
        bias = np.array(self.bias, dtype=float)
        if not np.isfinite(bias).all():
            raise ArgumentError(f"bias of ErrorModel is {self.bias!r}, expected finite numbers")
        object.__setattr__(self, "bias", bias)

    def begin(self, shape: tuple[int, ...], rate: float, rng: np.random.Generator) -> ErrorRun:
        """A run of errors for readings of the given shape (..., channels), `rate` [Hz] of them in a second."""
        return ErrorRun([ErrorPart(self, shape[-1], rng)], shape[:-1], rate)


class ErrorPart(NamedTuple):
    """Errors of some channels, and where their random numbers come from."""

    model: ErrorModel
    channels: int
    rng: np.random.Generator


class ErrorRun:
    """The errors of one run, reading by reading, of parts whose channels follow each other.

    Every generator draws in a fixed order: for each part that it belongs to the spread of the bias; then for each
    reading and part the noise and the step of the drift, where they are not zero. Numbers of many readings are drawn at
    once, which does not change them.

    Parameters
    ----------
    parts : sequence of ErrorPart
    batch : tuple of int
        Axes of readings before that of the channels.
    rate : float
        Readings in a second [Hz].
    """

    def __init__(self, parts: Sequence[ErrorPart], batch: tuple[int, ...], rate: float) -> None:
        self._batch, self._parts = batch, tuple(parts)
        self.bias: FloatArray = np.concatenate([_first_bias(part, (*batch, part.channels)) for part in parts], axis=-1)
        deviations, walks = [], []
        for model, channels, _ in parts:
            shape = (*batch, channels)
            noise = np.sqrt(np.asarray(model.noise) ** 2 + np.asarray(model.noise_density) ** 2 * rate)
            deviations.append(_of_channels(noise, shape))
            walks.append(_of_channels(np.asarray(model.bias_walk) / np.sqrt(rate), shape))
        self._deviations, self._walks = deviations, walks
        self._noisy, self._drifts = (any(np.any(x > 0.0) for x in each) for each in (deviations, walks))
        limit, step = self._joined("limit"), self._joined("resolution")
        self._limit = limit if np.isfinite(limit).any() else None
        self._coarse = step > 0.0 if np.any(step > 0.0) else None
        self._step = np.where(step > 0.0, step, 1.0)
        self._ahead = max(1, min(_READINGS_AHEAD, _NUMBERS_AHEAD // max(1, self.bias.size)))
        self._next = self._ahead

    def _joined(self, name: str) -> FloatArray:
        """A parameter of all channels, shape (*batch, channels)."""
        each = [_of_channels(getattr(part.model, name), (*self._batch, part.channels)) for part in self._parts]
        return np.concatenate(each, axis=-1)

    def _draw(self) -> None:
        """Noise and steps of the drift for the next readings, shape (readings, *batch, channels)."""
        count = self._ahead
        self._noise, self._drift = np.zeros((2, count, *self.bias.shape))
        wanted: dict[int, list[tuple[FloatArray, FloatArray]]] = {}
        generators, first = {}, 0
        for part, deviation, walk in zip(self._parts, self._deviations, self._walks, strict=True):
            channels = slice(first, first + part.channels)
            first += part.channels
            own = wanted.setdefault(id(part.rng), [])
            generators[id(part.rng)] = part.rng
            for scale, target in ((deviation, self._noise), (walk, self._drift)):
                if np.any(scale > 0.0):
                    own.append((scale, target[..., channels]))
        for key, draws in wanted.items():
            sizes = [scale.size for scale, _ in draws]
            numbers = generators[key].standard_normal((count, sum(sizes))) if sizes else np.zeros((count, 0))
            starts = np.cumsum([0, *sizes])
            for (scale, target), start, size in zip(draws, starts, sizes, strict=False):
                target[...] = scale * numbers[:, start : start + size].reshape(count, *scale.shape)
        self._next = 0

    def __call__(self, truth: FloatArray) -> FloatArray:
        """Reading (*batch, channels) of a true value (*batch, channels), in an array of its own."""
        value: FloatArray = truth + self.bias
        if self._noisy or self._drifts:
            if self._next == self._ahead:
                self._draw()
            if self._noisy:
                value += self._noise[self._next]
            if self._drifts:
                self.bias = self.bias + self._drift[self._next]
            self._next += 1
        if self._limit is not None:
            np.clip(value, -self._limit, self._limit, out=value)
        if self._coarse is not None:
            np.copyto(value, np.rint(value / self._step) * self._step, where=self._coarse)
        return value


def _first_bias(part: ErrorPart, shape: tuple[int, ...]) -> FloatArray:
    """The bias at the start, constant and drawn, of the given shape."""
    bias, spread = (_of_channels(value, shape) for value in (part.model.bias, part.model.bias_spread))
    return bias + spread * part.rng.standard_normal(shape) if np.any(spread > 0.0) else bias


def _of_channels(value: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """A parameter of all readings of the given shape."""
    try:
        return np.broadcast_to(np.asarray(value, dtype=float), shape)
    except ValueError:
        raise ArgumentError(f"parameters of ErrorModel do not fit readings of shape {shape}") from None
