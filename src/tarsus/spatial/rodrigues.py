"""Rodrigues parameters gamma = tan(phi/2) u.

Buschmann 2014, footnote 11: gamma_i = theta_i / theta_0 with the Euler parameters theta (the first one is
printed as theta_1 / theta_2). Rational and without constraint, but half a turn is infinitely far away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import SingularityError
from tarsus.spatial._arrays import as_vector, batch_shape, components, first_index, matrix, vector
from tarsus.spatial._singular import SINGULAR_TOLERANCE, Singular, at, numbers, refuse
from tarsus.spatial.quaternion import (
    canonical,
    components_from_entries,
    rotation_matrix_from_quaternion,
    unit_components,
)
from tarsus.spatial.rotation_matrix import checked_entries

#: Largest entry for which the inverse rate map, quadratic in gamma, does not overflow.
LARGEST_PARAMETER = 1e150


def quaternion_from_rodrigues(gamma: npt.ArrayLike) -> FloatArray:
    """Canonical unit quaternion (1, gamma) / sqrt(1 + gamma^2).

    Parameters
    ----------
    gamma : array_like, shape (..., 3)

    Returns
    -------
    q : ndarray, shape (..., 4)
    """
    return vector(*_unit(components(as_vector(gamma, "gamma", 3))))


def _unit(g: FloatArray) -> tuple[Any, Any, Any, Any]:
    """Components of (1, gamma) / sqrt(1 + gamma^2), without overflow."""
    scale = np.maximum(np.maximum(np.abs(g[0]), np.abs(g[1])), np.maximum(np.abs(g[2]), 1.0))
    w, x, y, z = 1.0 / scale, g[0] / scale, g[1] / scale, g[2] / scale
    norm = np.sqrt(w * w + x * x + y * y + z * z)
    return w / norm, x / norm, y / norm, z / norm


def rodrigues_from_quaternion(q: npt.ArrayLike, singular: Singular = "error") -> FloatArray:
    """Rodrigues parameters of a unit quaternion.

    Parameters
    ----------
    q : array_like, shape (..., 4)
    singular : {"error", "minimum-norm"}
        Half a turn (angle pi) has no Rodrigues parameters. "minimum-norm" gives the shortest vector that is
        right to 2e-12 rad: u / 1e-12.

    Returns
    -------
    gamma : ndarray, shape (..., 3)
    """
    return _rodrigues(*canonical(*unit_components(q, "q")), singular)


def _rodrigues(w: Any, x: Any, y: Any, z: Any, singular: Singular) -> FloatArray:
    where = np.asarray(w <= SINGULAR_TOLERANCE)

    def message(index: tuple[int, ...]) -> str:
        angle = 2.0 * np.arccos(np.asarray(w)[index])
        return f"parametrisation 'rodrigues' is singular at half a turn: found {angle:.15g} rad{at(index)}"

    refuse(where, singular, message)
    divisor = np.maximum(w, SINGULAR_TOLERANCE)
    return vector(x / divisor, y / divisor, z / divisor)


def rotation_matrix_from_rodrigues(gamma: npt.ArrayLike) -> FloatArray:
    """Rotation matrix 1 + 2 (skew(gamma) + skew(gamma)^2) / (1 + gamma^2).

    Parameters
    ----------
    gamma : array_like, shape (..., 3)

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
    """
    return rotation_matrix_from_quaternion(quaternion_from_rodrigues(gamma))


def rodrigues_from_rotation_matrix(R: npt.ArrayLike, singular: Singular = "error") -> FloatArray:
    """Rodrigues parameters of a rotation matrix; see `rodrigues_from_quaternion`.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
    singular : {"error", "minimum-norm"}

    Returns
    -------
    gamma : ndarray, shape (..., 3)
    """
    return _rodrigues(*components_from_entries(checked_entries(R, "R")), singular)


def rate_matrix(gamma: npt.ArrayLike) -> FloatArray:
    """E(gamma) with omega_B = E gammadot: 2 (1 - skew(gamma)) / (1 + gamma^2).

    Parameters
    ----------
    gamma : array_like, shape (..., 3)

    Returns
    -------
    E : ndarray, shape (..., 3, 3)
        Body frame; regular for every finite gamma. The world-frame map is its transpose.
    """
    w, x, y, z = _unit(components(as_vector(gamma, "gamma", 3)))
    w2 = 2.0 * w
    d, a, b, c = w2 * w, w2 * x, w2 * y, w2 * z
    return matrix(((d, c, -b), (-c, d, a), (b, -a, d)))


def rate_inverse(gamma: npt.ArrayLike) -> FloatArray:
    """Inverse of E(gamma): gammadot = (1 + skew(gamma) + gamma gamma^T) omega_B / 2. Never singular.

    Parameters
    ----------
    gamma : array_like, shape (..., 3)
        Up to `LARGEST_PARAMETER`; beyond, where the inverse would overflow, it is an error.

    Returns
    -------
    E_inverse : ndarray, shape (..., 3, 3)
    """
    array = as_vector(gamma, "gamma", 3)
    x, y, z = components(array)
    huge = np.abs(array).max(axis=-1, initial=0.0) > LARGEST_PARAMETER
    if np.any(huge):
        index = first_index(huge)
        raise SingularityError(
            f"parametrisation 'rodrigues' is singular at half a turn: found gamma = {numbers(array[index])}{at(index)}"
        )
    hx, hy, hz = 0.5 * x, 0.5 * y, 0.5 * z
    return matrix(
        (
            (0.5 + hx * x, hx * y - hz, hx * z + hy),
            (hx * y + hz, 0.5 + hy * y, hy * z - hx),
            (hx * z - hy, hy * z + hx, 0.5 + hz * z),
        )
    )


def rate_matrix_dot(gamma: npt.ArrayLike, gammadot: npt.ArrayLike) -> FloatArray:
    """Time derivative of E(gamma) along `gammadot`, body frame: shape (..., 3, 3)."""
    g, rate = components(as_vector(gamma, "gamma", 3)), components(as_vector(gammadot, "gammadot", 3))
    batch_shape(gamma=g.shape[1:], gammadot=rate.shape[1:])
    w, x, y, z = _unit(g)
    w2 = 2.0 * w * w
    # d/dt 2 / (1 + gamma^2) = -4 gamma . gammadot / (1 + gamma^2)^2, with gamma = (x, y, z) / w
    slope = -2.0 * w * (x * rate[0] + y * rate[1] + z * rate[2])
    d = slope * w2
    a, b, c = (slope * 2.0 * w * part + w2 * rate[i] for i, part in enumerate((x, y, z)))
    return matrix(((d, c, -b), (-c, d, a), (b, -a, d)))
