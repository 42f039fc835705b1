"""Conjugate gradients (Polak and Ribiere) for position-level inverse kinematics, after Ayusawa and Nakamura 2012."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.ik.position.method import LineSearch
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.steepest_descent import best_length


class ConjugateGradient(LineSearch):
    """The gradient, turned away from the last direction; begun anew where that would not lead down."""

    name = "conjugate-gradient"

    def __init__(self, problem: Problem, count: int) -> None:
        super().__init__(problem, count)
        self._slope = np.zeros((count, problem.model.nv))
        self._way = np.zeros((count, problem.model.nv))

    def restart(self, rows: IndexArray) -> None:
        """Forget the last direction."""
        self._slope[rows] = self._way[rows] = 0.0

    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Slope plus beta times the last way, beta = slope . (slope - last slope) / |last slope|^2, at least zero."""
        slope: FloatArray = np.einsum("nij,ni->nj", J, e)
        last = self._slope[rows]
        square = np.sum(last * last, axis=-1)
        beta = np.maximum(0.0, np.sum(slope * (slope - last), axis=-1)) / np.where(square > 0, square, np.inf)
        way: FloatArray = slope + beta[:, None] * self._way[rows]
        uphill = np.sum(slope * way, axis=-1) <= 0
        way[uphill] = slope[uphill]
        self._slope[rows], self._way[rows] = slope, way
        return best_length(J, e, way) * way
