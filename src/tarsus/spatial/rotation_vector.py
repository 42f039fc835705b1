"""Rotation vectors p = phi u (axis times angle [rad]): exponential and logarithm of SO(3).

Buschmann 2014 (2.35). The angle of a rotation vector may be any real number; the logarithm returns [0, pi].
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import (
    as_vector,
    batch_shape,
    components,
    first_index,
    length,
    matrix,
    vector,
)
from tarsus.spatial._singular import SINGULAR_TOLERANCE, Singular, at, numbers, refuse, with_pseudoinverse
from tarsus.spatial.quaternion import (
    canonical,
    components_from_entries,
    rotation_matrix_from_quaternion,
    unit_components,
)
from tarsus.spatial.rotation_matrix import checked_entries

#: Longest rotation vector [rad] that is accepted: beyond, an angle has no digits behind the point.
LARGEST_ANGLE = 1e15

#: Below this square of the angle the power series are used; above it the closed forms lose less than a digit.
_SERIES_LIMIT = 4.0

#: Terms of the power series: the first one left out is below 1e-18 at `_SERIES_LIMIT`.
_SERIES_TERMS = 13

# Coefficients in powers of phi^2 of b = (1 - cos phi) / phi^2, c = (phi - sin phi) / phi^3, b' / phi, c' /
# phi.
_B_SERIES = [(-1.0) ** k / math.factorial(2 * k + 2) for k in range(_SERIES_TERMS + 1)]
_C_SERIES = [(-1.0) ** k / math.factorial(2 * k + 3) for k in range(_SERIES_TERMS + 1)]
_DB_SERIES = [2.0 * k * _B_SERIES[k] for k in range(1, _SERIES_TERMS + 1)]
_DC_SERIES = [2.0 * k * _C_SERIES[k] for k in range(1, _SERIES_TERMS + 1)]


def quaternion_from_rotation_vector(p: npt.ArrayLike) -> FloatArray:
    """Quaternion of a rotation vector, (cos(phi/2), sin(phi/2) u).

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Rotation vector [rad].

    Returns
    -------
    q : ndarray, shape (..., 4)
        Not canonical: w is negative for angles between pi and 3 pi.
    """
    parts = components(as_vector(p, "p", 3))
    angle = _angle(parts)
    scale = _ratio(np.sin(0.5 * angle), angle, 0.5)
    return vector(np.cos(0.5 * angle), scale * parts[0], scale * parts[1], scale * parts[2])


def rotation_vector_from_quaternion(q: npt.ArrayLike) -> FloatArray:
    """Rotation vector of a unit quaternion: the logarithm.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    p : ndarray, shape (..., 3)
        Rotation vector [rad] of length at most pi; the canonical quaternion decides the sign at pi.
    """
    return logarithm(*unit_components(q, "q"))


def rotation_matrix_from_rotation_vector(p: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of a rotation vector: the exponential, Buschmann 2014 (2.35).

    Evaluated with half angles as in (2.34), so that nothing cancels. (2.32) prints u = phi / phi^T phi where
    u = phi / |phi| is meant.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Rotation vector [rad], the same in both frames.

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
        R_AB = exp(skew(p)).
    """
    return rotation_matrix_from_quaternion(quaternion_from_rotation_vector(p))


def rotation_vector_from_rotation_matrix(R: npt.ArrayLike) -> FloatArray:
    """Rotation vector of a rotation matrix: the logarithm, exact to round-off for every angle.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)

    Returns
    -------
    p : ndarray, shape (..., 3)
        Rotation vector [rad] of length at most pi.
    """
    return logarithm(*components_from_entries(checked_entries(R, "R")))


def logarithm(w: Any, x: Any, y: Any, z: Any) -> FloatArray:
    """Rotation vector (..., 3) of components of unit quaternions."""
    if isinstance(w, float):  # one rotation, whose sign is canonical, in numbers of Python: a fifth of the time
        w, x, y, z = canonical(w, x, y, z)
        sine = math.sqrt(x * x + y * y + z * z)
        scale = 2.0 * float(np.arctan2(sine, w)) / sine if sine != 0.0 else 2.0
        return np.array([scale * x, scale * y, scale * z])
    sine = np.sqrt(x * x + y * y + z * z)
    # atan2(|v|, |w|) with the sign of w keeps the angle in [0, pi]; w = 0 needs the canonical axis.
    first = np.where(w != 0.0, w, np.where(x != 0.0, x, np.where(y != 0.0, y, z)))
    sign = np.where(first < 0.0, -1.0, 1.0)
    scale = sign * _ratio(2.0 * np.arctan2(sine, np.abs(w)), sine, 2.0)
    return vector(scale * x, scale * y, scale * z)


def _angle(parts: FloatArray) -> FloatArray:
    angle = length(parts, "p")
    if np.any(angle > LARGEST_ANGLE):
        index = first_index(angle > LARGEST_ANGLE)
        raise ArgumentError(
            f"p: found a rotation vector of length {angle[index]:.6g} rad{at(index)}, "
            f"expected at most {LARGEST_ANGLE:g}"
        )
    return angle


def _ratio(numerator: Any, denominator: Any, limit: float) -> Any:
    """Quotient that takes the value `limit` where the denominator vanishes."""
    zero = denominator == 0.0
    return np.where(zero, limit, numerator / np.where(zero, 1.0, denominator))


def _series(coefficients: list[float], square: Any) -> Any:
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = result * square + coefficient
    return result


