"""Back to a reference from any state, smoothly and without overshoot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.simulation.argument_kinds import check_number, check_positive
from tarsus.spatial._arrays import as_array, batch_shape

HALVINGS = 60
"""Of the duration, at most: with a short enough one there is no overshoot."""


@dataclass(frozen=True, eq=False)
class SmoothReturn:
    """A deviation e(t) from a reference that ends: polynomials of order 5, C2 at both ends.

    e = (1 - s)^3 (a + b s + c s^2), s = t / T, with a = e(0), b = 3 a + e'(0) T, c = (e''(0) T^2 - 6 a + 6 b) / 2. The
    first factor ends it at T with its first two derivatives; the second decides about overshoot: e changes its sign if
    a + b s + c s^2 does. For T -> 0 that is a (1 + 3 s + 6 s^2), and never does, so that a duration without overshoot
    exists for every state; T is the longest of duration 2^-k.

    Attributes
    ----------
    e, rate, acceleration : array_like, shape (...)
        At the start, of each coordinate.
    duration : float
        That is aimed at [s].
    """

    e: npt.ArrayLike
    rate: npt.ArrayLike
    acceleration: npt.ArrayLike
    duration: float

    def __post_init__(self) -> None:
        check_positive("duration of SmoothReturn", self.duration, "a number above 0 [s]")
        given = {n: as_array(getattr(self, n), n) for n in ("e", "rate", "acceleration")}
        batch_shape(**{n: array.shape for n, array in given.items()})
        start = np.broadcast_arrays(*given.values())
        T = np.full(start[0].shape, float(self.duration))
        for _ in range(HALVINGS):
            over = _changes_sign(*_quadratic(start, T))
            if not over.any():
                break
            T = np.where(over, T / 2, T)
        object.__setattr__(self, "_start", start)
        object.__setattr__(self, "_T", T)

    @property
    def durations(self) -> FloatArray:
        """T of each coordinate, at most `duration`, shape (...) [s]."""
        found: FloatArray = self.__dict__["_T"]
        return found

    def at(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """E, e', e'' a time after the start, shape (...) each; zero from T on."""
        check_number("t", t, "a time [s]")
        T = self.durations
        a, b, c = _quadratic(self.__dict__["_start"], T)
        s = np.clip(t / T, 0.0, 1.0)
        u = 1 - s
        g, g1, g2 = a + s * (b + s * c), b + 2 * c * s, 2 * c
        value = u**3 * g
        rate = (u**3 * g1 - 3 * u**2 * g) / T
        acceleration = (u**3 * g2 - 6 * u**2 * g1 + 6 * u * g) / T**2
        return value, rate, acceleration


def _quadratic(start: tuple[FloatArray, ...] | list[FloatArray], T: FloatArray) -> tuple[FloatArray, ...]:
    a, rate, acceleration = start
    b = 3 * a + rate * T
    return a, b, (acceleration * T**2 - 6 * a + 6 * b) / 2


def _changes_sign(a: FloatArray, b: FloatArray, c: FloatArray) -> np.ndarray:
    """Whether a + b s + c s^2 has both signs for 0 < s < 1."""
    end = a + b + c
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(c != 0, -b / (2 * np.where(c != 0, c, 1.0)), -1.0)
    middle = np.where((s > 0) & (s < 1), a + s * (b + s * c), a)
    low, high = np.minimum(np.minimum(a, end), middle), np.maximum(np.maximum(a, end), middle)
    return (low < 0) & (high > 0)
