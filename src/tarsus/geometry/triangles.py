"""Triangles that share vertices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import FloatArray, IndexArray, IntArray
from tarsus.geometry.paint import Paint


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Triangles with shared vertices; vertices without triangles are a cloud of points.

    Attributes
    ----------
    vertices : ndarray, shape (n, 3)
        For a mesh before `Mesh.scale` is applied [m].
    faces : ndarray of int, shape (m, 3)
        Vertices at the corners of each triangle.
    first : int or None
        Triangles of the first object, where the file has several; they come before the others.
    paint : Paint or None
        Colours, where the file has any.
    parts : tuple of (str, int)
        Names of the parts of the file and how many triangles each has, in their order; empty where it has no names.
    """

    vertices: FloatArray
    faces: IndexArray
    first: int | None = None
    paint: Paint | None = None
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory taken [bytes]."""
        return self.vertices.nbytes + self.faces.nbytes + (0 if self.paint is None else self.paint.nbytes)


def part_of(triangles: Triangles, name: str) -> Triangles | None:
    """Triangles of all parts of a name, with the vertices they use; None if there are none."""
    chosen = np.repeat([part == name for part, _ in triangles.parts], [count for _, count in triangles.parts])
    kept = np.flatnonzero(chosen) if len(chosen) == len(triangles.faces) else np.zeros(0, dtype=np.intp)
    if len(kept) == 0:
        return None
    used, faces = np.unique(triangles.faces[kept], return_inverse=True)
    paint = triangles.paint
    if paint is not None:
        paint = replace(paint, material=paint.material[kept], uv=None if paint.uv is None else paint.uv[kept])
    return Triangles(triangles.vertices[used], faces.reshape(-1, 3), paint=paint)


def fans(corners: IntArray, sizes: IntArray) -> IndexArray:
    """Cut polygons into fans of triangles about their first corners.

    Parameters
    ----------
    corners : ndarray of int, shape (sum of sizes,)
        Vertices of the polygons, one polygon after the other.
    sizes : ndarray of int, shape (k,)
        Corners of each polygon; those with fewer than three give no triangle.

    Returns
    -------
    faces : ndarray of int, shape (m, 3)
    """
    points: IndexArray = np.asarray(corners, dtype=np.intp)
    if (sizes == 3).all():
        return points.reshape(-1, 3)
    count = np.maximum(sizes - 2, 0)
    first = np.repeat(np.cumsum(sizes) - sizes, count)
    step = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    return np.stack([points[first], points[first + step + 1], points[first + step + 2]], axis=-1)


def cut(points: FloatArray, corners: IntArray, sizes: IntArray) -> IndexArray:
    """Cut polygons into triangles: quadrilaterals along the shorter diagonal, larger ones into fans.

    Diagonals are compared in single precision, and the second one is taken where they are equal, as tinyobjloader does,
    through which MuJoCo and others read OBJ files: a quadrilateral that is not flat encloses another volume if it is
    cut along its other diagonal.

    Parameters
    ----------
    points : ndarray, shape (n, 3)
    corners, sizes : ndarray of int
        As for `fans`.

    Returns
    -------
    places : ndarray of int, shape (m, 3)
        Places in `corners` of the corners of each triangle.
    """
    order = np.arange(len(corners), dtype=np.intp)
    starts = (np.cumsum(sizes) - sizes)[sizes == 4]
    if len(starts):
        places = starts[:, None] + np.arange(4)
        quads = np.asarray(corners)[places]
        with np.errstate(over="ignore", invalid="ignore"):
            single = points.astype(np.float32)
            first, second = (single[quads[:, k + 2]] - single[quads[:, k]] for k in (0, 1))
            turned = ~((first * first).sum(axis=1) < (second * second).sum(axis=1))
        order[places[turned]] = np.roll(places[turned], -1, axis=1)
    return fans(order, sizes)


def merged(triangles: Triangles) -> Triangles:
    """Triangles with vertices of equal bits merged."""
    vertices = triangles.vertices
    rows = np.ascontiguousarray(vertices).view(np.dtype((np.void, 3 * vertices.itemsize))).ravel()
    _, first, label = np.unique(rows, return_index=True, return_inverse=True)
    return Triangles(vertices[first], label.reshape(-1)[triangles.faces].astype(np.intp))
