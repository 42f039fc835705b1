"""The divergent component is led back by the pressure under the feet: moments of the ankles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray

GAIN = 3.0
"""Pressure over the error of the divergent component: above 1 it comes back, by e^(-(gain - 1) w t)."""
WITHIN = 0.85
"""Part of the sole in which the pressure is kept: at its very edge a foot tips over."""


@dataclass(frozen=True)
class PressureFeedback:
    """p = p_ref + k (xi - xi_ref), within the soles.

    With xi' = w (xi - p) the error then falls: e' = -w (k - 1) e.

    Attributes
    ----------
    half : tuple of ndarray, shape (2,)
        Half sizes of the soles that the pressure may use, left and right [m].
    weight : float
        Of the robot [N].
    gain : float
    """

    half: tuple[FloatArray, FloatArray]
    weight: float
    gain: float = GAIN

    def wanted(self, error: FloatArray, reference: FloatArray) -> FloatArray:
        """Where the pressure should be, wherever feet are, shape (2,) [m]."""
        return np.asarray(reference + self.gain * error)

    def beyond(self, foot: int, X: FloatArray, yaw: float, wanted: FloatArray) -> FloatArray:
        """By how much a pressure is outside of a foot, world axes, shape (2,) [m]."""
        c, s = math.cos(yaw), math.sin(yaw)
        local = np.array([[c, s], [-s, c]])
        p = local @ (wanted - X[:2, 3])
        return np.asarray(local.T @ (p - np.clip(p, -self.half[foot], self.half[foot])))

    def moment(
        self, foot: int, X: FloatArray, yaw: float, wanted: FloatArray, reference: FloatArray, load: float
    ) -> tuple[float, float]:
        """Moment (x, y) on a foot beside the planned one, world axes [N m]: weight times the way of the pressure."""
        (a, b), (at_x, at_y) = self.half[foot].tolist(), X[:2, 3].tolist()
        c, s = math.cos(yaw), math.sin(yaw)

        def inside(p: FloatArray) -> tuple[float, float]:
            x, y = p.tolist()
            x, y = x - at_x, y - at_y
            return min(max(c * x + s * y, -a), a), min(max(c * y - s * x, -b), b)

        to, at = inside(wanted), inside(reference)
        dx, dy = to[0] - at[0], to[1] - at[1]
        f = self.weight * load
        return f * (s * dx + c * dy), -f * (c * dx - s * dy)

    def possible(
        self, X: Sequence[FloatArray], yaw: Sequence[float], most: tuple[float, float], wanted: FloatArray
    ) -> FloatArray:
        """A pressure near the wanted one that feet can give, shape (2,) [m].

        With a share s of the left foot it is s p_l + (1 - s) p_r with p_l and p_r within the soles. s is that whose
        middle s c_l + (1 - s) c_r is nearest, and both soles are used alike for what is left.

        Parameters
        ----------
        X : sequence of two ndarrays, shape (4, 4)
            Poses of the soles.
        yaw : sequence of two float
            [rad].
        most : tuple of two float
            Largest parts of the load of the left and the right foot, whose sum is 1 at least.
        wanted : ndarray, shape (2,)
            [m].
        """
        left, right = X[0][:2, 3], X[1][:2, 3]
        apart = left - right
        nearest = float((wanted - right) @ apart) / max(1e-9, float(apart @ apart))
        share = min(max(nearest, 1.0 - most[1]), most[0])
        middle = share * left + (1.0 - share) * right
        rest, found = wanted - middle, middle
        for foot, part in ((0, share), (1, 1.0 - share)):
            if part > 0.0:
                found = found + part * (rest - self.beyond(foot, np.zeros((4, 4)), yaw[foot], rest))
        return np.asarray(found)
