"""Errors that sensors have in common: bias, drift, noise, range and resolution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError


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
        return ErrorRun(self, shape, rate, rng)


class ErrorRun:
    """The errors of one run, reading by reading; random numbers are drawn in a fixed order."""

    def __init__(self, model: ErrorModel, shape: tuple[int, ...], rate: float, rng: np.random.Generator) -> None:
        try:
            np.broadcast_to(np.asarray(model.noise) + np.asarray(model.bias), shape)
        except ValueError:
            raise ArgumentError(f"parameters of ErrorModel do not fit readings of shape {shape}") from None
        self._model, self._shape, self._rng = model, shape, rng
        self._deviation = np.sqrt(np.asarray(model.noise) ** 2 + np.asarray(model.noise_density) ** 2 * rate)
        self._walk = np.asarray(model.bias_walk) / np.sqrt(rate)
        self._noisy, self._walks = bool(np.any(self._deviation > 0.0)), bool(np.any(self._walk > 0.0))
        self.bias: FloatArray = np.broadcast_to(np.asarray(model.bias, dtype=float), shape)
        if np.any(np.asarray(model.bias_spread) > 0.0):
            self.bias = self.bias + np.asarray(model.bias_spread) * rng.standard_normal(shape)

    def __call__(self, truth: FloatArray) -> FloatArray:
        """Reading (..., channels) of a true value (..., channels)."""
        value = truth + self.bias
        if self._noisy:
            value = value + self._deviation * self._rng.standard_normal(self._shape)
        if self._walks:
            self.bias = self.bias + self._walk * self._rng.standard_normal(self._shape)
        limit, step = np.asarray(self._model.limit), np.asarray(self._model.resolution)
        value = np.clip(value, -limit, limit)
        coarse = np.round(value / np.where(step > 0.0, step, 1.0)) * step
        reading: FloatArray = np.where(step > 0.0, coarse, value)
        return reading
