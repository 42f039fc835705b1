"""The planar pendulum of figures 3.10 and 3.11: a point mass in Cartesian coordinates on a rod."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.spatial.pose import FloatArray

MASS, LENGTH, GRAVITY = 1.0, 1.0, 9.81
TOLERANCE = 1e-6
"""Absolute and relative tolerance of the integrator."""


def constrained_acceleration(r: FloatArray, v: FloatArray, alpha: float) -> FloatArray:
    """Acceleration (2,) of the point mass on its rod by multipliers, Buschmann 2014 (3.58) and (3.61).

    Phi = |r| - l, the error of the rod's length [m], with J = r^T / |r|; the text does not say which form it takes.
    The lower left block of (3.61) is -J; the print has its transpose.
    """
    distance = np.sqrt(r @ r)
    J = r / distance
    Phi, Phi_dot = distance - LENGTH, J @ v
    J_dot_v = (v @ v - Phi_dot**2) / distance
    matrix = np.array([[MASS, 0.0, -J[0]], [0.0, MASS, -J[1]], [-J[0], -J[1], 0.0]])
    right = np.array([0.0, -MASS * GRAVITY, J_dot_v + 2.0 * alpha * Phi_dot + alpha**2 * Phi])
    acceleration: FloatArray = np.linalg.solve(matrix, right)[:2]
    return acceleration


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

    def rate(_: float, x: FloatArray) -> FloatArray:
        return np.concatenate([x[2:], constrained_acceleration(x[:2], x[2:], alpha)])

    start = np.array([LENGTH, 0.0, 0.0, 0.0])
    motion = solve_ivp(rate, (0.0, duration), start, method="RK45", rtol=TOLERANCE, atol=TOLERANCE)
    violation = np.abs(np.hypot(motion.y[0], motion.y[1]) - LENGTH)
    return Swing(motion.t, violation, int(motion.nfev))
