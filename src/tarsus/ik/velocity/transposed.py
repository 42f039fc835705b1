"""The transposed Jacobian, Buschmann 2014 (5.23)-(5.25)."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.weighting import Weights, divided


def transposed_velocity(J: FloatArray, w: FloatArray, W: Weights) -> FloatArray:
    """V = c W^-1 J^T w with c = |J^T w|^2 / |J W^-1 J^T w|^2 of that norm (5.24): the step that (5.23) leaves open.

    It follows no velocity exactly, since J J^T is not the identity (5.25): the tool lags behind a target that moves.

    Parameters
    ----------
    J, w, W
        As for `klein_huang_velocity`.
    """
    way = divided((np.swapaxes(J, -1, -2) @ w[..., None])[..., 0], W)
    along = (J @ way[..., None])[..., 0]
    square = np.sum(along * along, axis=-1, keepdims=True)
    factor = np.sum(along * w, axis=-1, keepdims=True) / np.where(square > 0, square, 1.0)
    result: FloatArray = factor * way
    return result
