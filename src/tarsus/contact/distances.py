"""Distance of points to the surfaces of a ground, with the direction out of it and how that turns as they move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.ground import Block, HeightField, Plane, Surface


class Distances(NamedTuple):
    """Of n points.

    Attributes
    ----------
    gap : ndarray, shape (n,)
        Signed, negative inside [m].
    normal : ndarray, shape (n, 3)
        Out of the solid, world axes.
    turn : ndarray, shape (n, 3)
        Rate of the normal while the points move [1/s]; zero on flat faces.
    surface : ndarray of int, shape (n,)
        Number of the nearest surface.
    """

    gap: FloatArray
    normal: FloatArray
    turn: FloatArray
    surface: npt.NDArray[np.intp]


def distances(surfaces: tuple[Surface, ...], p: FloatArray, u: FloatArray) -> Distances:
    """Distances of the points p, moving with u, to the nearest of the surfaces (the deepest where they overlap).

    Parameters
    ----------
    p, u : ndarray, shape (n, 3)
        World [m], [m/s].
    """
    gap, normal, turn = _distance(surfaces[0], p, u)
    index = np.zeros(len(p), dtype=np.intp)
    for k, surface in enumerate(surfaces[1:], start=1):
        other = _distance(surface, p, u)
        nearer = other[0] < gap
        if nearer.any():
            index = np.where(nearer, k, index)
            gap = np.where(nearer, other[0], gap)
            normal = np.where(nearer[:, None], other[1], normal)
            turn = np.where(nearer[:, None], other[2], turn)
    return Distances(gap, normal, turn, index)


def _distance(surface: Surface, p: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    if isinstance(surface, Plane):
        n = np.asarray(surface.normal)
        return (p - np.asarray(surface.point)) @ n, np.broadcast_to(n, p.shape), np.zeros_like(p)
    if isinstance(surface, Block):
        return _to_block(surface, p, u)
    return _to_height_field(surface, p, u)


def _to_block(block: Block, p: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Outside the direction from the nearest point of the box, inside out of the nearest face."""
    pose = np.asarray(block.pose)
    local, rate = (p - pose[:3, 3]) @ pose[:3, :3], u @ pose[:3, :3]
    side = np.where(local < 0.0, -1.0, 1.0)
    beyond = side * local - 0.5 * np.asarray(block.size)
    out = np.maximum(beyond, 0.0)
    reach = np.linalg.norm(out, axis=1)
    outside, safe = reach > 0.0, np.where(reach > 0.0, reach, 1.0)
    away = side * out / safe[:, None]
    face = np.argmax(beyond, axis=1)
    inner = np.zeros_like(local)
    rows = np.arange(len(p))
    inner[rows, face] = side[rows, face]
    normal = np.where(outside[:, None], away, inner)
    moved = np.where(out > 0.0, rate, 0.0)
    turn = np.where(outside[:, None], (moved - normal * np.sum(normal * moved, axis=1)[:, None]) / safe[:, None], 0.0)
    gap = np.where(outside, reach, beyond[rows, face])
    return gap, normal @ pose[:3, :3].T, turn @ pose[:3, :3].T


def _to_height_field(field: HeightField, p: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """To the tangent plane below the point; bilinear between the points of the grid, level beyond them."""
    h = np.asarray(field.heights)
    d = field.spacing
    x, y = (p[:, 0] - field.origin[0]) / d, (p[:, 1] - field.origin[1]) / d
    inside_x, inside_y = np.clip(x, 0, h.shape[1] - 1), np.clip(y, 0, h.shape[0] - 1)
    i, j = np.minimum(inside_x.astype(int), h.shape[1] - 2), np.minimum(inside_y.astype(int), h.shape[0] - 2)
    s, t = inside_x - i, inside_y - j
    a, b, c, e = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1]
    height = (1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * c + s * e)
    within_x, within_y = x == inside_x, y == inside_y
    slope_x = np.where(within_x, ((1 - t) * (b - a) + t * (e - c)) / d, 0.0)
    slope_y = np.where(within_y, ((1 - s) * (c - a) + s * (e - b)) / d, 0.0)
    twist = np.where(within_x & within_y, (a - b - c + e) / d**2, 0.0)
    scale = 1.0 / np.sqrt(1.0 + slope_x**2 + slope_y**2)
    normal = scale[:, None] * np.column_stack([-slope_x, -slope_y, np.ones_like(scale)])
    bend = scale[:, None] * np.column_stack([-twist * u[:, 1], -twist * u[:, 0], np.zeros_like(scale)])
    turn = bend - normal * np.sum(normal * bend, axis=1)[:, None]
    return scale * (p[:, 2] - height), normal, turn
