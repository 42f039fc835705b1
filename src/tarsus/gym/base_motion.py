"""How the base of a robot leans and where it looks."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def up_in_base(q: FloatArray) -> FloatArray:
    """The upward direction in the axes of a free base, shape (..., 3): the last row of R_WB."""
    w, x, y, z = (q[..., k] for k in range(3, 7))
    return np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=-1)


def heading(q: FloatArray) -> FloatArray:
    """Angle about z by which the x axis of a free base looks away from that of the world, shape (...) [rad]."""
    w, x, y, z = (q[..., k] for k in range(3, 7))
    return np.asarray(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
