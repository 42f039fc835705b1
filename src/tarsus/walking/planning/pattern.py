"""What a planner finds: the motion of the centre of mass above its centre of pressure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.walking.planning.pressure_path import PressurePath


@dataclass(frozen=True, eq=False)
class Pattern:
    """Motion of the centre of mass, seen from above, and the centre of pressure that it needs.

    Attributes
    ----------
    times : ndarray, shape (n,)
        [s].
    position, velocity, acceleration : ndarray, shape (n, 2)
        Of the centre of mass, x and y [m], [m/s], [m/s^2].
    pressure : ndarray, shape (n, 2)
        Centre of pressure of this motion in the planner's model [m].
    omega : float
        sqrt(g / z) of the model [1/s].
    """

    times: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    pressure: FloatArray
    omega: float

    @property
    def divergent(self) -> FloatArray:
        """X + x' / w at the samples, shape (n, 2) [m]."""
        return self.position + self.velocity / self.omega

    def at(self, t: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position, velocity and acceleration at times, each of shape (..., 2): cubic between samples.

        Beyond the ends the first and last sample are held, at rest.
        """
        t = np.asarray(t, dtype=float)
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        h = (self.times[k + 1] - self.times[k])[..., None]
        s = np.clip((t - self.times[k])[..., None] / h, 0.0, 1.0)
        x0, x1, v0, v1 = self.position[k], self.position[k + 1], h * self.velocity[k], h * self.velocity[k + 1]
        a, b = 2 * (x0 - x1) + v0 + v1, 3 * (x1 - x0) - 2 * v0 - v1
        inside = ((t >= self.times[0]) & (t <= self.times[-1]))[..., None]
        x = x0 + s * (v0 + s * (b + s * a))
        v = np.where(inside, (v0 + s * (2 * b + 3 * a * s)) / h, 0.0)
        acceleration = (1 - s) * self.acceleration[k] + s * self.acceleration[k + 1]
        return x, v, np.where(inside, acceleration, 0.0)

    def beyond(self, reference: PressurePath) -> float:
        """By how much the pressure leaves the bounds of a path at the samples, at most [m]; 0 or less inside."""
        lower, upper = reference.bounds(self.times)
        return float(np.maximum(lower - self.pressure, self.pressure - upper).max())
