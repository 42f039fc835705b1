"""Levenberg-Marquardt for position-level inverse kinematics, the default."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.position.method import Method, square
from tarsus.ik.position.problem import Problem

START, LEAST, MOST = 1e-2, 1e-9, 1e6
"""Damping as a share of |e|^2: the first, the smallest, and that beyond which there is no way down."""
EASIER, HARDER = 0.25, 4.0
"""What damping is multiplied by after a step that leads down, and after one that does not."""
FLOOR = 1e-14
"""Of the damping itself: keeps the equations regular where the error is gone."""


class LevenbergMarquardt(Method):
    """(J J^T + k |e|^2 + floor) y = e, way = J^T y: damped least squares (Buschmann 2014 (5.21)-(5.22)).

    Damping that falls with the square of the error keeps Newton's speed near the solution and is large where the error
    is (Sugihara 2011); its factor k is adapted by success. A joint at a limit that the way would leave is held, and the
    equations are solved again without it.
    """

    name = "levenberg-marquardt"

    def __init__(self, problem: Problem, count: int) -> None:
        super().__init__(problem, count)
        self._factor = np.full(count, START)

    def restart(self, rows: IndexArray) -> None:
        """Begin with the first damping."""
        self._factor[rows] = START

    def advance(self, q: FloatArray, e: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """One damped step; where it does not lead down it is taken back, and damping grows."""
        start = square(e)
        J = self.problem.jacobian(q, rows)
        way = self._way(q, e, J, 2 * start * self._factor[rows] + FLOOR)
        there = self.problem.moved(q, way)
        there_e = self.problem.error(there, rows)
        good = square(there_e) < start
        self._factor[rows] = np.clip(self._factor[rows] * np.where(good, EASIER, HARDER), LEAST, 2 * MOST)
        result, result_e = np.where(good[:, None], there, q), np.where(good[:, None], there_e, e)
        return result, result_e, self._factor[rows] > MOST

    def _way(self, q: FloatArray, e: FloatArray, J: FloatArray, damping: FloatArray) -> FloatArray:
        """Damped step, solved again without joints that it would drive out of their limits."""
        held = np.zeros((len(q), J.shape[-1]), dtype=bool)
        for _ in range(2):
            free = np.where(held[:, None, :], 0.0, J)
            B = free @ np.swapaxes(free, -1, -2) + damping[:, None, None] * np.eye(J.shape[-2])
            way: FloatArray = np.einsum("nij,ni->nj", free, np.linalg.solve(B, e[..., None])[..., 0])
            leaving = self.problem.held(q, way)
            if not (leaving & ~held).any():
                break
            held |= leaving
        return np.where(held, 0.0, way)
