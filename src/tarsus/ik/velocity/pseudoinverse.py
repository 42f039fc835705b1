"""Automatic supervisory control (Liegeois 1977) as it is written: weighted pseudoinverse and nullspace projection."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.weighting import Weights, divided, divided_rows


def weighted_pseudoinverse(J: FloatArray, W: Weights) -> FloatArray:
    """J# = W^-1 J^T (J W^-1 J^T)^-1, Buschmann 2014 (5.15), shape (..., nv, m)."""
    J_t = np.swapaxes(divided_rows(J, W), -1, -2)
    result: FloatArray = J_t @ np.linalg.inv(J @ J_t)
    return result


def nullspace_projection(J: FloatArray, W: Weights) -> FloatArray:
    """N = 1 - J# J, Buschmann 2014 (5.16), shape (..., nv, nv): motions that leave the tasks alone."""
    return np.eye(J.shape[-1]) - weighted_pseudoinverse(J, W) @ J


def pseudoinverse_velocity(J: FloatArray, w: FloatArray, W: Weights, z: FloatArray) -> FloatArray:
    """V = J# w - N W^-1 z, Buschmann 2014 (5.14).

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
    own = (weighted_pseudoinverse(J, W) @ w[..., None])[..., 0]
    result: FloatArray = own - (nullspace_projection(J, W) @ divided(z, W)[..., None])[..., 0]
    return result
