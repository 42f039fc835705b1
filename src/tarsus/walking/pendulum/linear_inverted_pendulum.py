"""The linear inverted pendulum: a mass at constant height above a centre of pressure (Kajita and Tani 1995)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import DtypeError
from tarsus.simulation.argument_kinds import check_positive


class MassState(NamedTuple):
    """Where a mass is, seen from above, and how fast.

    Attributes
    ----------
    position, velocity : ndarray, shape (...)
        Of one direction or of several at once [m], [m/s].
    """

    position: FloatArray
    velocity: FloatArray


@dataclass(frozen=True)
class LinearInvertedPendulum:
    """x'' = w^2 (x - p), w^2 = g / z: a mass at the height z above the centre of pressure p.

    The two directions of the ground are alike and independent, so that x and p have any shape.

    Diagonalised (Takenaka 2004), it is xi' = w (xi - p) and eta' = -w (eta - p): the divergent component
    xi = x + x' / w, which is also the extrapolated centre of mass (Hof et al. 2005) and the capture point (Pratt et al.
    2006), and the convergent component eta = x - x' / w. The first alone decides about a fall.

    Attributes
    ----------
    height : float
        z [m].
    gravity : float
        g [m/s^2].
    """

    height: float
    gravity: float = 9.81

    def __post_init__(self) -> None:
        for name in ("height", "gravity"):
            value = getattr(self, name)
            check_positive(f"{name} of {type(self).__name__}", value)
            object.__setattr__(self, name, float(value))  # of NumPy's short floats, whose results would be short, too

    @cached_property
    def omega(self) -> float:
        """W = sqrt(g / z) [1/s]: the rate at which falls grow."""
        return math.sqrt(self.gravity / self.height)

    def acceleration(self, x: npt.ArrayLike, p: npt.ArrayLike) -> FloatArray:
        """w^2 (x - p) [m/s^2]."""
        return np.asarray(self.omega**2 * (np.asarray(x) - np.asarray(p)))

    def pressure(self, x: npt.ArrayLike, acceleration: npt.ArrayLike) -> FloatArray:
        """P = x - x'' / w^2 [m]."""
        return np.asarray(np.asarray(x) - np.asarray(acceleration) / self.omega**2)

    def divergent(self, x: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Xi = x + x' / w [m]: where the pressure must be for the mass to come to rest above it."""
        return np.asarray(np.asarray(x) + np.asarray(v) / self.omega)

    def convergent(self, x: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Eta = x - x' / w [m]."""
        return np.asarray(np.asarray(x) - np.asarray(v) / self.omega)

    def state_of(self, divergent: npt.ArrayLike, convergent: npt.ArrayLike) -> MassState:
        """State with these two components."""
        xi, eta = np.asarray(divergent), np.asarray(convergent)
        return MassState(np.asarray((xi + eta) / 2), np.asarray(self.omega * (xi - eta) / 2))

    def orbital_energy(self, x: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """v^2 / 2 - w^2 x^2 / 2 [m^2/s^2], x from the centre of pressure; above 0 the mass passes over it."""
        return np.asarray((np.asarray(v) ** 2 - (self.omega * np.asarray(x)) ** 2) / 2)

    def moved(
        self, start: MassState, t: npt.ArrayLike, p: npt.ArrayLike, pressure_rate: npt.ArrayLike = 0.0
    ) -> MassState:
        """State a time later, in closed form.

        Parameters
        ----------
        start : MassState
            Of shape (...).
        t : array_like
            [s], broadcast against the state.
        p : array_like, shape (...)
            Centre of pressure at the start [m].
        pressure_rate : array_like, shape (...)
            p' [m/s], constant: x - p then moves as it does above a pressure at rest.
        """
        t, rate = np.asarray(t, dtype=float), np.asarray(pressure_rate)
        y, y_rate = np.asarray(start.position) - np.asarray(p), np.asarray(start.velocity) - rate
        c, s = np.cosh(self.omega * t), np.sinh(self.omega * t)
        position = np.asarray(p) + rate * t + y * c + y_rate * s / self.omega
        return MassState(position, rate + self.omega * y * s + y_rate * c)

    def convergent_after(
        self, convergent: npt.ArrayLike, t: npt.ArrayLike, p: npt.ArrayLike, pressure_rate: npt.ArrayLike = 0.0
    ) -> FloatArray:
        """Eta a time after it is `convergent`, stably; p is the pressure at the beginning [m]."""
        t, p, rate = np.asarray(t, dtype=float), np.asarray(p), np.asarray(pressure_rate)
        offset = np.asarray(convergent) - p + rate / self.omega
        return np.asarray(p + rate * t - rate / self.omega + offset * np.exp(-self.omega * t))

    def divergent_before(
        self, divergent: npt.ArrayLike, t: npt.ArrayLike, p: npt.ArrayLike, pressure_rate: npt.ArrayLike = 0.0
    ) -> FloatArray:
        """Xi a time before it is `divergent`, stably: errors shrink by e^(-w t).

        Parameters
        ----------
        divergent : array_like, shape (...)
            xi at the end [m].
        t : array_like
            [s].
        p, pressure_rate : array_like, shape (...)
            Centre of pressure at the beginning [m], and its constant rate [m/s].
        """
        t, p, rate = np.asarray(t, dtype=float), np.asarray(p), np.asarray(pressure_rate)
        # xi - p - p' / w decays backwards.
        offset = np.asarray(divergent) - p - rate * t - rate / self.omega
        return np.asarray(p + rate / self.omega + offset * np.exp(-self.omega * t))


def check_pendulum(name: str, value: Any) -> None:
    """Refuse what is no pendulum."""
    if not isinstance(value, LinearInvertedPendulum):
        raise DtypeError(f"{name} is {value!r}; expected a LinearInvertedPendulum")
