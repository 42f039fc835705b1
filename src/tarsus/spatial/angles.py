"""Three successive elementary rotations: all twelve sequences of Cardan (Tait-Bryan) and Euler angles.

A sequence is named by its intrinsic axes: angles p = (p1, p2, p3) of "xyz" stand for

    R_AB = R_x(p1) R_y(p2) R_z(p3),

a turn about x, then about the new y, then about the new z. Buschmann 2014 writes the transpose as a product
of transposes, A_BI = A_z(gamma) A_y(beta) A_x(alpha) (2.42) and A_BI = A_z(phi) A_x(theta) A_z(psi) (2.50);
R_AB is his A_IB. Aliases:

================  ====================================================================================
"cardan"          "xyz" with p = (alpha, beta, gamma), Buschmann 2014 (2.42)
"euler"           "zxz" with p = (psi, theta, phi), Buschmann 2014 (2.50)
"roll-pitch-yaw"  R_AB = R_z(yaw) R_y(pitch) R_x(roll) with p = (roll, pitch, yaw): "zyx" reversed, as in URDF
================  ====================================================================================

The first and third angle come out in (-pi, pi], the second one in [-pi/2, pi/2] if the three axes differ and
in [0, pi] if one is repeated. At the ends of these intervals the first and third axis are parallel (gimbal
lock), and only the sum or the difference of the outer angles is determined: the minimum-norm answer splits it
evenly.

An axis triple (i, j, k) that is an odd permutation is a left-handed frame, in which all angles count
negative. So one formula serves all sequences with the same repetition: `sign` is +1 for even, -1 for odd
permutations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest
from tarsus.spatial._arrays import as_vector, batch_shape, components, vector
from tarsus.spatial._singular import SINGULAR_TOLERANCE, Singular, at, numbers, refuse, with_pseudoinverse
from tarsus.spatial.quaternion import canonical, components_from_entries, unit_components
from tarsus.spatial.rotation_matrix import checked_entries


@dataclass(frozen=True, slots=True)
class _Sequence:
    """Axes of a sequence: i first, j second, k the remaining one, which is the third unless `repeats`."""

    i: int
    j: int
    k: int
    sign: float
    repeats: bool
    reversed: bool = False

    @property
    def order(self) -> tuple[int, int, int]:
        """Position of the first, second and third turn in the parameter vector."""
        return (2, 1, 0) if self.reversed else (0, 1, 2)


def _sequence(name: str, *, reverse: bool = False) -> _Sequence:
    i, j, third = ("xyz".index(axis) for axis in name)
    k = 3 - i - j
    return _Sequence(i, j, k, 1.0 if (j - i) % 3 == 1 else -1.0, third == i, reverse)


#: The twelve sequences: three different axes first, then those with a repeated axis.
SEQUENCES = ("xyz", "yzx", "zxy", "xzy", "zyx", "yxz", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")

#: Other names of sequences.
SEQUENCE_ALIASES = {"cardan": "xyz", "euler": "zxz"}

_TABLE = {name: _sequence(name) for name in SEQUENCES}
_TABLE |= {alias: _TABLE[name] for alias, name in SEQUENCE_ALIASES.items()}
_TABLE["roll-pitch-yaw"] = _sequence("zyx", reverse=True)


def _lookup(sequence: str) -> _Sequence:
    try:
        return _TABLE[sequence]
    except (KeyError, TypeError):
        hint = nearest(sequence, _TABLE)
        raise UnknownNameError(f"sequence: unknown name {sequence!r}, expected one of {list(_TABLE)}{hint}") from None


def _ordered(p: FloatArray, s: _Sequence) -> tuple[Any, Any, Any]:
    """Components of the first, second and third turn."""
    parts = components(p)
    a, b, c = s.order
    return parts[a], parts[b], parts[c]


def rotation_matrix_from_angles(p: npt.ArrayLike, sequence: str) -> FloatArray:
    """Rotation matrix of three successive turns, Buschmann 2014 (2.42), (2.50).

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Angles [rad].
    sequence : str
        Intrinsic axes such as "xyz" or "zxz", or "cardan", "euler", "roll-pitch-yaw".

    Returns
    -------
    R : ndarray, shape (..., 3, 3)
        R_AB, the transpose of his A_BI.
    """
    s = _lookup(sequence)
    first, second, third = _ordered(as_vector(p, "p", 3), s)
    sa, sb, sc = s.sign * np.sin(first), s.sign * np.sin(second), s.sign * np.sin(third)
    ca, cb, cc = np.cos(first), np.cos(second), np.cos(third)
    i, j, k = s.i, s.j, s.k
    R = np.empty((*np.shape(sa), 3, 3))
    if s.repeats:
        ccb, scb = cc * cb, sc * cb
        R[..., i, i], R[..., i, j], R[..., i, k] = cb, sc * sb, cc * sb
        R[..., j, i], R[..., j, j], R[..., j, k] = sb * sa, cc * ca - scb * sa, -sc * ca - ccb * sa
        R[..., k, i], R[..., k, j], R[..., k, k] = -sb * ca, cc * sa + scb * ca, ccb * ca - sc * sa
    else:
        ccsb, scsb = cc * sb, sc * sb
        R[..., i, i], R[..., i, j], R[..., i, k] = cc * cb, -sc * cb, sb
        R[..., j, i], R[..., j, j], R[..., j, k] = sc * ca + ccsb * sa, cc * ca - scsb * sa, -cb * sa
        R[..., k, i], R[..., k, j], R[..., k, k] = sc * sa - ccsb * ca, cc * sa + scsb * ca, cb * ca
    return R


def quaternion_from_angles(p: npt.ArrayLike, sequence: str) -> FloatArray:
    """Quaternion of three successive turns: the product of three elementary quaternions.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Angles [rad].
    sequence : str
        See `rotation_matrix_from_angles`.

    Returns
    -------
    q : ndarray, shape (..., 4)
        Not canonical.
    """
    s = _lookup(sequence)
    first, second, third = _ordered(as_vector(p, "p", 3), s)
    q = np.empty((*np.shape(first), 4))
    i, j, k = s.i + 1, s.j + 1, s.k + 1
    cb, sb = np.cos(0.5 * second), np.sin(0.5 * second)
    if s.repeats:
        total, difference = 0.5 * (first + third), 0.5 * (first - third)
        q[..., 0], q[..., i] = cb * np.cos(total), cb * np.sin(total)
        q[..., j], q[..., k] = sb * np.cos(difference), s.sign * sb * np.sin(difference)
    else:
        ca, sa = np.cos(0.5 * first), s.sign * np.sin(0.5 * first)
        cc, sc = np.cos(0.5 * third), s.sign * np.sin(0.5 * third)
        sb = s.sign * sb
        q[..., 0] = ca * cb * cc - sa * sb * sc
        q[..., i] = s.sign * (sa * cb * cc + ca * sb * sc)
        q[..., j] = s.sign * (ca * sb * cc - sa * cb * sc)
        q[..., k] = s.sign * (ca * cb * sc + sa * sb * cc)
    return q


def angles_from_quaternion(q: npt.ArrayLike, sequence: str, singular: Singular = "error") -> FloatArray:
    """Angles of three successive turns that make up a unit quaternion.

    Parameters
    ----------
    q : array_like, shape (..., 4)
    sequence : str
        See `rotation_matrix_from_angles`.
    singular : {"error", "minimum-norm"}
        What to do within 1e-12 of gimbal lock.

    Returns
    -------
    p : ndarray, shape (..., 3)
        Angles [rad] in the ranges given at the top of this module.
    """
    return _angles(canonical(*unit_components(q, "q")), sequence, singular)


def angles_from_rotation_matrix(R: npt.ArrayLike, sequence: str, singular: Singular = "error") -> FloatArray:
    """Angles of three successive turns that make up a rotation matrix.

    Through half sums and half differences of the outer angles, which stay exact next to gimbal lock.
    Buschmann 2014 (2.43)-(2.45), (2.51)-(2.53) take the outer angles one by one from entries that vanish
    there, so that their round trip loses digits; (2.51) has both signs wrong, too: psi = atan2(A_BI,31,
    -A_BI,32).

    Parameters
    ----------
    R : array_like, shape (..., 3, 3)
        R_AB.
    sequence : str
        See `rotation_matrix_from_angles`.
    singular : {"error", "minimum-norm"}
        What to do within 1e-12 of gimbal lock.

    Returns
    -------
    p : ndarray, shape (..., 3)
        Angles [rad] in the ranges given at the top of this module.
    """
    return _angles(components_from_entries(checked_entries(R, "R")), sequence, singular)


def _angles(q: Any, sequence: str, singular: Singular) -> FloatArray:
    s = _lookup(sequence)
    w, qi, qj, qk = q[0], q[s.i + 1], q[s.j + 1], s.sign * q[s.k + 1]
    if s.repeats:
        a, b, c, d = w, qi, qj, qk
        n, m = np.sqrt(a * a + b * b), np.sqrt(c * c + d * d)
        second = 2.0 * np.arctan2(m, n)
        distance = 2.0 * n * m
    else:
        # q times a right angle about j is a sequence i-j-i with angles p1, p2 + pi/2, -sign p3
        a, b, c, d = w - qj, qi - qk, qj + w, qk + qi
        n, m = np.sqrt(a * a + b * b), np.sqrt(c * c + d * d)
        distance = n * m
        second = np.arctan2(2.0 * (w * qj + qi * qk), distance)
    where = np.asarray(distance <= SINGULAR_TOLERANCE)

    def message(index: tuple[int, ...]) -> str:
        angle = float(np.asarray(second)[index])
        place = f"at the second angle {angle:.15g} rad{at(index)} (gimbal lock)"
        return f"parametrisation {sequence!r} is singular {place}"

    half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
    if refuse(where, singular, message):
        # Half sums are determined up to pi: the smaller value makes the norm of the angles minimal.
        half_sum = np.where(where, np.where(n > m, _within_right_angle(half_sum), 0.0), half_sum)
        other = np.where(n > m, 0.0, _within_right_angle(half_difference))
        half_difference = np.where(where, other, half_difference)
    first = _wrapped(half_sum + half_difference)
    third = _wrapped(half_sum - half_difference)
    if not s.repeats:
        third = _wrapped(0.0 - s.sign * third)
    return vector(third, second, first) if s.reversed else vector(first, second, third)


def _within_right_angle(angle: Any) -> Any:
    """Angle in [-pi/2, pi/2] that differs by a multiple of pi from an angle in [-pi, pi]."""
    return angle - np.pi * np.round(angle / np.pi)


def _wrapped(angle: Any) -> Any:
    """Angle in (-pi, pi] from one in (-3 pi, 3 pi)."""
    angle = np.where(angle > np.pi, angle - 2.0 * np.pi, angle)
    return np.where(angle <= -np.pi, angle + 2.0 * np.pi, angle)


def rate_matrix(p: npt.ArrayLike, sequence: str) -> FloatArray:
    """E(p) with omega_B = E pdot, Buschmann 2014 (2.48), (2.56).

    The columns are the axes of the three turns, seen from the body (2.47). (2.55) swaps the rates of psi and
    phi; (2.56) is right.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Angles [rad].
    sequence : str
        See `rotation_matrix_from_angles`.

    Returns
    -------
    E : ndarray, shape (..., 3, 3)
        Body frame. Singular at gimbal lock.
    """
    s = _lookup(sequence)
    _, second, third = _ordered(as_vector(p, "p", 3), s)
    sb, cb, sc, cc = np.sin(second), np.cos(second), np.sin(third), np.cos(third)
    E = np.zeros((*np.shape(sb), 3, 3))
    i, j, k = s.i, s.j, s.k
    one, two, three = s.order
    if s.repeats:
        E[..., i, one], E[..., j, one], E[..., k, one] = cb, sb * sc, s.sign * sb * cc
        E[..., j, two], E[..., k, two] = cc, -s.sign * sc
        E[..., i, three] = 1.0
    else:
        E[..., i, one], E[..., j, one], E[..., k, one] = cb * cc, -s.sign * cb * sc, s.sign * sb
        E[..., i, two], E[..., j, two] = s.sign * sc, cc
        E[..., k, three] = 1.0
    return E


def rate_inverse(p: npt.ArrayLike, sequence: str, singular: Singular = "error") -> FloatArray:
    """Inverse of E(p): pdot = E^-1 omega_B, Buschmann 2014 (2.49), (2.57).

    (2.57) lacks the dot on the left side.

    Parameters
    ----------
    p : array_like, shape (..., 3)
        Angles [rad].
    sequence : str
        See `rotation_matrix_from_angles`.
    singular : {"error", "minimum-norm"}
        What to do within 1e-12 of gimbal lock, where no rates give an angular velocity about the lost axis.
        The minimum-norm answer is the pseudo-inverse.

    Returns
    -------
    E_inverse : ndarray, shape (..., 3, 3)
    """
    s = _lookup(sequence)
    array = as_vector(p, "p", 3)
    _, second, third = _ordered(array, s)
    sb, cb, sc, cc = np.sin(second), np.cos(second), np.sin(third), np.cos(third)
    critical = sb if s.repeats else cb
    where = np.asarray(np.abs(critical) <= SINGULAR_TOLERANCE)
    divisor = np.where(where, 1.0, critical)
    inverse = np.zeros((*np.shape(sb), 3, 3))
    i, j, k = s.i, s.j, s.k
    one, two, three = s.order
    if s.repeats:
        first_j, first_k = sc / divisor, s.sign * cc / divisor
        inverse[..., one, j], inverse[..., one, k] = first_j, first_k
        inverse[..., two, j], inverse[..., two, k] = cc, -s.sign * sc
        inverse[..., three, i] = 1.0
        inverse[..., three, j], inverse[..., three, k] = -cb * first_j, -cb * first_k
    else:
        first_i, first_j, tilt = cc / divisor, -s.sign * sc / divisor, -s.sign * sb
        inverse[..., one, i], inverse[..., one, j] = first_i, first_j
        inverse[..., two, i], inverse[..., two, j] = s.sign * sc, cc
        inverse[..., three, i], inverse[..., three, j] = tilt * first_i, tilt * first_j
        inverse[..., three, k] = 1.0

    def message(index: tuple[int, ...]) -> str:
        place = f"at p = {numbers(array[index])}{at(index)} (gimbal lock)"
        return f"parametrisation {sequence!r} is singular {place}"

    if refuse(where, singular, message):
        return with_pseudoinverse(inverse, where, rate_matrix(array, sequence))
    return inverse


def rate_matrix_dot(p: npt.ArrayLike, pdot: npt.ArrayLike, sequence: str) -> FloatArray:
    """Time derivative of E(p) along `pdot`, body frame.

    Parameters
    ----------
    p, pdot : array_like, shape (..., 3)
        Angles [rad] and their rates [rad/s]; the batch shapes broadcast.
    sequence : str
        See `rotation_matrix_from_angles`.

    Returns
    -------
    E_dot : ndarray, shape (..., 3, 3)
    """
    s = _lookup(sequence)
    angles, rates = as_vector(p, "p", 3), as_vector(pdot, "pdot", 3)
    batch = batch_shape(p=angles.shape[:-1], pdot=rates.shape[:-1])
    _, second, third = _ordered(angles, s)
    _, b, c = _ordered(rates, s)
    sb, cb, sc, cc = np.sin(second), np.cos(second), np.sin(third), np.cos(third)
    E_dot = np.zeros((*batch, 3, 3))
    i, j, k = s.i, s.j, s.k
    one, two, _ = s.order
    if s.repeats:
        E_dot[..., i, one] = -sb * b
        E_dot[..., j, one] = cb * sc * b + sb * cc * c
        E_dot[..., k, one] = s.sign * (cb * cc * b - sb * sc * c)
        E_dot[..., j, two], E_dot[..., k, two] = -sc * c, -s.sign * cc * c
    else:
        E_dot[..., i, one] = -sb * cc * b - cb * sc * c
        E_dot[..., j, one] = s.sign * (sb * sc * b - cb * cc * c)
        E_dot[..., k, one] = s.sign * cb * b
        E_dot[..., i, two], E_dot[..., j, two] = s.sign * cc * c, -sc * c
    return E_dot
