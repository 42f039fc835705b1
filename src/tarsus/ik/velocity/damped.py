"""Damped least squares (Nakamura and Hanafusa 1986) with damping that appears near singularities only."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.weighting import Weights, divided, divided_rows

NEAR = 0.05
"""Smallest singular value of the weighted Jacobian below which damping sets in [m, rad for a unit of v]."""
MOST = 0.05
"""Root of the damping at the singularity itself."""


def adaptive_damping(J: FloatArray) -> FloatArray:
    """Damping k = (1 - (s/near)^2) most^2 for s < near, else 0, shape (...): after Nakamura and Hanafusa 1986.

    Parameters
    ----------
    J : ndarray, shape (..., m, nv)
        Its smallest singular value is s, which is zero where there are more rows than freedoms.
    """
    s = np.linalg.svd(J, compute_uv=False)[..., -1] * (J.shape[-2] <= J.shape[-1])
    result: FloatArray = np.where(s < NEAR, (1 - (s / NEAR) ** 2) * MOST**2, 0.0)
    return result


def damped_velocity(J: FloatArray, w: FloatArray, W: Weights, z: FloatArray, k: FloatArray) -> FloatArray:
    """Minimum of 1/2 |w - J v|^2 + k/2 u^T W u with u = v + W^-1 z, Buschmann 2014 (5.22) where z = 0.

    (5.21) lacks the factor 1/2 of the second term, with which (5.22) is its minimum.

    Parameters
    ----------
    J, w, W, z
        As for `klein_huang_velocity`.
    k : ndarray, shape (...)
        Damping.
    """
    B = divided_rows(J, W) @ np.swapaxes(J, -1, -2) + k[..., None, None] * np.eye(J.shape[-2])
    p = w + (J @ divided(z, W)[..., None])[..., 0]
    y = np.linalg.solve(B, p[..., None])
    return divided((np.swapaxes(J, -1, -2) @ y)[..., 0] - z, W)
