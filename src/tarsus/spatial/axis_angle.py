"""Axis and angle of a rotation.

Buschmann 2014 (2.33): a rotation by the angle phi about the unit vector u, which has the same components in
both frames. As a parametrisation p = (u_x, u_y, u_z, phi) with the constraint |u| = 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import (
    as_array,
    as_vector,
    batch_shape,
    components,
    first_index,
    matrix,
    vector,
)
from tarsus.spatial._singular import SINGULAR_TOLERANCE, Singular, at, numbers, refuse, with_pseudoinverse
from tarsus.spatial.quaternion import canonical, components_from_entries, unit_components
from tarsus.spatial.rotation_matrix import checked_entries

#: Deviation of the axis from unit length that is taken for rounding (of a text file, say).
AXIS_TOLERANCE = 1e-3


def _unit_axis(axis: npt.ArrayLike, name: str) -> FloatArray:
    """Components (3, ...) of normalised axes; refuses what is far from unit length."""
    parts = components(as_vector(axis, name, 3))
    with np.errstate(over="ignore"):
        norm = np.sqrt((parts * parts).sum(axis=0))
    bad = ~(np.abs(norm - 1.0) <= AXIS_TOLERANCE)
    if np.any(bad):
        index = first_index(bad)
        raise ArgumentError(
            f"{name}: found an axis of length {norm[index]:.6g}{at(index)}, expected 1 within {AXIS_TOLERANCE:g}"
        )
    return np.asarray(parts / norm)


def rotation_matrix_from_axis_angle(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Rotation matrix from axis and angle, Buschmann 2014 (2.33).

    R = 1 + sin(phi) skew(u) + (1 - cos(phi)) skew(u)^2. The diagonal is 1 + (1 - cos(phi)) (u_i^2 - 1), where
    (2.33) prints 1 + (1 - cos(phi)) u_i^2. At phi = pi it is 1 + 2 skew(u)^2; the text below (2.38) lacks the
    2.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
        Unit vectors (to 1e-3; they are normalised).
    angle : array_like, shape (...)
        Angles [rad]; the batch shapes broadcast.

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
        R_AB = A_IB with A = I.
    """
    ux, uy, uz = _unit_axis(axis, "axis")
    phi = as_array(angle, "angle")
    batch_shape(axis=ux.shape, angle=phi.shape)
    s = np.sin(phi)
    a = 2.0 * np.sin(0.5 * phi) ** 2  # 1 - cos(phi), (2.34)
    sx, sy, sz = s * ux, s * uy, s * uz
    ax, ay, az = a * ux, a * uy, a * uz
    xy, xz, yz = ax * uy, ax * uz, ay * uz
    return matrix(
        (
            (1.0 - (ay * uy + az * uz), xy - sz, xz + sy),
            (xy + sz, 1.0 - (ax * ux + az * uz), yz - sx),
            (xz - sy, yz + sx, 1.0 - (ax * ux + ay * uy)),
        )
    )


def axis_angle_from_rotation_matrix(R: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Axis and angle of a rotation matrix.

    Through half angles, hence exact near 0 and pi, where Buschmann 2014 (2.37), (2.38) lose all digits.

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)

    Returns
    -------
    axis : ndarray, shape (..., 3)
        Unit vectors; (1, 0, 0) for the identity, whose axis is arbitrary. At the angle pi, where u and -u are
        the same rotation, the first entry that is not zero is positive.
    angle : ndarray, shape (...)
        Angles from 0 to pi [rad].
    """
    return _axis_angle(*components_from_entries(checked_entries(R, "R")))


def quaternion_from_axis_angle(axis: npt.ArrayLike, angle: npt.ArrayLike) -> FloatArray:
    """Quaternion (cos(phi/2), sin(phi/2) u) of axis and angle, Buschmann 2014, footnotes 10 and 12.

    Parameters
    ----------
    axis : array_like, shape (..., 3)
    angle : array_like, shape (...)
        Angles [rad]; the batch shapes broadcast.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Not canonical.
    """
    u = _unit_axis(axis, "axis")
    phi = as_array(angle, "angle")
    batch_shape(axis=u.shape[1:], angle=phi.shape)
    s = np.sin(0.5 * phi)
    return vector(np.cos(0.5 * phi), s * u[0], s * u[1], s * u[2])


def axis_angle_from_quaternion(q: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Axis (..., 3) and angle (...) of a unit quaternion; see `axis_angle_from_rotation_matrix`."""
    return _axis_angle(*canonical(*unit_components(q, "q")))


def _axis_angle(w: Any, x: Any, y: Any, z: Any) -> tuple[FloatArray, FloatArray]:
    # Scaled by the largest component, so that the axis of a tiny angle does not underflow.
    largest = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.abs(z))
    none = largest == 0.0
    scale = np.where(none, 1.0, largest)
    x, y, z = np.where(none, 1.0, x / scale), y / scale, z / scale
    norm = np.sqrt(x * x + y * y + z * z)
    angle = 2.0 * np.arctan2(largest * norm, w)
    return vector(x / norm, y / norm, z / norm), np.asarray(angle)


