"""Starts of walks: both feet flat on the ground, one before the other, the body moving forward."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray

_JOINTS = 18
_ANKLES, _HIPS = [1, 6], [3, 4]
"""Joints 2 and 7, 4 and 5."""
_SHOULDERS, _ELBOWS = [11, 14], [12, 15]
_SHOULDER, _ELBOW = 0.1, -0.3
"""Angles of arms that hang down a little bent [rad]."""


def split_stance(split: npt.ArrayLike, speed: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Q and v, shapes (..., 18), of a robot on straight legs with the supporting one ahead.

    Parameters
    ----------
    split : array_like, shape (...)
        Angle of either leg to the vertical [rad]; the feet are 1.56 m sin(split) apart.
    speed : array_like, shape (...)
        Rate at which the supporting leg turns forward about its ankle, the body upright [rad/s].
    """
    split, speed = np.broadcast_arrays(np.asarray(split, dtype=float), np.asarray(speed, dtype=float))
    q, v = np.zeros((2, *split.shape, _JOINTS))
    q[..., _ANKLES], q[..., _HIPS] = -split[..., None], split[..., None]
    q[..., _SHOULDERS], q[..., _ELBOWS] = _SHOULDER, _ELBOW
    v[..., 1], v[..., 3] = speed, -speed
    return q, v
