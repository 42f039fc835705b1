"""A piece of a link that one volume is to enclose: its extreme balls, its axes, and where to start fitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.facets import Facets
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector

EXTREMES = 48
"""Directions in which the outermost balls of a piece are taken for fitting; the radius counts all of them."""
THINNEST = 1e-3
"""Thickness of flat boxes beside their length, so that flat ones are compared by their area."""


def spread_directions(count: int) -> FloatArray:
    """Unit vectors spread over the sphere along a spiral (Fibonacci lattice), and the six axes, shape (count, 3)."""
    k = np.arange(count - 6) + 0.5
    z, angle = 1.0 - 2.0 * k / (count - 6), np.pi * (1.0 + 5.0**0.5) * k
    ring = np.sqrt(1.0 - z * z)
    return np.concatenate([np.stack([ring * np.cos(angle), ring * np.sin(angle), z], -1), np.eye(3), -np.eye(3)])


_DIRECTIONS = spread_directions(EXTREMES)
_TURNS = np.stack(
    [
        rotation_matrix_from_rotation_vector(axis * angle)
        for axis in np.eye(3)
        for angle in np.radians([0.0, 15.0, 30.0, 45.0, 60.0, 75.0])
    ]
)
"""Rotations by which axes are tried, shape (18, 3, 3)."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Balls whose convex hull one volume is to enclose.

    Attributes
    ----------
    facets : Facets
    centers, radii : ndarray, shape (EXTREMES, 3) and (EXTREMES,)
        Outermost balls [m].
    axes : ndarray, shape (3, 3)
        Rows are the edges of a small box around the piece, the longest first.
    middle, extent : ndarray, shape (3,)
        Centre and edge lengths of that box [m].
    """

    facets: Facets
    centers: FloatArray
    radii: FloatArray
    axes: FloatArray
    middle: FloatArray
    extent: FloatArray


def pieces_of(several: Sequence[Facets]) -> list[Piece]:
    """The piece that each set of facets makes up."""
    if not several:
        return []
    centers, radii = np.empty((len(several), EXTREMES, 3)), np.empty((len(several), EXTREMES))
    for k, facets in enumerate(several):
        balls, thickness = facets.corners.reshape(-1, 3), np.repeat(facets.radius, 3)
        outermost = np.argmax(balls @ _DIRECTIONS.T + thickness[:, None], axis=0)
        centers[k], radii[k] = balls[outermost], thickness[outermost]
    boxes = zip(*_boxes(centers, radii), strict=True)
    return [Piece(f, c, r, *box) for f, c, r, box in zip(several, centers, radii, boxes, strict=True)]


def _boxes(centers: FloatArray, radii: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axes (rows), centres and edge lengths of small boxes around sets of balls, (b, n, 3) and (b, n)."""
    spread = centers - centers.mean(axis=1, keepdims=True)
    principal = np.swapaxes(np.linalg.eigh(np.swapaxes(spread, 1, 2) @ spread)[1], 1, 2)
    own = np.broadcast_to(np.eye(3), (len(centers), 1, 3, 3))
    tried = np.concatenate([own, _TURNS @ principal[:, None]], axis=1)
    along = tried @ np.swapaxes(centers, 1, 2)[:, None]  # set, rotation, axis, ball
    low, high = (along - radii[:, None, None]).min(axis=-1), (along + radii[:, None, None]).max(axis=-1)
    size = high - low
    volume = np.maximum(size, THINNEST * size.max(axis=-1, keepdims=True)).prod(axis=-1)
    smallest = np.maximum(volume.min(axis=1, keepdims=True), np.finfo(float).tiny)
    best = np.argmin(np.round(volume / smallest, 6), axis=1)  # of equal ones those of the link
    rows = np.arange(len(centers))
    axes, low, high = tried[rows, best], low[rows, best], high[rows, best]
    order = np.argsort(low - high, axis=1, kind="stable")
    axes = axes[rows[:, None], order]
    low, high = (np.take_along_axis(bound, order, axis=1) for bound in (low, high))
    return axes, np.einsum("bi,bij->bj", (low + high) / 2.0, axes), high - low


def starts(pieces: Sequence[Piece]) -> FloatArray:
    """Triangles to start from, shape (b, 3, 3, 3): a line, the widest triangle between the balls, and that one turned.

    The line lies along the longest axis, with its third corner aside; the triangles lie across the shortest axis.
    """
    extent, axes = np.stack([p.extent for p in pieces]), np.stack([p.axes for p in pieces])
    middle, rows = np.stack([p.middle for p in pieces]), np.arange(len(pieces))
    a, b, c = extent.T
    half, side = np.maximum(a - b, 0.02 * a) / 2.0, np.maximum(b - c, 0.02 * b) / 2.0
    along, across = half[:, None] * axes[:, 0], side[:, None] * axes[:, 1]
    line = middle[:, None] + np.stack([-along, along, across], axis=1)
    flat = (np.stack([p.centers for p in pieces]) - middle[:, None]) @ np.swapaxes(axes[:, :2], 1, 2)
    first = flat[rows, np.argmax(np.sum((flat - flat.mean(axis=1, keepdims=True)) ** 2, axis=2), axis=1)]
    second = flat[rows, np.argmax(np.sum((flat - first[:, None]) ** 2, axis=2), axis=1)]
    edge = second - first
    beside = np.einsum("bni,bi->bn", flat - first[:, None], np.stack([-edge[:, 1], edge[:, 0]], axis=1))
    third = flat[rows, np.argmax(np.abs(beside), axis=1)]
    corners = np.stack([first, second, third], axis=1)
    center = corners.mean(axis=1, keepdims=True)
    shrunk = np.maximum(1.0 - c / np.maximum(b, 1e-300), 0.1)[:, None, None]
    wide = middle[:, None] + (center + (corners - center) * shrunk) @ axes[:, :2]
    return np.stack([line, wide, 2.0 * middle[:, None] - wide], axis=1)
