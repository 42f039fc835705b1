"""The spin tensor (cross-product matrix) of a vector and its inverse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.spatial._arrays import as_matrix, as_vector, vector


def skew(v: npt.ArrayLike) -> FloatArray:
    """Matrix that takes the cross product with `v` from the left.

    ``skew(v) @ w == np.cross(v, w)``: the tilde operator of Buschmann 2014 (2.17), ``[v x]`` in Bouyarmane
    and Kheddar 2012 (4).

    Parameters
    ----------
    v : array_like, shape (..., 3)

    Returns
    -------
    S : ndarray, shape (..., 3, 3)
        Skew-symmetric matrices, in the frame and unit of `v`.
    """
    array = as_vector(v, "v", 3)
    result = np.zeros((*array.shape[:-1], 3, 3))
    result[..., 2, 1] = array[..., 0]
    result[..., 0, 2] = array[..., 1]
    result[..., 1, 0] = array[..., 2]
    result[..., 1, 2] = -array[..., 0]
    result[..., 2, 0] = -array[..., 1]
    result[..., 0, 1] = -array[..., 2]
    return result


def unskew(S: npt.ArrayLike) -> FloatArray:
    """Vector whose spin tensor is the skew-symmetric part of `S`.

    Parameters
    ----------
    S : array_like, shape (..., 3, 3)
        The symmetric part, if any, has no influence.

    Returns
    -------
    v : ndarray, shape (..., 3)
    """
    array = as_matrix(S, "S")
    return vector(
        0.5 * (array[..., 2, 1] - array[..., 1, 2]),
        0.5 * (array[..., 0, 2] - array[..., 2, 0]),
        0.5 * (array[..., 1, 0] - array[..., 0, 1]),
    )
