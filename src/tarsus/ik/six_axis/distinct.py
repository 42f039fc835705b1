"""Postures that differ, of many that may be the same up to whole turns."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IndexArray

SAME = 1e-5
"""Largest difference of an angle [rad] up to which two postures are one. Where solutions coincide, rounding leaves
joints undecided by some 1e-7 rad."""


def wrapped(t: FloatArray) -> FloatArray:
    """Angles without whole turns, in [-pi, pi]."""
    return np.asarray(t - 2 * np.pi * np.round(t / (2 * np.pi)))


def distinct(t: FloatArray) -> IndexArray:
    """Which of the postures (n, 6) are the first of their kind."""
    kept: list[int] = []
    for k in range(len(t)):
        if not kept or np.abs(wrapped(t[kept] - t[k])).max(axis=-1).min() > SAME:
            kept.append(k)
    return np.array(kept, dtype=np.intp)