def _coefficients(angle: Any) -> tuple[Any, Any]:
    """Coefficients b = (1 - cos phi) / phi^2 and c = (phi - sin phi) / phi^3."""
    square = angle * angle
    small = square < _SERIES_LIMIT
    series_at = np.where(small, square, 0.0)
    phi = np.where(small, 1.0, angle)
    b = np.where(small, _series(_B_SERIES, series_at), 2.0 * (np.sin(0.5 * phi) / phi) ** 2)
    c = np.where(small, _series(_C_SERIES, series_at), (phi - np.sin(phi)) / phi**3)
    return b, c


def _inverse_coefficient(angle: Any) -> Any:
    """Coefficient (1 - (phi/2) cot(phi/2)) / phi^2 of the inverse."""
    square = angle * angle
    small = square < _SERIES_LIMIT
    series_at = np.where(small, square, 0.0)
    half = np.where(small, 1.0, 0.5 * angle)
    # In terms of b and c: (c / 2 - (1/2 - b) / phi^2) / b, where nothing cancels in the series.
    b, c = _series(_B_SERIES, series_at), _series(_C_SERIES, series_at)
    series = (0.5 * c + _series(_B_SERIES[1:], series_at)) / b
    return np.where(small, series, (1.0 - half * np.cos(half) / np.sin(half)) / (4.0 * half * half))


def _coefficient_slopes(angle: Any) -> tuple[Any, Any]:
    """Slopes b'(phi) / phi and c'(phi) / phi of the coefficients of `_coefficients`."""
    square = angle * angle
    small = square < _SERIES_LIMIT
    series_at = np.where(small, square, 0.0)
    phi = np.where(small, 1.0, angle)
    s, c = np.sin(phi), np.cos(phi)
    b_slope = np.where(small, _series(_DB_SERIES, series_at), (phi * s - 2.0 + 2.0 * c) / phi**4)
    c_slope = np.where(small, _series(_DC_SERIES, series_at), (3.0 * s - phi * c - 2.0 * phi) / phi**5)
    return b_slope, c_slope


def _polynomial(identity: Any, linear: Any, quadratic: Any, p: Any) -> FloatArray:
    """Matrix identity 1 + linear skew(p) + quadratic skew(p)^2."""
    x, y, z = p
    diagonal = identity - quadratic * (x * x + y * y + z * z)
    lx, ly, lz = linear * x, linear * y, linear * z
    xy, xz, yz = quadratic * x * y, quadratic * x * z, quadratic * y * z
    return matrix(
        (
            (diagonal + quadratic * x * x, xy - lz, xz + ly),
            (xy + lz, diagonal + quadratic * y * y, yz - lx),
            (xz - ly, yz + lx, diagonal + quadratic * z * z),
        )
    )


def rate_matrix(p: npt.ArrayLike) -> FloatArray:
    """E(p) with omega_B = E pdot: 1 - b skew(p) + c skew(p)^2.

    b = (1 - cos phi) / phi^2, c = (phi - sin phi) / phi^3: Buschmann 2014 (2.36) with p = phi u. The
    world-frame map is its transpose.

    Parameters
    ----------
    p : array_like, shape (..., 3)

    Returns
    -------
    E : ndarray, shape (..., 3, 3)
        Body frame. Singular at angles 2 pi, 4 pi, ...
    """
    parts = components(as_vector(p, "p", 3))
    b, c = _coefficients(_angle(parts))
    return _polynomial(1.0, -b, c, parts)


def rate_inverse(p: npt.ArrayLike, singular: Singular = "error") -> FloatArray:
    """Inverse of E(p): pdot = E^-1 omega_B, 1 + skew(p) / 2 + (1 - (phi/2) cot(phi/2)) / phi^2 skew(p)^2.

    Parameters
    ----------
    p : array_like, shape (..., 3)
    singular : {"error", "minimum-norm"}
        What to do at angles 2 pi, 4 pi, ...

    Returns
    -------
    E_inverse : ndarray, shape (..., 3, 3)
    """
    array = as_vector(p, "p", 3)
    parts = components(array)
    angle = _angle(parts)
    where = np.asarray((angle > 1.0) & (2.0 * np.abs(np.sin(0.5 * angle)) <= SINGULAR_TOLERANCE * angle))
    inverse = _polynomial(1.0, 0.5, _inverse_coefficient(np.where(where, 1.0, angle)), parts)

    def message(index: tuple[int, ...]) -> str:
        place = f"at p = {numbers(array[index])}{at(index)} (full turn)"
        return f"parametrisation 'rotation-vector' is singular {place}"

    if refuse(where, singular, message):
        return with_pseudoinverse(inverse, where, rate_matrix(array))
    return inverse


def rate_matrix_dot(p: npt.ArrayLike, pdot: npt.ArrayLike) -> FloatArray:
    """Time derivative of E(p) along `pdot`, body frame: shape (..., 3, 3)."""
    parts, rates = components(as_vector(p, "p", 3)), components(as_vector(pdot, "pdot", 3))
    batch_shape(p=parts.shape[1:], pdot=rates.shape[1:])
    angle = _angle(parts)
    b, c = _coefficients(angle)
    b_slope, c_slope = _coefficient_slopes(angle)
    radial = parts[0] * rates[0] + parts[1] * rates[1] + parts[2] * rates[2]
    result = _polynomial(0.0, -b_slope * radial, c_slope * radial, parts)
    # d/dt skew(p)^2 = pdot p^T + p pdot^T - 2 (p . pdot) 1
    result += _polynomial(0.0, -b, 0.0, rates)
    x, y, z = parts
    u, v, w = rates
    product = matrix(
        (
            (2.0 * x * u - 2.0 * radial, x * v + y * u, x * w + z * u),
            (x * v + y * u, 2.0 * y * v - 2.0 * radial, y * w + z * v),
            (x * w + z * u, y * w + z * v, 2.0 * z * w - 2.0 * radial),
        )
    )
    return result + np.asarray(c)[..., None, None] * product
