"""Base coordinates (x, y, z, qw, qx, qy, qz) and poses, one at a time: a cycle needs a dozen of them.

In numbers of Python, which small arrays take several times as long for. `tarsus.spatial` has the same for arrays of any
shape, with checks; the tests compare both.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray


def base_pose(base: FloatArray) -> FloatArray:
    """Pose of base coordinates, shape (4, 4)."""
    x, y, z, *quaternion = base.tolist()
    a, b, c, d, e, f, g, h, i = _entries(*quaternion)
    return np.array([[a, b, c, x], [d, e, f, y], [g, h, i, z], [0.0, 0.0, 0.0, 1.0]])


def inverse_base_pose(base: FloatArray) -> FloatArray:
    """Pose of the world seen from base coordinates, shape (4, 4)."""
    x, y, z, *quaternion = base.tolist()
    a, b, c, d, e, f, g, h, i = _entries(*quaternion)
    return np.array(
        [
            [a, d, g, -(a * x + d * y + g * z)],
            [b, e, h, -(b * x + e * y + h * z)],
            [c, f, i, -(c * x + f * y + i * z)],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def base_between(first: FloatArray, second: FloatArray, share: float) -> FloatArray:
    """Base coordinates between two that are near each other, shape (7,)."""
    a, b = first.tolist(), second.tolist()
    same = 1.0 if sum(x * y for x, y in zip(a[3:], b[3:], strict=True)) >= 0.0 else -1.0  # q and -q turn alike
    place = [(1.0 - share) * x + share * y for x, y in zip(a[:3], b[:3], strict=True)]
    turn = [same * (1.0 - share) * x + share * y for x, y in zip(a[3:], b[3:], strict=True)]
    length = math.sqrt(sum(x * x for x in turn))
    return np.array([*place, *(x / length for x in turn)])


def turned(quaternion: FloatArray, angle: float) -> FloatArray:
    """A quaternion turned about the vertical [rad], shape (4,)."""
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    w, x, y, z = quaternion.tolist()
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


def turn_between(first: FloatArray, second: FloatArray) -> float:
    """Angle about the vertical by which one quaternion is turned from another [rad]."""
    a, b, c, d = first.tolist()
    w, x, y, z = second.tolist()
    return 2.0 * math.atan2(a * z - d * w + b * y - c * x, a * w + b * x + c * y + d * z)


def _entries(w: float, x: float, y: float, z: float) -> tuple[float, ...]:
    """Of the rotation matrix of a unit quaternion, by rows."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip
