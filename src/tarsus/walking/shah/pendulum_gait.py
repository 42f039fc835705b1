"""Planned gait of a planar biped: hip on the path of an inverted pendulum, ankles on cosines (Shah et al., (23))."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.walking.shah.two_link_leg import two_link_leg

LEGS_EXCHANGED = [0, 1, 2, 6, 7, 8, 3, 4, 5]
"""Coordinates of `GaitMotion` with the second leg before the first."""


class Path(NamedTuple):
    """A point in the sagittal plane that moves.

    Attributes
    ----------
    position, velocity, acceleration : ndarray, shape (..., 2)
        x (forward) and z (up) [m], [m/s], [m/s^2].
    """

    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    def seen_from(self, other: Path) -> Path:
        """Path of the difference to another point."""
        return Path(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


class GaitMotion(NamedTuple):
    """Motion of a planar biped: base (x, z, pitch), then hip, knee, ankle of the first leg, then of the second.

    Attributes
    ----------
    q, v, vdot : ndarray, shape (..., 9)
        The trunk is upright, so that the velocity of the base in its own axes is that in the world.
    """

    q: FloatArray
    v: FloatArray
    vdot: FloatArray


@dataclass(frozen=True)
class PendulumGait:
    """Steps of equal length and duration of a biped with an upright trunk, level feet and a hip at constant height.

    During each step, 0 <= t <= T, seen from the ankle of the leg that stands:

    - the hip moves like a linear inverted pendulum (Shah et al. (23)),
      x = x_i cosh(w t) + (x_i' / w) sinh(w t) with w = sqrt(g / y_c), z = y_c - l_0 / 2,
      where x(T) = -x(0) and x'(T) = x'(0) fix x_i = -l_s / 2 and x_i' = w x_i (1 + e^(wT)) / (1 - e^(wT));
    - the ankle of the leg that swings moves on cosines (24),
      x = -l_s cos(pi t / T), z = (h_f / 2) (1 - cos(2 pi t / T)).

    Deviation from the paper: (24) prints cos(pi t / T) for z, too, which would end the step with the foot at the height
    h_f; the foot comes down only with the factor 2. The legs change their roles at once, without double support:
    velocities are continuous there, accelerations of the swinging leg jump by l_s (pi / T)^2 and h_f / 2 (2 pi / T)^2.

    The first leg stands at the start, with its ankle at the origin. Default values are those of the paper.

    Attributes
    ----------
    period : float
        T, duration of a step [s].
    step_length : float
        l_s, distance between the ankles when both feet are down, and advance of the hip in each step [m].
    foot_height : float
        h_f [m].
    trunk_height : float
        y_c, height of the base above the ankle that stands [m].
    hip_drop : float
        l_0 / 2, of the hips below the base [m].
    thigh, shank : float
        Lengths [m].
    gravity : float
        g [m/s^2].
    """

    period: float = 1.0
    step_length: float = 0.2
    foot_height: float = 0.1
    trunk_height: float = 1.23
    hip_drop: float = 0.25
    thigh: float = 0.5
    shank: float = 0.5
    gravity: float = 9.81

    def __post_init__(self) -> None:
        for name in ("period", "step_length", "trunk_height", "thigh", "shank", "gravity"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ArgumentError(f"{name} of PendulumGait is {value!r}; expected a finite number above 0")
        for name in ("foot_height", "hip_drop"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} of PendulumGait is {value!r}; expected a finite number, 0 or more")
        hip_height, reach = self.trunk_height - self.hip_drop, self.thigh + self.shank
        furthest = math.hypot(hip_height, self.step_length / 2.0)
        if not 0.0 < hip_height or furthest >= reach:
            raise ArgumentError(
                f"hips at the height {hip_height:.6g} m and steps of {self.step_length:.6g} m need legs of more than "
                f"{furthest:.6g} m, but thigh and shank together have {reach:.6g} m"
            )

    @cached_property
    def frequency(self) -> float:
        """Rate w of the pendulum [1/s]."""
        return math.sqrt(self.gravity / self.trunk_height)

    @cached_property
    def start_velocity(self) -> float:
        """Speed x_i' of the hip at the exchange of legs [m/s]."""
        w, grown = self.frequency, math.exp(self.frequency * self.period)
        return -w * self.step_length / 2.0 * (1.0 + grown) / (1.0 - grown)

    def step(self, t: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Number of the step at time t, from 0: the first leg stands in even ones. At an exchange, the new step."""
        return np.asarray(np.floor(np.asarray(t, dtype=float) / self.period), dtype=np.int64)

    def hip(self, t: npt.ArrayLike, step: npt.ArrayLike | None = None) -> Path:
        """Path (23) of the hips in the world; `step` as in `motion`."""
        n, s = self._within(t, step)
        w, x_i, xd_i = self.frequency, -self.step_length / 2.0, self.start_velocity
        x = x_i * np.cosh(w * s) + xd_i / w * np.sinh(w * s)
        xd = x_i * w * np.sinh(w * s) + xd_i * np.cosh(w * s)
        height = np.full_like(x, self.trunk_height - self.hip_drop)
        still = np.zeros_like(x)
        return Path(_plane(x + n * self.step_length, height), _plane(xd, still), _plane(w * w * x, still))

    def swinging_ankle(self, t: npt.ArrayLike, step: npt.ArrayLike | None = None) -> Path:
        """Path (24), corrected, of the ankle that swings in the world; `step` as in `motion`."""
        n, s = self._within(t, step)
        a, length, half = np.pi / self.period, self.step_length, self.foot_height / 2.0
        return Path(
            _plane(n * length - length * np.cos(a * s), half * (1.0 - np.cos(2.0 * a * s))),
            _plane(length * a * np.sin(a * s), half * 2.0 * a * np.sin(2.0 * a * s)),
            _plane(length * a**2 * np.cos(a * s), half * (2.0 * a) ** 2 * np.cos(2.0 * a * s)),
        )

    def standing_ankle(self, t: npt.ArrayLike, step: npt.ArrayLike | None = None) -> Path:
        """Place of the ankle that stands, in the world; `step` as in `motion`."""
        n, s = self._within(t, step)
        x = n * self.step_length + np.zeros_like(s)
        still = np.zeros((*x.shape, 2))
        return Path(_plane(x, np.zeros_like(x)), still, still)

    def motion(self, t: npt.ArrayLike, step: npt.ArrayLike | None = None) -> GaitMotion:
        """Planned motion of base and joints.

        Parameters
        ----------
        t : array_like, shape (...)
            Time [s].
        step : array_like of int, shape (...), optional
            Number of the step whose formulas to use; that of `step(t)` otherwise. At the exchange between steps n - 1
            and n, `step=n - 1` gives the limit from before.

        Returns
        -------
        GaitMotion
        """
        n, _ = self._within(t, step)
        hip = self.hip(t, step)
        first_stands = (n % 2 == 0)[..., None]
        standing, swinging = self.standing_ankle(t, step).seen_from(hip), self.swinging_ankle(t, step).seen_from(hip)
        first = (np.where(first_stands, *pair) for pair in zip(standing, swinging, strict=True))
        second = (np.where(first_stands, *pair) for pair in zip(swinging, standing, strict=True))
        ankles = (np.stack(pair, axis=-2) for pair in zip(first, second, strict=True))
        legs = two_link_leg(*ankles, thigh=self.thigh, shank=self.shank)
        parts = []
        for of_hip, of_legs in zip(hip, legs, strict=True):
            part = np.zeros((*n.shape, 9))
            part[..., :2], part[..., 3:] = of_hip, of_legs.reshape(*n.shape, 6)
            parts.append(part)
        parts[0][..., 1] += self.hip_drop
        return GaitMotion(*parts)

    def _within(self, t: npt.ArrayLike, step: npt.ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        """Number of the step, and time since its beginning [s]."""
        time = np.asarray(t, dtype=float)
        n = np.asarray(self.step(time) if step is None else step, dtype=float)
        n, time = np.broadcast_arrays(n, time)
        return n, time - n * self.period


def _plane(x: FloatArray, z: FloatArray) -> FloatArray:
    return np.stack([x, z], axis=-1)
