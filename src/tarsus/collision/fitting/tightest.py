"""The smallest triangle-swept sphere around balls, for many sets of balls at once.

With the vertices v of the triangle given, the radius is the largest of dist(p_i, triangle) + rho_i over the balls
(p_i, rho_i), and the volume follows by Steiner's formula. The maximum is smoothed to (1 / beta) log sum exp(beta h_i),
whose derivative needs the closest points only: d dist / d v_j = -w_j n, with the weights w of the closest point and the
direction n away from it. Adam (Kingma and Ba 2015) descends log(volume) while beta grows; what counts in the end is the
exact radius of the best triangle on the way. Lines and points are triangles whose corners coincide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.geometry.closest_on_triangle import closest_weights

SHARPNESS = (25.0, 800.0)
"""beta at the start and at the end, for sets of unit size."""
STRIDE = (0.05, 0.0015)
"""Length of a step at the start and at the end, for sets of unit size."""


class Fitted(NamedTuple):
    """Triangle-swept spheres.

    Attributes
    ----------
    triangles : ndarray, shape (b, 3, 3)
    radius : ndarray, shape (b,)
    volume : ndarray, shape (b,)
    """

    triangles: FloatArray
    radius: FloatArray
    volume: FloatArray


def enclosing_radius(triangles: FloatArray, centers: FloatArray, radii: FloatArray) -> FloatArray:
    """Radius with which each triangle (b, 3, 3) encloses its balls, (b, n, 3) and (b, n)."""
    _, away = closest_weights(triangles, centers)
    return np.asarray((np.sqrt(np.einsum("bni,bni->bn", away, away)) + radii).max(axis=-1))


def swept_volume(triangles: FloatArray, radius: FloatArray) -> FloatArray:
    """Volume of triangle-swept spheres (b, 3, 3), (b,): see `SweptSphere.volume`."""
    area, perimeter, _, _ = _size(triangles)
    return np.asarray(2 * area * radius + np.pi / 2 * perimeter * radius**2 + 4 / 3 * np.pi * radius**3)


def tightest(
    starts: FloatArray,
    centers: FloatArray,
    radii: FloatArray,
    steps: int,
    *,
    corners: IndexArray | None = None,
    single: bool = False,
) -> Fitted:
    """Descend from given triangles to small swept spheres around balls.

    Parameters
    ----------
    starts : ndarray, shape (b, 3, 3)
    centers, radii : ndarray, shape (b, n, 3) and (b, n)
        Of the balls of each set.
    steps : int
    corners : ndarray of int, shape (b,), optional
        How many corners of each may differ: 1 for spheres, 2 for lines, 3 for triangles, the default.
    single : bool
        Whether to descend in single precision, which takes less time; results are in double precision.
    """
    middle = centers.mean(axis=1, keepdims=True)
    scale = np.maximum(np.ptp(centers, axis=1).max(axis=-1) + 2.0 * radii.max(axis=-1), 1e-12)
    kind = np.float32 if single else np.float64
    p, rho = ((centers - middle) / scale[:, None, None]).astype(kind), (radii / scale[:, None]).astype(kind)
    kinds = np.full(len(starts), 3) if corners is None else corners
    same = np.minimum(np.arange(3), kinds[:, None] - 1)  # corners of one number stay together
    x = ((starts - middle) / scale[:, None, None]).astype(kind)[np.arange(len(starts))[:, None], same]
    tie = (same[:, :, None] == same[:, None, :]).astype(kind)
    best, best_volume = x.copy(), np.full(len(x), np.inf)
    mean, square = np.zeros_like(x), np.zeros_like(x)
    for k in range(steps):
        share = k / max(steps - 1, 1)
        beta, stride = (lo * (hi / lo) ** share for lo, hi in (SHARPNESS, STRIDE))
        slope, volume = _slope(x, p, rho, beta)
        better = volume < best_volume
        best[better], best_volume[better] = x[better], volume[better]
        slope = slope if corners is None else tie @ slope
        mean = 0.85 * mean + 0.15 * slope
        square = 0.95 * square + 0.05 * slope * slope
        x = x - stride * (mean / (1 - 0.85 ** (k + 1))) / (np.sqrt(square / (1 - 0.95 ** (k + 1))) + 1e-9)
    triangles = best * scale[:, None, None] + middle
    radius = enclosing_radius(triangles, centers, radii)
    return Fitted(triangles, radius, swept_volume(triangles, radius))


def _size(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Area and perimeter of triangles, and how they change with the corners."""
    edge = x[:, [1, 2, 0]] - x  # from corner j to corner j + 1
    length = np.sqrt(np.einsum("bij,bij->bi", edge, edge))
    unit = edge / np.maximum(length, 1e-12)[..., None]
    normal = _cross(edge[:, 0], edge[:, 1])
    double = np.sqrt(np.einsum("bi,bi->b", normal, normal))
    normal = normal / np.maximum(double, 1e-12)[:, None]
    d_area = 0.5 * _cross(normal[:, None], edge[:, [1, 2, 0]])  # the edge across from corner j
    return 0.5 * double, length.sum(axis=1), d_area, unit[:, [2, 0, 1]] - unit


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Vector product along the last axis, without the checks of `numpy.cross`, which cost more than the product."""
    return np.asarray(a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]])


def _slope(x: FloatArray, p: FloatArray, rho: FloatArray, beta: float) -> tuple[FloatArray, FloatArray]:
    """Derivative (b, 3, 3) of the logarithm of the smoothed volume, and the exact volume (b,)."""
    weights, away = closest_weights(x, p)
    distance = np.sqrt(np.einsum("bni,bni->bn", away, away))
    reach = distance + rho
    largest = reach.max(axis=1)
    share = np.exp(beta * (reach - largest[:, None]))
    total = share.sum(axis=1)
    r = largest + np.log(total) / beta
    pull = (share / total[:, None] / np.maximum(distance, 1e-12))[..., None] * away
    d_r = -np.swapaxes(weights, 1, 2) @ pull
    area, perimeter, d_area, d_perimeter = _size(x)
    volume = 2 * area * r + np.pi / 2 * perimeter * r**2 + 4 / 3 * np.pi * r**3
    by_radius = 2 * area + np.pi * perimeter * r + 4 * np.pi * r**2
    slope = _by(2 * r, d_area) + _by(np.pi / 2 * r**2, d_perimeter) + _by(by_radius, d_r)
    exact = 2 * area * largest + np.pi / 2 * perimeter * largest**2 + 4 / 3 * np.pi * largest**3
    return slope / volume[:, None, None], exact


def _by(factor: FloatArray, array: FloatArray) -> FloatArray:
    return np.asarray(factor[:, None, None] * array)
