"""Which triangle is seen at which pixel: a depth buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray

Int32Array = npt.NDArray[np.int32]


class Raster(NamedTuple):
    """What every pixel shows.

    Attributes
    ----------
    triangle : ndarray of int32, shape (height, width)
        Index of the nearest triangle, -1 where there is none; of two at the same depth the later one.
    depth : ndarray, shape (height, width)
        Infinite where there is nothing.
    """

    triangle: Int32Array
    depth: FloatArray


def rasterise(points: FloatArray, faces: Int32Array, width: int, height: int) -> Raster:
    """Nearest triangle at the centre of every pixel.

    Parameters
    ----------
    points : ndarray, shape (n, 3)
        Column, row, depth; pixel (i, j) has its centre at (i + 0.5, j + 0.5).
    faces : ndarray of int32, shape (m, 3)
        Points at the corners of the triangles.
    width, height : int
    """
    triangle, depth = _native.rasterise(mesh_tables(points, faces, width, height))
    return Raster(triangle, depth)


def mesh_tables(points: FloatArray, faces: Int32Array, width: int, height: int) -> dict[str, Any]:
    """Triangles and the size of their picture as the native functions take them."""
    return {
        "points": np.ascontiguousarray(points, dtype=float),
        "point_count": len(points),
        "faces": np.ascontiguousarray(faces, dtype=np.int32),
        "triangle_count": len(faces),
        "width": width,
        "height": height,
    }
