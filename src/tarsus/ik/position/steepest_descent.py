"""Steepest descent, Buschmann 2014 (5.23), with the step that the linearised errors ask for."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.ik.position.method import LineSearch


def best_length(J: FloatArray, e: FloatArray, way: FloatArray) -> FloatArray:
    """Factor of `way`, shape (n, 1), at which |e - J way| is least."""
    along = (J @ way[..., None])[..., 0]
    square = np.sum(along * along, axis=-1)
    factor: FloatArray = np.sum(along * e, axis=-1) / np.maximum(square, np.finfo(float).tiny)
    return factor[:, None]


class SteepestDescent(LineSearch):
    """J^T e, as long as the linearised errors fall."""

    name = "steepest-descent"

    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Down the gradient."""
        slope: FloatArray = np.einsum("nij,ni->nj", J, e)
        return best_length(J, e, slope) * slope
