"""Closest points of triangles, many at once, as weights of their corners."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def closest_weights(triangles: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where each point is nearest to its triangle; triangles may be segments or points (equal corners).

    Parameters
    ----------
    triangles : ndarray, shape (b, 3, 3)
        Triangle, corner, coordinate [m].
    points : ndarray, shape (b, n, 3)
        Points that belong to each of them.

    Returns
    -------
    weights : ndarray, shape (b, n, 3)
        Of the corners, not negative, with the sum 1: weights @ corners is the closest point.
    away : ndarray, shape (b, n, 3)
        From the closest point to the point [m].
    """
    a = triangles[:, :1]
    p, edges = points - a, triangles[:, 1:] - a
    along = p @ np.swapaxes(edges, 1, 2)
    d1, d2 = along[..., 0], along[..., 1]
    g11, g12, g22 = (np.einsum("bk,bk->b", edges[:, i], edges[:, j])[:, None] for i, j in ((0, 0), (0, 1), (1, 1)))
    # Inside, where both weights and their sum allow it; a triangle without area has no inside.
    det = g11 * g22 - g12 * g12
    flat = det <= 64.0 * np.finfo(det.dtype).eps * g11 * g22
    safe = np.where(flat, 1.0, det)
    s, t = (g22 * d1 - g12 * d2) / safe, (g11 * d2 - g12 * d1) / safe
    inside = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0) & ~flat
    # Otherwise the nearest of the three edges.
    s1, t2 = _part(d1, g11), _part(d2, g22)
    u = _part(d2 - d1 + g11 - g12, g11 - 2.0 * g12 + g22)
    best = s1 * (s1 * g11 - 2.0 * d1)
    second = t2 * (t2 * g22 - 2.0 * d2)
    third = _gain(1.0 - u, u, d1, d2, g11, g12, g22)
    other = second < best
    es, et, best = np.where(other, 0.0, s1), np.where(other, t2, 0.0), np.where(other, second, best)
    other = third < best
    es, et = np.where(other, 1.0 - u, es), np.where(other, u, et)
    s, t = np.where(inside, s, es), np.where(inside, t, et)
    weights = np.stack([np.maximum(1.0 - s - t, 0.0), s, t], axis=-1)
    return weights, p - weights[..., 1:] @ edges


def _part(along: FloatArray, square: FloatArray) -> FloatArray:
    """Share of an edge, cut to its ends; the first end of an edge without length."""
    return np.clip(along / np.where(square > 0.0, square, 1.0), 0.0, 1.0) * (square > 0.0)


def _gain(
    s: FloatArray, t: FloatArray, d1: FloatArray, d2: FloatArray, g11: FloatArray, g12: FloatArray, g22: FloatArray
) -> FloatArray:
    """Square of the distance without that of the first corner."""
    return s * (s * g11 - 2.0 * d1) + t * (t * g22 - 2.0 * d2) + 2.0 * s * t * g12
