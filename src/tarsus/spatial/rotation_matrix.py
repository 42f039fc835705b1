"""Rotation matrices: checks, the nearest rotation, elementary rotations, and the nine-entry parametrisation.

``R_AB`` maps components in B to components in A, ``v_A = R_AB @ v_B``: A_AB in Buschmann 2014 (2.9).

As a parametrisation p is ``R.reshape(..., 9)``, row by row, with six constraints (Bouyarmane and Kheddar
2012, Table II). The functions of p take the rotation nearest to p, so that they are defined around SO(3).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import (
    as_array,
    as_matrix,
    as_vector,
    entries,
    first_index,
    matrix,
    vector,
)
from tarsus.spatial.cross_product import skew

#: Largest entry of R^T R - 1 that is taken for rounding (of a text file, say) and not for a mistake.
ORTHONORMALITY_TOLERANCE = 1e-3

#: Deviation from orthonormality that needs no repair: a few units in the last place.
_ORTHONORMAL_TO_ROUND_OFF = 4e-15


def checked_entries(value: npt.ArrayLike, name: str) -> FloatArray:
    """Entries (3, 3, ...) of rotation matrices (..., 3, 3); refuses what is no rotation."""
    if isinstance(value, np.ndarray) and value.shape == (3, 3) and value.dtype == np.float64 and _is_rotation(value):
        return value
    e = entries(as_matrix(value, name))
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = np.abs(_gram_deviation(e)).max(axis=0)
        determinant = (
            e[0, 0] * (e[1, 1] * e[2, 2] - e[1, 2] * e[2, 1])
            + e[0, 1] * (e[1, 2] * e[2, 0] - e[1, 0] * e[2, 2])
            + e[0, 2] * (e[1, 0] * e[2, 1] - e[1, 1] * e[2, 0])
        )
        good = (deviation <= ORTHONORMALITY_TOLERANCE) & (determinant > 0.0)
    if not np.all(good):
        index = first_index(~np.asarray(good))
        raise ArgumentError(
            f"{name}: no rotation matrix at batch index {index}: largest entry of R^T R - 1 is "
            f"{deviation[index]:.3g} (at most {ORTHONORMALITY_TOLERANCE:g} expected), determinant "
            f"{determinant[index]:.6g} (1 expected)"
        )
    return e


def _is_rotation(R: FloatArray) -> bool:
    """Whether one matrix (3, 3) passes, in numbers of Python: a fifth of the time; NaN does not."""
    rows: list[list[float]] = R.tolist()
    (a, b, c), (d, e, f), (g, h, i) = rows
    return (
        abs(a * a + d * d + g * g - 1.0) <= ORTHONORMALITY_TOLERANCE
        and abs(b * b + e * e + h * h - 1.0) <= ORTHONORMALITY_TOLERANCE
        and abs(c * c + f * f + i * i - 1.0) <= ORTHONORMALITY_TOLERANCE
        and abs(a * b + d * e + g * h) <= ORTHONORMALITY_TOLERANCE
        and abs(a * c + d * f + g * i) <= ORTHONORMALITY_TOLERANCE
        and abs(b * c + e * f + h * i) <= ORTHONORMALITY_TOLERANCE
        and a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0.0
    )


def _gram_deviation(e: FloatArray) -> FloatArray:
    """Independent entries of R^T R - 1 in the order 11, 22, 33, 12, 13, 23: shape (6, ...)."""
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return np.stack([e[0, i] * e[0, j] + e[1, i] * e[1, j] + e[2, i] * e[2, j] - (i == j) for i, j in pairs])


def nearest_rotation(R: npt.ArrayLike) -> FloatArray:
    """Rotation nearest to a slightly distorted rotation matrix.

    The orthogonal polar factor, by the Newton-Schulz iteration R <- R (3 - R^T R) / 2, which converges
    quadratically and leaves exact rotations untouched.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        Orthonormal to `ORTHONORMALITY_TOLERANCE`.

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
    """
    e = checked_entries(R, "R")
    result = as_matrix(R, "R").copy()
    distorted = np.abs(_gram_deviation(e)).max(axis=0) > _ORTHONORMAL_TO_ROUND_OFF
    if np.any(distorted):
        repaired = result[distorted]
        for _ in range(3):  # 1e-3, 1e-5, 1e-10, round-off
            repaired = repaired @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(repaired, -1, -2) @ repaired)
        result[distorted] = repaired
    return result


def rotation_x(angle: npt.ArrayLike) -> FloatArray:
    """Rotation about the x axis.

    R_AB of a frame B that results from turning A about x: A_x^T in Buschmann 2014 (2.39), whose square of the
    spin tensor of e_x is misprinted (it is diag(0, -1, -1)).

    Parameters
    ----------
    angle : array_like, shape (...)
        Angle [rad].

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
    """
    a = as_array(angle, "angle")
    c, s = np.cos(a), np.sin(a)
    return matrix(((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)))


def rotation_y(angle: npt.ArrayLike) -> FloatArray:
    """Rotation about the y axis, A_y^T in Buschmann 2014 (2.40); see `rotation_x`."""
    a = as_array(angle, "angle")
    c, s = np.cos(a), np.sin(a)
    return matrix(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))


def rotation_z(angle: npt.ArrayLike) -> FloatArray:
    """Rotation about the z axis, A_z^T in Buschmann 2014 (2.41); see `rotation_x`."""
    a = as_array(angle, "angle")
    c, s = np.cos(a), np.sin(a)
    return matrix(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def rotation_matrix_from_entries(p: npt.ArrayLike) -> FloatArray:
    """Rotation matrix from its nine entries, row by row; slightly distorted ones are repaired.

    Parameters
    ----------
    p : array_like, shape (..., 9)

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
    """
    array = as_vector(p, "p", 9)
    return nearest_rotation(array.reshape(*array.shape[:-1], 3, 3))


def entries_from_rotation_matrix(R: npt.ArrayLike) -> FloatArray:
    """Nine entries of a rotation matrix, row by row: shape (..., 9)."""
    array = nearest_rotation(R)
    return array.reshape(*array.shape[:-2], 9)


def rate_matrix(p: npt.ArrayLike) -> FloatArray:
    """E(p) with omega_B = E pdot: the vector of the skew part of R^T Rdot, Buschmann 2014 (2.24).

    Parameters
    ----------
    p : array_like, shape (..., 9)

    Returns
    -------
    E : ndarray, shape (..., 3, 9)
        Body frame. Its pseudo-inverse is 2 E^T. Bouyarmane and Kheddar 2012 (10) takes one triangle of R^T
        Rdot instead of the skew part: the same on the tangent space (pdot that keeps the constraints).
    """
    return _linear_rate_matrix(rotation_matrix_from_entries(p))


def _linear_rate_matrix(R: FloatArray) -> FloatArray:
    """Vector of the skew part of R^T dR, as a linear map of the nine entries of dR."""
    result = np.zeros((*R.shape[:-2], 3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[..., i, :, j] = 0.5 * R[..., :, k]
        result[..., i, :, k] = -0.5 * R[..., :, j]
    return result.reshape(*R.shape[:-2], 3, 9)


def rate_inverse(p: npt.ArrayLike) -> FloatArray:
    """Pseudo-inverse of E(p): pdot = E^+ omega_B, the entries of R skew(omega_B). Never singular.

    Parameters
    ----------
    p : array_like, shape (..., 9)

    Returns
    -------
    E_inverse : ndarray, shape (..., 9, 3)
    """
    return 2.0 * np.swapaxes(rate_matrix(p), -1, -2)


def rate_matrix_dot(p: npt.ArrayLike, pdot: npt.ArrayLike) -> FloatArray:
    """Time derivative of E(p) along `pdot`, body frame: shape (..., 3, 9).

    Only the part of `pdot` that keeps the constraints counts, as everywhere in this parametrisation.
    """
    R = rotation_matrix_from_entries(p)
    rates = as_vector(pdot, "pdot", 9)
    omega = (_linear_rate_matrix(R) @ rates[..., None])[..., 0]
    return _linear_rate_matrix(R @ skew(omega))


def constraint(p: npt.ArrayLike) -> FloatArray:
    """Orthonormality C(p) = 0: entries 11, 22, 33, 12, 13, 23 of R^T R - 1.

    Buschmann 2014 (2.7), (2.8); Bouyarmane and Kheddar 2012, Table II without its three redundant rows.

    Parameters
    ----------
    p : array_like, shape (..., 9)
        Need not satisfy the constraint.

    Returns
    -------
    C : ndarray, shape (..., 6)
    """
    array = as_vector(p, "p", 9)
    return vector(*_gram_deviation(entries(array.reshape(*array.shape[:-1], 3, 3))))


def constraint_gradient(p: npt.ArrayLike) -> FloatArray:
    """Gradient dC/dp of the orthonormality constraint, linear in p: shape (..., 6, 9)."""
    array = as_vector(p, "p", 9)
    R = array.reshape(*array.shape[:-1], 3, 3)
    result = np.zeros((*array.shape[:-1], 6, 3, 3))
    for row, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
        result[..., row, :, i] += R[..., :, j]
        result[..., row, :, j] += R[..., :, i]
    return result.reshape(*array.shape[:-1], 6, 9)
