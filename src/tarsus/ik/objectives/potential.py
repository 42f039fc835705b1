"""Potentials of a distance that push things apart, Buschmann 2014 (5.50)-(5.59)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


@dataclass(frozen=True)
class Potential(ABC):
    """A function H(d) of a distance d that is zero from `activation` on and rises as d falls.

    Its gain is positive and H repels under the descent law (5.14): H' <= 0 everywhere. In the text the sign of the gain
    differs from one potential to the other.

    Attributes
    ----------
    activation : float
        d_a, the distance from which on nothing is felt [m, rad].
    gain : float
        s_0, above 0.
    """

    activation: float
    gain: float = 1.0

    def __post_init__(self) -> None:
        for name in ("activation", "gain"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
                raise ArgumentError(f"{name} of {type(self).__name__} is {value!r}; expected a number above 0")

    def value(self, distance: npt.ArrayLike) -> FloatArray:
        """H(d), of the shape of the distances."""
        return self._derivative(distance, 0)

    def slope(self, distance: npt.ArrayLike) -> FloatArray:
        """dH/dd, never above 0, of the shape of the distances."""
        return self._derivative(distance, 1)

    def curvature(self, distance: npt.ArrayLike) -> FloatArray:
        """d^2 H/dd^2, never below 0, of the shape of the distances."""
        return self._derivative(distance, 2)

    def _derivative(self, distance: npt.ArrayLike, order: int) -> FloatArray:
        d = np.asarray(distance, dtype=float)
        return np.where(d < self.activation, self._inside(np.minimum(d, self.activation), order), 0.0)

    @abstractmethod
    def _inside(self, d: FloatArray, order: int) -> FloatArray:
        """H or one of its derivatives for d <= activation."""


@dataclass(frozen=True)
class QuadraticPotential(Potential):
    """H = s_0 (d - d_a)^2 for d < d_a, Buschmann 2014 (5.50); its curvature jumps at d_a."""

    def _inside(self, d: FloatArray, order: int) -> FloatArray:
        x = d - self.activation
        return self.gain * (x**2, 2 * x, np.full_like(x, 2.0))[order]


@dataclass(frozen=True)
class CubicPotential(Potential):
    """H = s_0 (d_a - d)^3 for d < d_a, Buschmann 2014 (5.51), whose printed sign attracts: an odd power changes it."""

    def _inside(self, d: FloatArray, order: int) -> FloatArray:
        x = self.activation - d
        return self.gain * (x**3, -3 * x**2, 6 * x)[order]


@dataclass(frozen=True)
class PiecewisePotential(Potential):
    """Cubic far away and quadratic near, twice continuously differentiable: Buschmann 2014 (5.52)-(5.59).

    The cubic part has H = H' = H'' = 0 at d_a (5.57), the parts meet at t d_a with equal value, slope and curvature
    (5.56), and the slope at d = 0 is -s_0 (5.55). Here s_0 > 0 and H' = -s_0 there, so that H repels; the text's middle
    branch holds for t d_a <= d <= d_a, not "<= 0".

    Attributes
    ----------
    activation : float
        d_a [m, rad].
    gain : float
        s_0, how steeply H falls at d = 0 [1/m, 1/rad].
    switch : float
        t, the share of d_a below which H is quadratic, from 0 to less than 1.
    """

    switch: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.switch, int | float) and 0 <= self.switch < 1):
            raise ArgumentError(
                f"switch of PiecewisePotential is {self.switch!r}; expected a number from 0 to less than 1"
            )

    def _inside(self, d: FloatArray, order: int) -> FloatArray:
        near = (self.near_value, self.near_slope, self.near_curvature)[order](d)
        far = (self.far_value, self.far_slope, self.far_curvature)[order](d)
        return np.where(d < self.switch * self.activation, near, far)

    # The two branches, each for all d.

    def near_value(self, d: FloatArray) -> FloatArray:
        """H_2, the first branch of (5.58)."""
        s, a, t = self.gain, self.activation, self.switch
        return s * d * d / (a * (t + 1)) - s * d + s * a * (t * t + t + 1) / (3 * (t + 1))

    def near_slope(self, d: FloatArray) -> FloatArray:
        """H_2', the first branch of (5.59)."""
        return 2 * self.gain * d / (self.activation * (self.switch + 1)) - self.gain

    def near_curvature(self, d: FloatArray) -> FloatArray:
        """H_2''."""
        return np.full_like(d, 2 * self.gain / (self.activation * (self.switch + 1)))

    def far_value(self, d: FloatArray) -> FloatArray:
        """H_3, the second branch of (5.58)."""
        return self._cubic() * (self.activation - d) ** 3 / 3

    def far_slope(self, d: FloatArray) -> FloatArray:
        """H_3', the second branch of (5.59)."""
        return -self._cubic() * (self.activation - d) ** 2

    def far_curvature(self, d: FloatArray) -> FloatArray:
        """H_3''."""
        return 2 * self._cubic() * (self.activation - d)

    def _cubic(self) -> float:
        return self.gain / (self.activation**2 * (1 - self.switch**2))
