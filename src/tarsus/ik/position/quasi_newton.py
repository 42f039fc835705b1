"""Quasi-Newton (Broyden, Fletcher, Goldfarb, Shanno) for position-level inverse kinematics."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.position.method import LineSearch
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.steepest_descent import best_length


class QuasiNewton(LineSearch):
    """An inverse Hessian of 1/2 |e|^2 that is learned from how gradients change."""

    name = "quasi-newton"

    def __init__(self, problem: Problem, count: int) -> None:
        super().__init__(problem, count)
        self._inverse = np.tile(np.eye(problem.model.nv), (count, 1, 1))
        self._slope = np.zeros((count, problem.model.nv))
        self._q = np.zeros((count, problem.model.nq))
        self._known = np.zeros(count, dtype=bool)

    def restart(self, rows: IndexArray) -> None:
        """Begin with the gradient."""
        self._inverse[rows], self._known[rows] = np.eye(self.problem.model.nv), False

    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Inverse Hessian times the slope; the first time the slope itself, as long as the linearised errors fall."""
        slope, known = np.einsum("nij,ni->nj", J, e), self._known[rows]
        self._learn(q, slope, rows, known)
        way = (self._inverse[rows] @ slope[..., None])[..., 0]
        # What is held at a limit takes no part; without a way down the method begins anew.
        way = np.where(np.any(J != 0, axis=-2), way, 0.0)
        anew = (np.sum(way * slope, axis=-1) <= 0) | ~known
        self._inverse[rows[anew]] = np.eye(self.problem.model.nv)
        way[anew] = (best_length(J, e, slope) * slope)[anew]
        self._slope[rows], self._q[rows], self._known[rows] = slope, q, True
        return way

    def _learn(self, q: FloatArray, slope: FloatArray, rows: IndexArray, known: BoolArray) -> None:
        """H becomes (1 - s y^T/r) H (1 - y s^T/r) + s s^T/r with s the last step, y the change of gradient, r = s.y."""
        if not known.any():
            return
        rows, now = rows[known], slope[known]
        s = self.problem.model.difference(self._q[rows], q[known])
        y = self._slope[rows] - now
        r = np.sum(s * y, axis=-1)
        curved = r > 1e-12 * np.linalg.norm(s, axis=-1) * np.linalg.norm(y, axis=-1)
        rows, s, y, r = rows[curved], s[curved], y[curved], r[curved]
        left = np.eye(s.shape[-1]) - s[:, :, None] * y[:, None, :] / r[:, None, None]
        self._inverse[rows] = (
            left @ self._inverse[rows] @ np.swapaxes(left, -1, -2) + s[:, :, None] * s[:, None, :] / r[:, None, None]
        )