def rotation_matrix_from_axis_angle_parameters(p: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of p = (u_x, u_y, u_z, phi), shape (..., 4); see `rotation_matrix_from_axis_angle`."""
    array = as_vector(p, "p", 4)
    return rotation_matrix_from_axis_angle(array[..., :3], array[..., 3])


def axis_angle_parameters_from_rotation_matrix(R: npt.ArrayLike) -> FloatArray:
    """Parameters p = (u_x, u_y, u_z, phi), shape (..., 4); see `axis_angle_from_rotation_matrix`."""
    axis, angle = axis_angle_from_rotation_matrix(R)
    return np.concatenate((axis, angle[..., None]), axis=-1)


def rate_matrix(p: npt.ArrayLike) -> FloatArray:
    """E(p) with omega_B = E pdot, Buschmann 2014 (2.36), (A.17).

    omega_B = u phidot + (sin(phi) 1 - (1 - cos(phi)) skew(u)) udot. Only the part of udot perpendicular to u
    counts, as if u were normalised: the same as (2.36) for every udot that keeps |u| = 1.

    Parameters
    ----------
    p : array_like, shape (..., 4)
        (u_x, u_y, u_z, phi).

    Returns
    -------
    E : ndarray, shape (..., 3, 4)
        Body frame. Singular at full turns, phi = 0 included.
    """
    array = as_vector(p, "p", 4)
    x, y, z = _unit_axis(array[..., :3], "p")
    phi = components(array)[3]
    s, a = np.sin(phi), 2.0 * np.sin(0.5 * phi) ** 2
    return matrix(
        (
            (s * (y * y + z * z), a * z - s * x * y, -a * y - s * x * z, x),
            (-a * z - s * x * y, s * (x * x + z * z), a * x - s * y * z, y),
            (a * y - s * x * z, -a * x - s * y * z, s * (x * x + y * y), z),
        )
    )


def rate_inverse(p: npt.ArrayLike, singular: Singular = "error") -> FloatArray:
    """Pseudo-inverse of E(p): phidot = u . omega_B, udot = (cot(phi/2) (1 - u u^T) + skew(u)) omega_B / 2.

    Parameters
    ----------
    p : array_like, shape (..., 4)
    singular : {"error", "minimum-norm"}
        What to do at full turns, where the axis may turn arbitrarily; the minimum-norm answer keeps it.

    Returns
    -------
    E_inverse : ndarray, shape (..., 4, 3)
    """
    array = as_vector(p, "p", 4)
    x, y, z = _unit_axis(array[..., :3], "p")
    half = 0.5 * components(array)[3]
    sine = np.sin(half)
    where = np.asarray(np.abs(sine) <= 0.5 * SINGULAR_TOLERANCE)
    cot = 0.5 * np.cos(half) / np.where(where, 1.0, sine)
    inverse = matrix(
        (
            (cot * (y * y + z * z), -0.5 * z - cot * x * y, 0.5 * y - cot * x * z),
            (0.5 * z - cot * x * y, cot * (x * x + z * z), -0.5 * x - cot * y * z),
            (-0.5 * y - cot * x * z, 0.5 * x - cot * y * z, cot * (x * x + y * y)),
            (x, y, z),
        )
    )

    def message(index: tuple[int, ...]) -> str:
        return f"parametrisation 'axis-angle' is singular at p = {numbers(array[index])}{at(index)} (full turn)"

    if refuse(where, singular, message):
        return with_pseudoinverse(inverse, where, rate_matrix(array))
    return inverse


def rate_matrix_dot(p: npt.ArrayLike, pdot: npt.ArrayLike) -> FloatArray:
    """Time derivative of E(p) along `pdot`, body frame: shape (..., 3, 4)."""
    array, rate = as_vector(p, "p", 4), as_vector(pdot, "pdot", 4)
    batch_shape(p=array.shape[:-1], pdot=rate.shape[:-1])
    u, phi = _unit_axis(array[..., :3], "p"), components(array)[3]
    *du, dphi = components(rate)
    radial = u[0] * du[0] + u[1] * du[1] + u[2] * du[2]
    du = [du[i] - radial * u[i] for i in range(3)]
    s, a = np.sin(phi), 2.0 * np.sin(0.5 * phi) ** 2
    ds, da = np.cos(phi) * dphi, s * dphi
    # E = (s (1 - u u^T) - a skew(u), u)
    w = [da * u[i] + a * du[i] for i in range(3)]
    spin = ((0.0, w[2], -w[1]), (-w[2], 0.0, w[0]), (w[1], -w[0], 0.0))
    rows = [
        [ds * ((i == j) - u[i] * u[j]) - s * (du[i] * u[j] + u[i] * du[j]) + spin[i][j] for j in range(3)] + [du[i]]
        for i in range(3)
    ]
    return matrix(rows)


def constraint(p: npt.ArrayLike) -> FloatArray:
    """Deviation of the axis from unit length, C(p) = u^T u - 1: shape (..., 1)."""
    axis = as_vector(p, "p", 4)[..., :3]
    return np.asarray((axis * axis).sum(axis=-1, keepdims=True) - 1.0)


def constraint_gradient(p: npt.ArrayLike) -> FloatArray:
    """Gradient dC/dp = (2 u^T, 0) of the unit length constraint: shape (..., 1, 4)."""
    array = as_vector(p, "p", 4)
    result = 2.0 * array[..., None, :]
    result[..., 3] = 0.0
    return result
