"""Volume that swept spheres cover together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.geometry.closest_on_triangle import closest_weights
from tarsus.geometry.swept_sphere import SweptSphere

BLOCK = 200_000
"""Distances computed at once."""


def contains(triangles: FloatArray, radius: FloatArray, points: FloatArray) -> BoolArray:
    """Which of the points (n, 3) each triangle-swept sphere (b, 3, 3), (b,) contains, shape (b, n)."""
    inside = np.empty((len(triangles), len(points)), dtype=bool)
    step = max(1, BLOCK // max(len(points), 1))
    for k in range(0, len(triangles), step):
        few = slice(k, k + step)
        _, away = closest_weights(triangles[few], np.broadcast_to(points, (len(triangles[few]), *points.shape)))
        inside[few] = np.einsum("bni,bni->bn", away, away) <= radius[few, None] ** 2
    return inside


def as_triangles(volumes: Sequence[SweptSphere]) -> tuple[FloatArray, FloatArray]:
    """Vertices of volumes as triangles, some of whose corners coincide, (b, 3, 3), and their radii (b,)."""
    rows = [volume.vertices[np.minimum(np.arange(3), len(volume.vertices) - 1)] for volume in volumes]
    return np.array(rows).reshape(-1, 3, 3), np.array([volume.radius for volume in volumes])


def union_volume(volumes: Sequence[SweptSphere], samples: int = 20_000, seed: int = 0) -> float:
    """Volume of the union of swept spheres, estimated [m^3].

    The volumes themselves are exact; what is counted more than once is estimated by points drawn inside their
    boxes, where they overlap.

    Parameters
    ----------
    samples : int
        Points drawn.
    seed : int
        Of the generator that draws them.
    """
    triangles, radius = as_triangles(volumes)
    total = sum(volume.volume for volume in volumes)
    if len(volumes) < 2:
        return total
    lows, highs = triangles.min(axis=1) - radius[:, None], triangles.max(axis=1) + radius[:, None]
    # Only where two boxes overlap can anything be counted twice.
    pairs = [(i, j) for i in range(len(volumes)) for j in range(i)]
    shared_low = np.array([np.maximum(lows[i], lows[j]) for i, j in pairs])
    shared_high = np.array([np.minimum(highs[i], highs[j]) for i, j in pairs])
    some = (shared_low < shared_high).all(axis=1)
    if not some.any():
        return total
    low, high = shared_low[some].min(axis=0), shared_high[some].max(axis=0)
    points = np.random.default_rng(seed).uniform(low, high, (samples, 3))
    count = contains(triangles, radius, points).sum(axis=0)
    return total - float(np.prod(high - low)) * float(np.maximum(count - 1, 0).mean())
