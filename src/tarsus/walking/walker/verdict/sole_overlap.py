"""Whether soles pass through each other in a walk: nothing keeps legs apart, and feet do not touch in simulations."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.model import Model

LEAST = 1e-3
"""Overlap from which on it is told [m]: soles are rectangles around what they are."""


def foot_height(model: Model, sole: str, half: FloatArray) -> float:
    """How far a foot reaches up from its sole [m]: to the origin of its body, its ankle; half its width at least.

    Parameters
    ----------
    half : ndarray, shape (2,)
        Half of the length and of the width of the sole [m].
    """
    X_WS = frame_pose(model, model.reference, sole)
    p_WB = frame_pose(model, model.reference, model.frames[sole].body)[:3, 3]
    return max(float(X_WS[:3, 2] @ (p_WB - X_WS[:3, 3])), float(half[1]))


def overlaps(soles: FloatArray, corners: FloatArray, height: float) -> FloatArray:
    """How deep soles are in each other seen from above, shape (n,) [m]; negative where they are not.

    By separating axes: the least way by which one of them would have to be moved. Soles whose heights differ by more
    than `height` are one above the other, minus infinity.

    Parameters
    ----------
    soles : ndarray, shape (2, n, 4, 4)
        Poses of both.
    corners : ndarray, shape (2, 4, 3)
        Around each sole, in its frame [m].
    height : float
        Of a foot [m].
    """
    flat = (np.einsum("snij,skj->snki", soles[:, :, :2, :3], corners)) + soles[:, :, None, :2, 3]
    edges = np.concatenate([np.roll(outline, -1, axis=1) - outline for outline in flat], axis=1)
    normals = np.stack([edges[..., 1], -edges[..., 0]], axis=-1)
    lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
    normals = normals / np.where(lengths > 0.0, lengths, 1.0)
    a, b = (np.einsum("nki,nei->nek", outline, normals) for outline in flat)
    apart = np.maximum(b.min(axis=2) - a.max(axis=2), a.min(axis=2) - b.max(axis=2))
    apart = np.where(lengths[..., 0] > 0.0, apart, -np.inf)
    beside = np.abs(soles[0, :, 2, 3] - soles[1, :, 2, 3]) <= height
    return np.where(beside, -apart.max(axis=1), -np.inf)


def overlap_note(time: FloatArray, soles: FloatArray, corners: FloatArray, height: float) -> str:
    """That soles pass through each other, how deep and when, from times, shape (n,) [s]; empty where they do not."""
    deep = overlaps(soles, corners, height)
    k = int(deep.argmax())
    if not deep[k] > LEAST:
        return ""
    return f"soles pass through each other, by {1e3 * deep[k]:.0f} mm at {time[k]:.2f} s: nothing keeps legs apart"
