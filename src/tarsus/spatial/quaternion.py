"""Unit quaternions (Euler parameters), scalar first.

q = (w, x, y, z) = (cos(phi/2), sin(phi/2) u) turns by the angle phi about the unit axis u: Buschmann 2014,
footnotes 10 and 12. q_AB stands for the same rotation as R_AB, and ``q_AC = quaternion_product(q_AB, q_BC)``.
Quaternions are normalised on the way in; a norm off by more than `NORM_TOLERANCE` is an error. Quaternions
made from other representations are canonical: w > 0, or the first entry that is not zero is positive.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import DtypeError, QuaternionNormError
from tarsus.spatial._arrays import (
    as_array,
    as_vector,
    batch_shape,
    components,
    cross,
    first_index,
    matrix,
    vector,
)
from tarsus.spatial.rotation_matrix import checked_entries

#: Deviation from unit norm that is taken for rounding (of a text file, say) and not for a mistake.
NORM_TOLERANCE = 1e-3


def unit_components(value: npt.ArrayLike, name: str) -> FloatArray:
    """Components (4, ...) of normalised quaternions; refuses what is far from unit norm."""
    parts = components(as_vector(value, name, 4))
    with np.errstate(over="ignore"):
        norm = np.sqrt((parts * parts).sum(axis=0))
    bad = ~(np.abs(norm - 1.0) <= NORM_TOLERANCE)
    if np.any(bad):
        index = first_index(bad)
        raise QuaternionNormError(
            f"{name}: found a quaternion of norm {norm[index]:.6g} at batch index {index}, "
            f"expected 1 within {NORM_TOLERANCE:g}"
        )
    return np.asarray(parts / norm)


def normalize_quaternion(q: npt.ArrayLike) -> FloatArray:
    """Quaternion of unit norm, with the sign it came with.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        Norm within `NORM_TOLERANCE` of 1.

    Returns
    -------
    q : ndarray, shape (..., 4)
    """
    return vector(*unit_components(q, "q"))


def canonical_quaternion(q: npt.ArrayLike) -> FloatArray:
    """Whichever of q and -q is canonical: the first entry that is not zero is positive.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    q : ndarray, shape (..., 4)
    """
    return vector(*canonical(*unit_components(q, "q")))


def canonical(w: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any, Any]:
    """Components of the canonical one of q and -q."""
    if isinstance(w, float):
        return (w, x, y, z) if next((part for part in (w, x, y, z) if part != 0.0), 0.0) >= 0.0 else (-w, -x, -y, -z)
    first = np.where(w != 0.0, w, np.where(x != 0.0, x, np.where(y != 0.0, y, z)))
    sign = np.where(first < 0.0, -1.0, 1.0)
    return sign * w, sign * x, sign * y, sign * z


def rotation_matrix_from_quaternion(q: npt.ArrayLike) -> FloatArray:
    """Rotation matrix of a unit quaternion, Bouyarmane and Kheddar 2012 (11).

    Parameters
    ----------
    q : array_like, shape (..., 4)
        q_AB.

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
        R_AB.
    """
    w, x, y, z = unit_components(q, "q")
    # 2 (w^2 + x^2) - 1 of (11) equals 1 - 2 (y^2 + z^2), which does not cancel near the identity.
    x2, y2, z2 = 2.0 * x, 2.0 * y, 2.0 * z
    wx, wy, wz = w * x2, w * y2, w * z2
    xx, xy, xz = x * x2, x * y2, x * z2
    yy, yz, zz = y * y2, y * z2, z * z2
    return matrix(
        (
            (1.0 - (yy + zz), xy - wz, xz + wy),
            (xy + wz, 1.0 - (xx + zz), yz - wx),
            (xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def quaternion_from_rotation_matrix(R: npt.ArrayLike) -> FloatArray:
    """Canonical unit quaternion of a rotation matrix, exact to round-off for every angle.

    The symmetric matrix 4 q q^T is linear in R; its row with the largest diagonal entry is divided by its
    norm. Nothing is lost near angles 0 and pi, where Buschmann 2014 (2.37), (2.38) divide by sin(phi).

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        R_AB, orthonormal to 1e-3.

    Returns
    -------
    q : ndarray, shape (..., 4)
        q_AB.
    """
    e = checked_entries(R, "R")
    return vector(*components_from_entries(e))


def components_from_entries(e: FloatArray) -> tuple[Any, Any, Any, Any]:
    """Components of the canonical quaternion from the entries (3, 3, ...) of a rotation matrix."""
    if e.ndim == 2:
        return _components_of_one(e)
    trace = e[0, 0] + e[1, 1] + e[2, 2]
    ww = 1.0 + trace
    xx, yy, zz = (1.0 - trace + 2.0 * e[i, i] for i in range(3))
    wx, wy, wz = e[2, 1] - e[1, 2], e[0, 2] - e[2, 0], e[1, 0] - e[0, 1]
    xy, xz, yz = e[0, 1] + e[1, 0], e[0, 2] + e[2, 0], e[1, 2] + e[2, 1]
    # Which of w, x, y, z is the largest in magnitude?
    largest = np.maximum(np.maximum(ww, xx), np.maximum(yy, zz))
    use_w, use_x, use_y = ww == largest, xx == largest, yy == largest
    w = np.where(use_w, ww, np.where(use_x, wx, np.where(use_y, wy, wz)))
    x = np.where(use_w, wx, np.where(use_x, xx, np.where(use_y, xy, xz)))
    y = np.where(use_w, wy, np.where(use_x, xy, np.where(use_y, yy, yz)))
    z = np.where(use_w, wz, np.where(use_x, xz, np.where(use_y, yz, zz)))
    scale = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    return canonical(w * scale, x * scale, y * scale, z * scale)


def _components_of_one(e: FloatArray) -> tuple[float, float, float, float]:
    """The same of one rotation matrix (3, 3), in numbers of Python: a fifth of the time."""
    (a, b, c), (d, f, g), (h, i, j) = e.tolist()
    trace = a + f + j
    ww = 1.0 + trace
    xx, yy, zz = 1.0 - trace + 2.0 * a, 1.0 - trace + 2.0 * f, 1.0 - trace + 2.0 * j
    wx, wy, wz = i - g, c - h, d - b
    xy, xz, yz = b + d, c + h, g + i
    largest = max(ww, xx, yy, zz)
    if ww == largest:
        w, x, y, z = ww, wx, wy, wz
    elif xx == largest:
        w, x, y, z = wx, xx, xy, xz
    elif yy == largest:
        w, x, y, z = wy, xy, yy, yz
    else:
        w, x, y, z = wz, xz, yz, zz
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    found: tuple[float, float, float, float] = canonical(w * scale, x * scale, y * scale, z * scale)
    return found


def quaternion_product(p: npt.ArrayLike, q: npt.ArrayLike) -> FloatArray:
    """Hamilton product of unit quaternions: first turn by `q`, then by `p`, both seen from the outer frame.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
        q_AB and q_BC; the batch shapes broadcast.

    Returns
    -------
    pq : ndarray, shape (..., 4)
        q_AC.
    """
    a, b = unit_components(p, "p"), unit_components(q, "q")
    batch_shape(p=a.shape[1:], q=b.shape[1:])
    return vector(*hamilton(a, b))


def hamilton(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """Components of the product of two quaternions given by components."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def quaternion_conjugate(q: npt.ArrayLike) -> FloatArray:
    """Conjugate, which is the inverse rotation: q_BA from q_AB.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    q : ndarray, shape (..., 4)
    """
    w, x, y, z = unit_components(q, "q")
    return vector(w, -x, -y, -z)


