"""Distances of swept-sphere volumes, many pairs at once, Buschmann 2014 section 5.2.3."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError

PARTS = ("vertex 0", "vertex 1", "vertex 2", "edge 0", "edge 1", "edge 2", "face")
"""Parts of a generating primitive by number; edge k leads from vertex k to the next one."""

LARGEST = 1e50
"""Coordinates and radii must be smaller than this [m], so that products of six of them do not overflow."""

_BASE = 8  # kParts of native/geometry/candidates.hpp


class VolumeDistances(NamedTuple):
    """What `volume_distances` finds, for every pair (a, b).

    Attributes
    ----------
    distance : ndarray, shape (...)
        Of the surfaces [m], negative where the volumes overlap.
    point_a, point_b : ndarray, shape (..., 3), or None
        Nearest points of the surfaces, point_b = point_a + distance * normal [m].
    normal : ndarray, shape (..., 3), or None
        Unit vector from a to b: how the distance changes when b moves.
    features : ndarray of int, shape (..., 2), or None
        On which parts of both primitives the nearest points are, numbers of `PARTS`.
    """

    distance: FloatArray
    point_a: FloatArray | None
    point_b: FloatArray | None
    normal: FloatArray | None
    features: IntArray | None


def volume_distances(
    vertices_a: npt.ArrayLike,
    radius_a: npt.ArrayLike,
    vertices_b: npt.ArrayLike,
    radius_b: npt.ArrayLike,
    *,
    witnesses: bool = True,
    features: bool = False,
    threads: int = 1,
) -> VolumeDistances:
    """Signed distances of swept spheres of given kinds: points, lines and triangles, in all six combinations.

    The distance of two volumes is that of their generating primitives less both radii (Buschmann 2014, (5.35)-(5.48);
    (5.41) lacks a square, r of (5.46) is w, and edges that pierce a face are looked at, too, which the fifteen
    configurations of two triangles leave out). Degenerate primitives (coinciding vertices, triangles without area) are
    what they look like. Where several pairs of points are equally near, those in the middle are told: of parallel
    lines the middle of what they share, of triangles the mean of the corners of the nearest region. Where primitives
    touch or cross, the distance is -(radius_a + radius_b) and the normal is one across them: that of the second
    triangle, else of the first, else perpendicular to both lines, else to the one that has a length, else upwards;
    it leads to the side on which the centroid of b is.

    Parameters
    ----------
    vertices_a, vertices_b : array_like, shape (..., 1 | 2 | 3, 3)
        Of the generating primitives, all in one frame [m]. Batch axes broadcast.
    radius_a, radius_b : array_like, shape (...)
        [m]
    witnesses : bool
        Whether nearest points and normals are wanted, beside the distances.
    features : bool
        Whether parts of the primitives are wanted, too.
    threads : int
        Cores that a large batch may use.

    Returns
    -------
    VolumeDistances
    """
    a, b = _vertices("vertices_a", vertices_a), _vertices("vertices_b", vertices_b)
    r, s = _radii("radius_a", radius_a), _radii("radius_b", radius_b)
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 1024:
        raise ArgumentError(f"threads must be a whole number from 1 to 1024, not {threads!r}")
    shapes = {"vertices_a": a.shape[:-2], "radius_a": r.shape, "vertices_b": b.shape[:-2], "radius_b": s.shape}
    try:
        batch = np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"batch axes do not fit together: {told}") from None
    rows = math.prod(batch)
    flipped = a.shape[-2] > b.shape[-2]
    sides = [(_rows(a, batch, 2), _rows(r, batch, 0)), (_rows(b, batch, 2), _rows(s, batch, 0))]
    (first, first_radius), (second, second_radius) = reversed(sides) if flipped else sides
    distance = np.empty(rows)
    wanted = witnesses or features
    points: list[FloatArray | None] = [np.empty((rows, 3)) if wanted else None for _ in range(3)]
    parts = np.empty(rows) if features else None
    _native.volume_distances(first, first_radius, second, second_radius, (distance, *points, parts), threads)
    return _result(batch, flipped, distance, points, parts)


def _result(
    batch: tuple[int, ...],
    flipped: bool,
    distance: FloatArray,
    points: list[FloatArray | None],
    parts: FloatArray | None,
) -> VolumeDistances:
    """Arrays of all rows in the shape of the batch, with the sides in the order of the caller."""
    point_a, point_b, normal = (None if x is None else x.reshape(*batch, 3) for x in points)
    if flipped:
        point_a, point_b, normal = point_b, point_a, None if normal is None else -normal
    features = None
    if parts is not None:
        both = np.stack(np.divmod(parts.astype(np.int64), _BASE), axis=-1).reshape(*batch, 2)
        features = both[..., ::-1] if flipped else both
    return VolumeDistances(distance.reshape(batch), point_a, point_b, normal, features)


def _numbers(name: str, value: npt.ArrayLike) -> FloatArray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ShapeError(f"{name} is not a rectangular array: {error}") from None
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} has dtype {array.dtype}, expected real numbers")
    array = np.asarray(array, dtype=np.float64)
    if not (np.abs(array) < LARGEST).all():
        where = np.argwhere(~(np.abs(array) < LARGEST))[0].tolist()
        found = array[tuple(where)]
        raise NonFiniteError(f"{name} has the entry {found} at {where}; expected finite numbers below {LARGEST:g}")
    return array


def _vertices(name: str, value: npt.ArrayLike) -> FloatArray:
    array = _numbers(name, value)
    if array.ndim < 2 or array.shape[-1] != 3 or array.shape[-2] not in (1, 2, 3):
        raise ShapeError(f"{name} has shape {array.shape}, expected (..., 1, 3), (..., 2, 3) or (..., 3, 3)")
    return array


def _radii(name: str, value: npt.ArrayLike) -> FloatArray:
    array = _numbers(name, value)
    if (array < 0).any():
        raise ArgumentError(f"{name} has the entry {array[array < 0].flat[0]}; expected at least 0")
    return array


def _rows(array: FloatArray, batch: tuple[int, ...], own: int) -> FloatArray:
    """One row for each pair, or one row where all pairs have the same."""
    trailing = array.shape[array.ndim - own :]
    if array.size == math.prod(trailing):
        return np.ascontiguousarray(array.reshape(1, *trailing))
    return np.ascontiguousarray(np.broadcast_to(array, (*batch, *trailing)).reshape(-1, *trailing))
