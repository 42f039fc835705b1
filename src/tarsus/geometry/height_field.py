"""Distance of points to everything below a grid of heights, bilinear between its points and level beyond its edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.geometry.point_distances import PointDistances

_PASSES = 40
_NEWTON_PASSES = 12
"""The first of them; those after go along one axis at a time, which always comes nearer."""
_ROUNDING = 1e-14
"""Relative change of a nearest point that is none."""
_ON_SURFACE = 1e-9
"""Closer than this, the direction to the nearest point says nothing [m]."""

Integers = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _Cells:
    """n cells: height + slope x + slope y + twist x y about the corner, between bounds of x and y; (n,) or (n, 2)."""

    corner: FloatArray
    low: FloatArray
    high: FloatArray
    height: FloatArray
    slope: FloatArray
    twist: FloatArray
    lowest: FloatArray
    highest: FloatArray

    def take(self, rows: npt.NDArray[np.bool_]) -> _Cells:
        return _Cells(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def slopes(self, at: FloatArray) -> FloatArray:
        """Slopes along x and y, shape (n, 2)."""
        return np.asarray(self.slope + self.twist[:, None] * at[:, ::-1])

    def rise(self, at: FloatArray, z: FloatArray) -> FloatArray:
        """Height above z."""
        return np.asarray(self.height + np.sum(self.slope * at, axis=1) + self.twist * at[:, 0] * at[:, 1] - z)


def _cells(h: FloatArray, d: float, index: Integers) -> _Cells:
    """Cells by their numbers (n, 2) along x and y; -1 and the last point are the level ground beyond the edges."""
    last = np.array([h.shape[1] - 1, h.shape[0] - 1])
    near, far = np.maximum(index, 0), np.minimum(index + 1, last)
    a, b = h[near[:, 1], near[:, 0]], h[near[:, 1], far[:, 0]]
    c, e = h[far[:, 1], near[:, 0]], h[far[:, 1], far[:, 0]]
    four = np.stack([a, b, c, e])
    return _Cells(
        corner=d * near,
        low=np.where(index < 0, -np.inf, 0.0),
        high=np.where(index < 0, 0.0, np.where(index < last, d, np.inf)),
        height=a,
        slope=np.stack([b - a, c - a], axis=1) / d,
        twist=(a - b - c + e) / d**2,
        lowest=four.min(axis=0),
        highest=four.max(axis=0),
    )


def _index(h: FloatArray, d: float, xy: FloatArray) -> Integers:
    last = np.array([h.shape[1] - 1, h.shape[0] - 1])
    inside = np.clip((xy / d), 0, last - 1).astype(np.intp)
    return np.asarray(np.where(xy < 0.0, -1, np.where(xy >= d * last, last, inside)))


def _nearest(c: _Cells, xy: FloatArray, z: FloatArray) -> FloatArray:
    """Places (n, 2) on cells nearest to points (xy from the corner, z), by Newton's method within the bounds."""
    at = np.clip(xy, c.low, c.high)
    for step in range(_PASSES):
        slope, rise = c.slopes(at), c.rise(at, z)
        g = at - xy + rise[:, None] * slope
        diagonal, mixed = 1.0 + slope**2, slope[:, 0] * slope[:, 1] + rise * c.twist
        free = ~(((at <= c.low) & (g >= 0.0)) | ((at >= c.high) & (g <= 0.0)))
        determinant = diagonal[:, 0] * diagonal[:, 1] - mixed**2
        both = free.all(axis=1) & (determinant > 0.01 * diagonal[:, 0] * diagonal[:, 1]) & (step < _NEWTON_PASSES)
        safe = np.where(both, determinant, 1.0)
        newton = (mixed[:, None] * g[:, ::-1] - diagonal[:, ::-1] * g) / safe[:, None]
        gain = np.where(free, g**2 / diagonal, -1.0)
        chosen = free & (np.argmax(gain, axis=1)[:, None] == np.arange(2))
        to = np.clip(at + np.where(both[:, None], newton, np.where(chosen, -g / diagonal, 0.0)), c.low, c.high)
        moved = np.abs(to - at).sum(axis=1)
        at = to
        if np.all(moved <= _ROUNDING * np.abs(at).sum(axis=1)):
            break
    return np.asarray(at)


def _candidates(h: FloatArray, d: float, xy: FloatArray, window: FloatArray) -> tuple[Integers, Integers]:
    """Which point (m,) is to be compared with which cell (m, 2): all cells within its window."""
    first, last = _index(h, d, xy - window[:, None]), _index(h, d, xy + window[:, None])
    size = last - first + 1
    count = size[:, 0] * size[:, 1]
    point = np.repeat(np.arange(len(xy)), count)
    number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    j, i = np.divmod(number, size[point, 0])
    return point, np.asarray(first[point] + np.stack([i, j], axis=1))


def _squared(c: _Cells, at: FloatArray, xy: FloatArray, z: FloatArray) -> FloatArray:
    """Squares of the distances between places on cells and points (xy from the corner, z)."""
    return np.asarray(np.sum((xy - at) ** 2, axis=1) + c.rise(at, z) ** 2)


