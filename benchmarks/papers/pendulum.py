"""The planar pendulum of figures 3.10 and 3.11: a point mass in Cartesian coordinates on a rod."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray

Pair = tuple[float, float]

MASS, LENGTH, GRAVITY = 1.0, 1.0, 9.81
TOLERANCE = 1e-6
"""Absolute and relative tolerance of the integrator."""


def constrained_acceleration(r: Pair, v: Pair, alpha: float) -> Pair:
    """Acceleration of the point mass on its rod by multipliers, Buschmann 2014 (3.58) and (3.61).

    Phi = |r| - l is the error of the rod's length [m], with J = r^T / |r|; the text does not say which form it takes.
    The lower left block of (3.61) is -J; the print has its transpose. The system

        m a - J^T lambda = -h*,    -J a = dJ/dt v + 2 alpha dPhi/dt + alpha^2 Phi

    is solved for lambda, then for a, in plain numbers: the figures need a million evaluations.

    Parameters
    ----------
    r, v : tuple of float
        Position [m] and velocity [m/s], horizontal and up.
    """
    distance = math.hypot(*r)
    J_x, J_y = r[0] / distance, r[1] / distance
    Phi, Phi_dot = distance - LENGTH, J_x * v[0] + J_y * v[1]
    J_dot_v = (v[0] * v[0] + v[1] * v[1] - Phi_dot * Phi_dot) / distance
    right = J_dot_v + 2.0 * alpha * Phi_dot + alpha * alpha * Phi
    multiplier = MASS * (J_y * GRAVITY - right) / (J_x * J_x + J_y * J_y)
    return J_x * multiplier / MASS, J_y * multiplier / MASS - GRAVITY


@dataclass(frozen=True)
class Swing:
    """A simulated motion.

    Attributes
    ----------
    t : ndarray, shape (n,)
        Ends of the integrator's steps [s].
    violation : ndarray, shape (n,)
        Error of the length of the rod [m].
    evaluations : int
        Calls of the right-hand side.
    """

    t: FloatArray
    violation: FloatArray
    evaluations: int

    @property
    def largest(self) -> FloatArray:
        """Largest violation up to each time [m], shape (n,)."""
        running: FloatArray = np.maximum.accumulate(self.violation)
        return running


def swing(alpha: float, duration: float) -> Swing:
    """Release the pendulum at rest in horizontal position; Dormand-Prince 5(4), the method of Matlab's ode45."""
    from scipy.integrate import solve_ivp

    def rate(_: float, state: FloatArray) -> list[float]:
        x, y, v_x, v_y = state.tolist()
        return [v_x, v_y, *constrained_acceleration((x, y), (v_x, v_y), alpha)]

    start = np.array([LENGTH, 0.0, 0.0, 0.0])
    motion = solve_ivp(rate, (0.0, duration), start, method="RK45", rtol=TOLERANCE, atol=TOLERANCE)
    violation = np.abs(np.hypot(motion.y[0], motion.y[1]) - LENGTH)
    return Swing(motion.t, violation, int(motion.nfev))
