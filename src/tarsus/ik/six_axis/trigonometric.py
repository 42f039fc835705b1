"""Angles at which trigonometric polynomials of first degree vanish."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray

NEAR_DOUBLE = 1e-3
"""Imaginary part of a half tangent up to which a root is tried as a double real one, of which rounding made a complex
pair. Candidates that are no solutions fail the check by forward kinematics."""
TOUCHING = 1e-6
"""Share by which a line may miss the circle and still be tried as touching it, for the same reason."""
VANISHING = 1e-13
"""Size of the waves, beside that of the constant or 1, below which a polynomial counts as constant."""


def waves(t: FloatArray) -> FloatArray:
    """1, cos t and sin t, shape (..., 3)."""
    return np.stack([np.ones_like(t), np.cos(t), np.sin(t)], axis=-1)


def is_constant(f: FloatArray) -> BoolArray:
    """Whether polynomials with coefficients (..., 3) of 1, cos t and sin t do not depend on t."""
    radius = np.hypot(f[..., 1], f[..., 2])
    return np.asarray(radius <= VANISHING * np.maximum(np.abs(f[..., 0]), 1.0))


def first_degree_angles(f: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Angles (..., 2) with f0 + f1 cos t + f2 sin t = 0, for f of shape (..., 3); and whether they are real, (..., 2).

    Where polynomials are constant any angle does or none: both are zero, and real where the constant is zero as well.
    """
    constant = is_constant(f)
    radius = np.where(constant, 1.0, np.hypot(f[..., 1], f[..., 2]))
    share = np.where(constant, 0.0, -f[..., 0] / radius)
    real = np.where(constant, np.abs(f[..., 0]) <= TOUCHING, np.abs(share) <= 1 + TOUCHING)
    middle = np.where(constant, 0.0, np.arctan2(f[..., 2], f[..., 1]))
    half = np.where(constant, 0.0, np.arccos(np.clip(share, -1.0, 1.0)))
    return np.stack([middle - half, middle + half], axis=-1), np.stack([real, real], axis=-1)
