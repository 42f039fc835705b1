"""Rotations of single vectors without checks: what a filter needs some thousand times a second.

`tarsus.spatial` has the same functions for arrays of any shape; the tests compare both.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray

_SMALL = 1e-4
"""Angle [rad] below which series are exact to rounding: their next terms are below 1e-18."""


def exponential(x: float, y: float, z: float) -> FloatArray:
    """R = exp(skew((x, y, z))), shape (3, 3)."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < _SMALL:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        half = math.sin(0.5 * angle)
        a, b = math.sin(angle) / angle, 2.0 * half * half / square
    return _polynomial(x, y, z, square, a, b)


def _polynomial(x: float, y: float, z: float, square: float, a: float, b: float) -> FloatArray:
    """1 + a S + b S^2 with S = skew((x, y, z)), where S^2 = p p^T - |p|^2."""
    c = 1.0 - b * square
    xy, xz, yz = b * x * y, b * x * z, b * y * z
    return np.array(
        [
            [c + b * x * x, xy - a * z, xz + a * y],
            [xy + a * z, c + b * y * y, yz - a * x],
            [xz - a * y, yz + a * x, c + b * z * z],
        ]
    )


def quaternion_of(R: FloatArray) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z) of a rotation matrix (3, 3), w not negative."""
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    trace = a + e + i
    if trace > 0.0:
        w, x, y, z = 1.0 + trace, h - f, c - g, d - b
    elif a >= e and a >= i:
        w, x, y, z = h - f, 1.0 + a - e - i, b + d, c + g
    elif e >= i:
        w, x, y, z = c - g, b + d, 1.0 - a + e - i, f + h
    else:
        w, x, y, z = d - b, c + g, f + h, 1.0 - a - e + i
    scale = math.copysign(1.0 / math.sqrt(w * w + x * x + y * y + z * z), w)
    return scale * w, scale * x, scale * y, scale * z


def rotation_of(quaternion: FloatArray) -> FloatArray:
    """Rotation matrix (3, 3) of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion.tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def level_rotation(up: FloatArray) -> FloatArray:
    """The smallest rotation that turns a direction (3,), of any length, to +z; shape (3, 3)."""
    x, y, z = up.tolist()
    sine = math.hypot(x, y)
    angle = math.atan2(sine, z)
    if sine == 0.0:
        return exponential(angle, 0.0, 0.0)
    return exponential(angle * y / sine, -angle * x / sine, 0.0)


def cross_matrices(x: FloatArray) -> FloatArray:
    """Matrices of x times, for vectors (n, 3): shape (n, 3, 3)."""
    S = np.zeros((len(x), 3, 3))
    a, b, c = x[:, 0], x[:, 1], x[:, 2]
    S[:, 2, 1], S[:, 0, 2], S[:, 1, 0] = a, b, c
    S[:, 1, 2], S[:, 2, 0], S[:, 0, 1] = -a, -b, -c
    return S
