"""Which triangle is seen at which pixel: a depth buffer in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray

_PIXELS_AT_ONCE = 2_000_000
"""Pixels looked at in one go."""


class Raster(NamedTuple):
    """What every pixel shows.

    Attributes
    ----------
    triangle : ndarray of int, shape (height, width)
        Index of the nearest triangle, -1 where there is none.
    weights : ndarray, shape (height, width, 3)
        Barycentric coordinates in it.
    depth : ndarray, shape (height, width)
        Infinite where there is nothing.
    """

    triangle: IndexArray
    weights: FloatArray
    depth: FloatArray


def rasterise(corners: FloatArray, width: int, height: int) -> Raster:
    """Nearest triangle at the centre of every pixel.

    Parameters
    ----------
    corners : ndarray, shape (n, 3, 3)
        Triangle, corner, (column, row, depth); pixel (i, j) has its centre at (i + 0.5, j + 0.5).
    width, height : int
    """
    depth = np.full(height * width, np.inf)
    triangle = np.full(height * width, -1, dtype=np.intp)
    weights = np.zeros((height * width, 3))
    gradients = _gradients(corners)
    for index, row, column in _covered(corners, width, height):
        pixel = row * width + column
        u, v = (g[index, 0] * (column + 0.5) + g[index, 1] * (row + 0.5) + g[index, 2] for g in gradients)
        a, b, c = (corners[index, k, 2] for k in range(3))
        z = a + u * (b - a) + v * (c - a)
        np.minimum.at(depth, pixel, z)
        nearest = z == depth[pixel]
        shown, u, v = pixel[nearest], u[nearest], v[nearest]
        triangle[shown] = index[nearest]
        weights[shown] = np.stack([1.0 - u - v, u, v], axis=-1)
    return Raster(triangle.reshape(height, width), weights.reshape(height, width, 3), depth.reshape(height, width))


def _gradients(corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients (n, 3) of the barycentric coordinates of corners 1 and 2: g0 column + g1 row + g2."""
    a, ab, ac = (corners[:, 0, :2], corners[:, 1, :2] - corners[:, 0, :2], corners[:, 2, :2] - corners[:, 0, :2])
    area = ab[:, 0] * ac[:, 1] - ac[:, 0] * ab[:, 1]
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)
    u = np.stack([ac[:, 1], -ac[:, 0], ac[:, 0] * a[:, 1] - ac[:, 1] * a[:, 0]], axis=-1)
    v = np.stack([-ab[:, 1], ab[:, 0], ab[:, 1] * a[:, 0] - ab[:, 0] * a[:, 1]], axis=-1)
    return u * scale[:, None], v * scale[:, None]


def _covered(corners: FloatArray, width: int, height: int) -> Iterator[tuple[IndexArray, IndexArray, IndexArray]]:
    """Triples (triangle, row, column) of pixels whose centre a triangle covers, in chunks of bounded size."""
    first = np.maximum(np.ceil(corners[..., 1].min(axis=1) - 0.5), 0.0).astype(np.intp)
    last = np.minimum(np.floor(corners[..., 1].max(axis=1) - 0.5), height - 1.0).astype(np.intp)
    for index, row in _chunks(np.arange(len(corners)), first, last):
        left, right = _scan_line(corners[index, :, :2], row)
        start = np.maximum(np.ceil(left - 0.5), 0.0).astype(np.intp)
        end = np.minimum(np.floor(right - 0.5), width - 1.0).astype(np.intp)
        for line, column in _chunks(np.arange(len(index)), start, end):
            yield index[line], row[line], column


def _scan_line(corners: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Interval of columns of triangles (n, 3, 2) on the centres of pixel rows (n,)."""
    y = rows.astype(float) + 0.5
    left, right = np.full(len(y), np.inf), np.full(len(y), -1.0)
    for k in range(3):
        p, d = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        t = np.divide(y - p[:, 1], d[:, 1], out=np.full(len(y), -1.0), where=d[:, 1] != 0.0)
        x = p[:, 0] + t * d[:, 0]
        cuts = (t >= 0.0) & (t <= 1.0)
        left = np.where(cuts, np.minimum(left, x), left)
        right = np.where(cuts, np.maximum(right, x), right)
    return np.minimum(left, 1e9), right


def _chunks(items: IndexArray, first: IndexArray, last: IndexArray) -> Iterator[tuple[IndexArray, IndexArray]]:
    """Pairs (item, number) for all numbers from first[item] to last[item], about `_PIXELS_AT_ONCE` at a time."""
    count = np.maximum(last - first + 1, 0)
    items = items[count > 0]
    count = count[items]
    if len(items) == 0:
        return
    chunk = np.cumsum(count) // _PIXELS_AT_ONCE
    for part in np.split(np.arange(len(items)), np.flatnonzero(np.diff(chunk)) + 1):
        item, size = items[part], count[part]
        repeated = np.repeat(item, size)
        yield repeated, first[repeated] + np.arange(len(repeated)) - np.repeat(np.cumsum(size) - size, size)
