"""The motion of a robot by its legs alone: what is left where the inertial unit is dead."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def leg_odometry(arms: FloatArray, slides: FloatArray, turns: FloatArray) -> FloatArray:
    """Velocity and angular velocity (v; w) of the unit for which supports stand still, shape (6,), world axes.

    Least squares of v + w x arm + slide = 0 for all supports, and w + turn = 0 for patches. Rotations that supports
    leave free are zero.

    Parameters
    ----------
    arms, slides : ndarray, shape (n, 3)
        From the unit to supports [m], and their velocity relative to it for joint rates [m/s].
    turns : ndarray, shape (m, 3)
        Angular velocity of patches relative to the unit [rad/s].
    """
    n, m = len(arms), len(turns)
    A = np.zeros((3 * n + 3 * m, 6))
    for k, (x, y, z) in enumerate(arms):
        A[3 * k : 3 * k + 3, :3] = np.eye(3)
        A[3 * k : 3 * k + 3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    A[3 * n :, 3:] = np.tile(np.eye(3), (m, 1))
    b = -np.concatenate([slides.ravel(), turns.ravel()])
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-9)[0])
