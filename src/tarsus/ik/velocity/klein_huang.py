"""Automatic supervisory control without the pseudoinverse (Klein and Huang 1983), Buschmann 2014 algorithm 10."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.weighting import Weights, divided, divided_rows


def klein_huang_velocity(J: FloatArray, w: FloatArray, W: Weights, z: FloatArray) -> FloatArray:
    """Solve J W^-1 J^T y = w + J W^-1 z; then v = W^-1 (J^T y - z).

    The right side is that which the velocity needs to follow the tasks, J v = w; algorithm 10 prints w - J z instead.

    Parameters
    ----------
    J : ndarray, shape (..., m, nv)
    w : ndarray, shape (..., m)
        Velocities of the tasks.
    W : ndarray, shape (nv,), or LowRankWeights
        Weights of v^2.
    z : ndarray, shape (..., nv)
        alpha times the gradient of the objective that shall fall.
    """
    B = divided_rows(J, W) @ np.swapaxes(J, -1, -2)
    p = w + (J @ divided(z, W)[..., None])[..., 0]
    y = np.linalg.solve(B, p[..., None])
    return divided((np.swapaxes(J, -1, -2) @ y)[..., 0] - z, W)
