"""Exponential and logarithm of poses: constant twists and the displacements that they make in one second."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.spatial._arrays import as_matrix, as_vector, batch_shape
from tarsus.spatial.cross_product import skew
from tarsus.spatial.pose import inverse_pose, pose
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector, rotation_vector_from_rotation_matrix

_SMALL = 1.0
"""Angle up to which series are summed: beyond it, differences keep all but two digits [rad]."""
_TERMS = 9
"""Terms of a series; the first that is left out is below 1e-18."""


def pose_exp(twist: npt.ArrayLike) -> FloatArray:
    """Pose that a constant twist reaches after one second, exp([xi]) (Murray, Li and Sastry 1994, (2.36)).

    Parameters
    ----------
    twist : array_like, shape (..., 6)
        Linear part [m] first, then angular part [rad], in the axes of the moving frame.

    Returns
    -------
    X : ndarray, shape (..., 4, 4)
        Rotation exp([w]) and position V v, V = 1 + b [w] + c [w]^2, b = (1 - cos a) / a^2, c = (a - sin a) / a^3 with
        a = |w|.
    """
    xi = as_vector(twist, "twist", 6)
    v, w = xi[..., :3], xi[..., 3:]
    b, c, _ = _coefficients(w)
    W = skew(w)
    turned = np.cross(w, v)
    position = v + b[..., None] * turned + c[..., None] * (W @ turned[..., None])[..., 0]
    return pose(position, rotation_matrix_from_rotation_vector(w))


def pose_log(X: npt.ArrayLike) -> FloatArray:
    """Twist whose exponential is a pose, the shortest rotation taken.

    Parameters
    ----------
    X : array_like, shape (..., 4, 4)

    Returns
    -------
    twist : ndarray, shape (..., 6)
        Linear part [m] first, then angular part [rad] with |w| <= pi: w = log R, v = V^-1 p,
        V^-1 = 1 - [w] / 2 + (1 - a sin a / (2 (1 - cos a))) [w]^2 / a^2.
    """
    given = as_matrix(X, "X", 4, 4)
    p = given[..., :3, 3]
    w = rotation_vector_from_rotation_matrix(given[..., :3, :3])
    b, c, d = _coefficients(w)
    turned = np.cross(w, p)
    factor = (c - d) / (2.0 * b)
    v = p - 0.5 * turned + factor[..., None] * np.cross(w, turned)
    return np.concatenate([v, w], axis=-1)


def pose_difference(X_WA: npt.ArrayLike, X_WB: npt.ArrayLike) -> FloatArray:
    """Twist that leads from one pose to another in one second, log(X_AB), in axes of A.

    Parameters
    ----------
    X_WA, X_WB : array_like, shape (..., 4, 4)

    Returns
    -------
    twist : ndarray, shape (..., 6)
        X_WB = X_WA exp(twist); for a free base, `model.difference` of the two.
    """
    one, other = as_matrix(X_WA, "X_WA", 4, 4), as_matrix(X_WB, "X_WB", 4, 4)
    batch_shape(X_WA=one.shape[:-2], X_WB=other.shape[:-2])
    return pose_log(inverse_pose(one) @ other)


def _coefficients(w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return b = (1 - cos a) / a^2, c = (a - sin a) / a^3 and d = 2 (cos a - 1 + a^2 / 2) / a^4 of a = |w|.

    The factor of [w]^2 in V^-1 is (c - d) / (2 b), since 2 b - sin a / a = a^2 (c - d).
    """
    a = np.sqrt((w * w).sum(axis=-1))
    small = np.minimum(a, _SMALL) ** 2
    large = np.maximum(a, _SMALL)
    b = 0.5 * np.sinc(a / (2.0 * np.pi)) ** 2
    c = np.where(a < _SMALL, _series(small, 3), (large - np.sin(large)) / large**3)
    d = 2.0 * np.where(a < _SMALL, _series(small, 4), (np.cos(large) - 1.0 + 0.5 * large**2) / large**4)
    return b, c, d


def _series(square: FloatArray, first: int) -> FloatArray:
    """Sum of (-square)^k / (2 k + first)! over k."""
    total = np.zeros_like(square)
    for k in reversed(range(_TERMS)):
        total = 1.0 / math.factorial(2 * k + first) - square * total
    return total