def _search(h: FloatArray, d: float, xy: FloatArray, z: FloatArray, reach: FloatArray) -> tuple[Integers, FloatArray]:
    """Cells (n, 2) with the nearest places, and these (n, 2): in the cell below first, then in those within reach."""
    index = _index(h, d, xy)
    cells = _cells(h, d, index)
    at = _nearest(cells, xy - cells.corner, z)
    best = _squared(cells, at, xy - cells.corner, z)
    # cells around that are nearer than what was found
    point, around = _candidates(h, d, xy, np.minimum(np.sqrt(best), reach))
    cells = _cells(h, d, around)
    beside, up = xy[point] - cells.corner, z[point]
    off = np.maximum(np.maximum(cells.low - beside, beside - cells.high), 0.0)
    rise = np.maximum(np.maximum(cells.lowest - up, up - cells.highest), 0.0)
    near = np.sum(off**2, axis=1) + rise**2 < best[point]
    point, around, cells, beside = point[near], around[near], cells.take(near), beside[near]
    there = _nearest(cells, beside, z[point])
    squared = _squared(cells, there, beside, z[point])
    order = np.argsort(-squared, kind="stable")
    better = order[squared[order] < best[point[order]]]  # the nearest of a point comes last, and stays
    index[point[better]], at[point[better]] = around[better], there[better]
    return index, at


def to_height_field(
    h: FloatArray,
    spacing: float,
    origin: tuple[float, float],
    p: FloatArray,
    u: FloatArray,
    reach: npt.ArrayLike = np.inf,
) -> PointDistances:
    """Distances to the nearest points of a surface of heights h (ny, nx) on a grid [m].

    It is bilinear between the points of the grid, whose first is at `origin`, and level beyond them.

    Parameters
    ----------
    reach : array_like, shape () or (n,)
        Distances are exact up to this [m]; what is further away is told to be further.
    """
    xy, z, above = p[:, :2] - np.asarray(origin, dtype=float), p[:, 2], p[:, 2] - h.max()
    high = above > reach  # above the highest point: nothing is looked for
    below = _cells(h, spacing, _index(h, spacing, xy))
    inside = below.rise(xy - below.corner, z) > 0.0
    index, at = _search(h, spacing, xy, z, np.where(high, 0.0, reach))
    found = _distances(_cells(h, spacing, index), at, xy, z, u, inside)
    return PointDistances(
        np.where(high, above, found.gap),
        np.where(high[:, None], np.array([0.0, 0.0, 1.0]), found.normal),
        np.where(high[:, None], 0.0, found.turn),
    )


def _distances(
    c: _Cells, at: FloatArray, xy: FloatArray, z: FloatArray, u: FloatArray, inside: npt.NDArray[np.bool_]
) -> PointDistances:
    """Distances with their nearest points known."""
    slope, rise = c.slopes(at), c.rise(at, z)
    away = np.column_stack([xy - c.corner - at, -rise])
    distance, side = np.linalg.norm(away, axis=1), np.where(inside, -1.0, 1.0)
    fixed = (at <= c.low) | (at >= c.high)
    rim = fixed.any(axis=1) & (distance > _ON_SURFACE)
    # 1. within a cell: the normal turns as the nearest point moves
    scale = 1.0 / np.sqrt(1.0 + np.sum(slope**2, axis=1))
    normal = scale[:, None] * np.column_stack([-slope, np.ones_like(z)])
    diagonal, mixed = 1.0 + slope**2, slope[:, 0] * slope[:, 1] + rise * c.twist
    load = u[:, :2] + slope * u[:, 2:]
    determinant = diagonal[:, 0] * diagonal[:, 1] - mixed**2
    determinant = np.where(determinant > 0.0, determinant, 1.0)
    moves = (diagonal[:, ::-1] * load - mixed[:, None] * load[:, ::-1]) / determinant[:, None]
    bend = -(scale * c.twist)[:, None] * np.column_stack([moves[:, ::-1], np.zeros_like(z)])
    turn = bend - normal * np.sum(normal * bend, axis=1)[:, None]
    # 2. on an edge or a corner: the direction from the nearest point, which moves along the edge
    safe = np.where(rim, distance, 1.0)
    direction = side[:, None] * away / safe[:, None]
    edge = np.zeros_like(u)
    for k in range(2):
        tangent = np.zeros_like(u)
        tangent[:, k], tangent[:, 2] = 1.0, slope[:, k]
        part = np.sum(tangent * u, axis=1) / diagonal[:, k]
        edge += np.where(fixed[:, k] | ~fixed[:, 1 - k], 0.0, part)[:, None] * tangent
    rest = u - edge
    turning = side[:, None] * (rest - direction * np.sum(direction * rest, axis=1)[:, None]) / safe[:, None]
    return PointDistances(
        side * distance,
        np.where(rim[:, None], direction, normal),
        np.where(rim[:, None], turning, turn),
    )