def quaternion_rotate(q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
    """Rotate vectors: v_A = R_AB v_B without forming R_AB.

    Parameters
    ----------
    q : array_like, shape (..., 4)
        q_AB.
    v : array_like, shape (..., 3)
        Components in B; the batch shapes broadcast.

    Returns
    -------
    v : ndarray, shape (..., 3)
        Components in A, in the unit of `v`.
    """
    w, *u = unit_components(q, "q")
    parts = components(as_vector(v, "v", 3))
    batch_shape(q=u[0].shape, v=parts.shape[1:])
    t = [2.0 * part for part in cross(u, parts)]
    s = cross(u, t)
    return vector(*(parts[i] + w * t[i] + s[i] for i in range(3)))


def slerp(p: npt.ArrayLike, q: npt.ArrayLike, t: npt.ArrayLike) -> FloatArray:
    """Rotation at a constant angular velocity from `p` (t = 0) to `q` (t = 1) along the shorter way.

    p exp(t log(p^-1 q)). Half a turn apart both ways are equally short, and the canonical axis decides.

    Parameters
    ----------
    p, q : array_like, shape (..., 4)
    t : array_like, shape (...)
        Fraction of the way; values outside of [0, 1] extrapolate. All batch shapes broadcast.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Unit quaternions with the sign of `p` at t = 0.
    """
    a, b, fraction = unit_components(p, "p"), unit_components(q, "q"), as_array(t, "t")
    batch_shape(p=a.shape[1:], q=b.shape[1:], t=fraction.shape)
    w, x, y, z = canonical(*hamilton((a[0], -a[1], -a[2], -a[3]), b))
    sine = np.sqrt(x * x + y * y + z * z)
    angle = fraction * np.arctan2(sine, w)
    # sin(t a) / sin(a) tends to t as a goes to 0
    scale = np.where(sine > 0.0, np.sin(angle) / np.where(sine > 0.0, sine, 1.0), fraction)
    return vector(*hamilton(a, (np.cos(angle), scale * x, scale * y, scale * z)))


def random_quaternion(rng: np.random.Generator, shape: int | tuple[int, ...] = ()) -> FloatArray:
    """Rotations distributed uniformly over SO(3).

    Parameters
    ----------
    rng : numpy.random.Generator
    shape : int or tuple of int
        Batch shape.

    Returns
    -------
    q : ndarray, shape (*shape, 4)
        Uniform on the unit sphere of quaternions, both signs.
    """
    if not isinstance(rng, np.random.Generator):
        raise DtypeError(f"rng is a {type(rng).__name__}, expected a numpy.random.Generator")
    batch = (shape,) if isinstance(shape, int) else tuple(shape)
    q = rng.standard_normal((*batch, 4))
    return np.asarray(q / np.sqrt((q * q).sum(axis=-1, keepdims=True)))


def rate_matrix(q: npt.ArrayLike) -> FloatArray:
    """E(q) with omega_B = E qdot = 2 vec(q^-1 qdot).

    Bouyarmane and Kheddar 2012 (10), (13) for the map R(q / |q|). Their derivatives (12), taken without the
    normalisation, give the same E qdot for every qdot that keeps the norm, and another one for the rest.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    E : ndarray, shape (..., 3, 4)
        Body frame. Its pseudo-inverse is E^T / 4.
    """
    return _linear_rate_matrix(*unit_components(q, "q"))


def _linear_rate_matrix(w: Any, x: Any, y: Any, z: Any) -> FloatArray:
    w2, x2, y2, z2 = 2.0 * w, 2.0 * x, 2.0 * y, 2.0 * z
    return matrix(((-x2, w2, z2, -y2), (-y2, -z2, w2, x2), (-z2, y2, -x2, w2)))


def rate_inverse(q: npt.ArrayLike) -> FloatArray:
    """Pseudo-inverse of E(q): qdot = E^+ omega_B = q (0, omega_B) / 2. Never singular.

    Parameters
    ----------
    q : array_like, shape (..., 4)

    Returns
    -------
    E_inverse : ndarray, shape (..., 4, 3)
    """
    return 0.25 * np.swapaxes(rate_matrix(q), -1, -2)


def rate_matrix_dot(q: npt.ArrayLike, qdot: npt.ArrayLike) -> FloatArray:
    """Time derivative of E(q) along `qdot`, body frame: shape (..., 3, 4).

    Only the part of `qdot` that keeps the norm counts.
    """
    parts, rates = unit_components(q, "q"), components(as_vector(qdot, "qdot", 4))
    batch_shape(q=parts.shape[1:], qdot=rates.shape[1:])
    radial = parts[0] * rates[0] + parts[1] * rates[1] + parts[2] * rates[2] + parts[3] * rates[3]
    return _linear_rate_matrix(*(rates[i] - radial * parts[i] for i in range(4)))


def constraint(q: npt.ArrayLike) -> FloatArray:
    """Deviation from unit norm, C(q) = q^T q - 1 (Bouyarmane and Kheddar 2012, Table II): shape (..., 1)."""
    array = as_vector(q, "q", 4)
    return np.asarray((array * array).sum(axis=-1, keepdims=True) - 1.0)


def constraint_gradient(q: npt.ArrayLike) -> FloatArray:
    """Gradient dC/dq = 2 q^T of the unit norm constraint: shape (..., 1, 4)."""
    return 2.0 * as_vector(q, "q", 4)[..., None, :]
