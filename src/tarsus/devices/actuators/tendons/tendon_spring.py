"""Springs in tendons, which harden as they are stretched and never push."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.parameters import parameter
from tarsus.errors import ArgumentError


class TendonSpring(ABC):
    """A law of force over the deflection d [m] of a tendon; for d < 0 the tendon is slack and has no force."""

    @abstractmethod
    def force(self, d: FloatArray) -> FloatArray:
        """Tension (...) [N], not negative."""

    @abstractmethod
    def stiffness(self, d: FloatArray) -> FloatArray:
        """Slope (...) of the tension [N/m]."""

    @abstractmethod
    def energy(self, d: FloatArray) -> FloatArray:
        """Stored energy (...) [J]."""

    @abstractmethod
    def deflection_of(self, stiffness: npt.ArrayLike) -> FloatArray:
        """Deflection (...) [m] at which the spring has a stiffness (...) [N/m]."""

    @abstractmethod
    def _mean_stretched(self, d0: FloatArray, d1: FloatArray) -> FloatArray:
        """Mean tension between two deflections that are not negative."""

    def mean_force(self, d0: FloatArray, d1: FloatArray) -> FloatArray:
        """Mean tension (...) [N] while the deflection goes evenly from d0 to d1: change of the energy over the way."""
        start, end = np.maximum(d0, 0.0), np.maximum(d1, 0.0)
        still = d0 == d1
        stretched = np.where(still, 1.0, (end - start) / np.where(still, 1.0, d1 - d0))
        mean: FloatArray = stretched * self._mean_stretched(start, end)
        return mean


@dataclass(frozen=True, eq=False)
class QuadraticSpring(TendonSpring):
    """Tension k d^2: two of them make a joint whose torque is linear and whose stiffness is that of the co-contraction.

    Attributes
    ----------
    coefficient : float or ndarray, shape (n,)
        k [N/m^2].
    """

    coefficient: npt.ArrayLike

    def __post_init__(self) -> None:
        k = parameter("QuadraticSpring", "coefficient", self.coefficient, positive=True)
        object.__setattr__(self, "coefficient", k)

    def force(self, d: FloatArray) -> FloatArray:
        """Tension; see `TendonSpring.force`."""
        tension: FloatArray = self._k * np.maximum(d, 0.0) ** 2
        return tension

    def stiffness(self, d: FloatArray) -> FloatArray:
        """Slope of the tension; see `TendonSpring.stiffness`."""
        slope: FloatArray = 2.0 * self._k * np.maximum(d, 0.0)
        return slope

    def energy(self, d: FloatArray) -> FloatArray:
        """Stored energy; see `TendonSpring.energy`."""
        energy: FloatArray = self._k * np.maximum(d, 0.0) ** 3 / 3.0
        return energy

    def deflection_of(self, stiffness: npt.ArrayLike) -> FloatArray:
        """Deflection with a stiffness; see `TendonSpring.deflection_of`."""
        d: FloatArray = np.asarray(stiffness, dtype=float) / (2.0 * self._k)
        return d

    def _mean_stretched(self, d0: FloatArray, d1: FloatArray) -> FloatArray:
        mean: FloatArray = self._k * (d0**2 + d0 * d1 + d1**2) / 3.0
        return mean

    @property
    def _k(self) -> FloatArray:
        return np.asarray(self.coefficient)


@dataclass(frozen=True, eq=False)
class ExponentialSpring(TendonSpring):
    """Tension F (exp(d / L) - 1), as of muscles and sinews that harden in proportion to their load.

    Attributes
    ----------
    scale : float or ndarray, shape (n,)
        F [N].
    length : float or ndarray, shape (n,)
        L [m].
    """

    scale: npt.ArrayLike
    length: npt.ArrayLike

    def __post_init__(self) -> None:
        for name in ("scale", "length"):
            value = parameter("ExponentialSpring", name, getattr(self, name), positive=True)
            object.__setattr__(self, name, value)

    def force(self, d: FloatArray) -> FloatArray:
        """Tension; see `TendonSpring.force`."""
        tension: FloatArray = self._F * np.expm1(np.maximum(d, 0.0) / self._L)
        return tension

    def stiffness(self, d: FloatArray) -> FloatArray:
        """Slope of the tension; see `TendonSpring.stiffness`."""
        slope: FloatArray = np.where(d > 0.0, self._F / self._L * np.exp(np.maximum(d, 0.0) / self._L), 0.0)
        return slope

    def energy(self, d: FloatArray) -> FloatArray:
        """Stored energy; see `TendonSpring.energy`."""
        x = np.maximum(d, 0.0) / self._L
        energy: FloatArray = self._F * self._L * (np.expm1(x) - x)
        return energy

    def deflection_of(self, stiffness: npt.ArrayLike) -> FloatArray:
        """Deflection with a stiffness, which is at least F / L; see `TendonSpring.deflection_of`."""
        ratio = np.asarray(stiffness, dtype=float) * self._L / self._F
        if not np.all(ratio >= 1.0):
            raise ArgumentError(
                f"stiffness of ExponentialSpring is {np.min(np.asarray(stiffness))} N/m, expected at least "
                f"scale / length, {np.max(self._F / self._L)} N/m: a tendon that bears nothing has it"
            )
        d: FloatArray = self._L * np.log(ratio)
        return d

    def _mean_stretched(self, d0: FloatArray, d1: FloatArray) -> FloatArray:
        x = (d1 - d0) / self._L
        still = x == 0.0
        grown = np.where(still, 1.0, np.expm1(x) / np.where(still, 1.0, x))
        mean: FloatArray = self._F * (np.exp(d0 / self._L) * grown - 1.0)
        return mean

    @property
    def _F(self) -> FloatArray:
        return np.asarray(self.scale)

    @property
    def _L(self) -> FloatArray:
        return np.asarray(self.length)
