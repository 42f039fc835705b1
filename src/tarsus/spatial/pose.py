"""Poses: homogeneous transformations X_AB of shape (..., 4, 4), Buschmann 2014 (A.19)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.spatial._arrays import batch_shape, shaped


def pose(position: npt.ArrayLike = (0.0, 0.0, 0.0), rotation: npt.ArrayLike | None = None) -> FloatArray:
    """Pose from position and rotation matrix.

    Parameters
    ----------
    position : array_like, shape (..., 3)
        p_AB [m].
    rotation : array_like, shape (..., 3, 3), optional
        R_AB; identity by default.

    Returns
    -------
    X_AB : ndarray, shape (..., 4, 4)
    """
    p = shaped(position, "position", (3,))
    R = np.eye(3) if rotation is None else shaped(rotation, "rotation", (3, 3))
    batch = batch_shape(position=p.shape[:-1], rotation=R.shape[:-2])
    X = np.zeros((*batch, 4, 4))
    X[..., :3, :3] = R
    X[..., :3, 3] = p
    X[..., 3, 3] = 1.0
    return X


def inverse_pose(X_AB: npt.ArrayLike) -> FloatArray:
    """X_BA from X_AB, both of shape (..., 4, 4)."""
    X = shaped(X_AB, "X_AB", (4, 4))
    R_BA = np.swapaxes(X[..., :3, :3], -1, -2)
    return pose(-(R_BA @ X[..., :3, 3:])[..., 0], R_BA)


def wrench_at(X_AB: npt.ArrayLike, wrench_B: npt.ArrayLike) -> FloatArray:
    """Wrench (f; n) at the origin of B in axes of B, moved to the origin and axes of A.

    Parameters
    ----------
    X_AB : array_like, shape (..., 4, 4)
    wrench_B : array_like, shape (..., 6)
        Force [N] first, then moment [N m].

    Returns
    -------
    wrench_A : ndarray, shape (..., 6)
    """
    X = shaped(X_AB, "X_AB", (4, 4))
    w = shaped(wrench_B, "wrench_B", (6,))
    batch_shape(X_AB=X.shape[:-2], wrench_B=w.shape[:-1])
    f = (X[..., :3, :3] @ w[..., :3, None])[..., 0]
    n = (X[..., :3, :3] @ w[..., 3:, None])[..., 0] + np.cross(X[..., :3, 3], f)
    return np.concatenate([f, n], axis=-1)
