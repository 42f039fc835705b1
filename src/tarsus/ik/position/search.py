"""Several starts of any method, for many targets at once."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.position.answer import EXHAUSTED, LIMITED, SOLVED, STUCK
from tarsus.ik.position.method import Method
from tarsus.ik.position.outcome import Outcome
from tarsus.ik.position.problem import Problem

FLAT = 1e-12
"""Relative fall of the error in one step below which the way down is flat."""
FLAT_STEPS = 8
"""Such steps in a row that end a start."""


class Search:
    """The best of several starts for every member of a batch."""

    def __init__(
        self, problem: Problem, method: type[Method], begin: FloatArray, tolerance: float, max_iterations: int
    ) -> None:
        self.problem, self.begin = problem, begin
        self.tolerance, self.max_iterations = tolerance, max_iterations
        self.method = method(problem, len(begin))
        self.outcome = Outcome.empty(begin)

    def run(self, postures: FloatArray, starts: int) -> Outcome:
        """As many starts as are needed: that given, then postures (k, nq), those with the least error first."""
        scores = np.zeros((len(self.begin), 0))
        for k in range(min(starts, 1 + len(postures))):
            rows = np.flatnonzero(self.outcome.status != SOLVED)
            if rows.size == 0:
                break
            if k == 1:
                scores = self._scores(postures)
            begin = self.begin[rows] if k == 0 else self._next(postures, scores, rows)
            self.method.restart(rows)
            self.outcome.starts[rows] += 1
            self._descend(begin, rows)
        return self.outcome

    def _at(self, postures: FloatArray, rows: IndexArray) -> FloatArray:
        """Postures with the base of the starts, inside the limits."""
        q = postures.copy()
        q[:, self.problem.kept] = self.begin[rows][:, self.problem.kept]
        return self.problem.inside(q)

    def _scores(self, postures: FloatArray) -> FloatArray:
        """Squared error of every member at every posture, shape (n, k)."""
        everyone = np.arange(len(self.begin))
        errors = [
            self.problem.error(self._at(np.broadcast_to(p, self.begin.shape), everyone), everyone) for p in postures
        ]
        return np.stack([np.sum(e * e, axis=-1) for e in errors], axis=-1)

    def _next(self, postures: FloatArray, scores: FloatArray, rows: IndexArray) -> FloatArray:
        """The posture of least error that has not been tried."""
        best = np.argmin(scores[rows], axis=-1)
        scores[rows, best] = np.inf
        return self._at(postures[best], rows)

    def _descend(self, q: FloatArray, rows: IndexArray) -> None:
        """From one start of each member to where the error vanishes or the way down ends."""
        e = self.problem.error(q, rows)
        flat = np.zeros(len(rows), dtype=int)
        for iteration in range(self.max_iterations + 1):
            solved = self._solved(q, rows)
            ended = np.zeros(len(rows), dtype=bool)
            if iteration < self.max_iterations and not solved.all():
                there, there_e, stuck = self.method.advance(q, e, rows)
                before, after = np.sum(e * e, axis=-1), np.sum(there_e * there_e, axis=-1)
                flat = np.where(after > (1 - FLAT) * before, flat + 1, 0)
                q, e = np.where(solved[:, None], q, there), np.where(solved[:, None], e, there_e)
                ended = (stuck | (flat >= FLAT_STEPS)) & ~solved
            done = solved | ended | (iteration == self.max_iterations)
            self._note(q[done], rows[done], solved[done], ended[done], iteration)
            q, e, rows, flat = q[~done], e[~done], rows[~done], flat[~done]
            if rows.size == 0:
                return

    def _solved(self, q: FloatArray, rows: IndexArray) -> BoolArray:
        asked = self.problem.asked(self.problem.plain_error(q, rows))
        return np.asarray((asked <= self.tolerance).all(axis=-1))

    def _note(self, q: FloatArray, rows: IndexArray, solved: BoolArray, ended: BoolArray, iteration: int) -> None:
        """Keep what is better than what other starts found."""
        if rows.size == 0:
            return
        asked = self.problem.asked(self.problem.plain_error(q, rows))
        residual = asked.max(axis=-1)
        better = residual < self.outcome.residual[rows]
        slope = np.einsum("nij,ni->nj", self.problem.jacobian(q, rows), self.problem.error(q, rows))
        limited = self.problem.held(q, slope).any(axis=-1)
        status = np.where(solved, SOLVED, np.where(ended, np.where(limited, LIMITED, STUCK), EXHAUSTED))
        kept = rows[better]
        self.outcome.q[kept], self.outcome.residual[kept] = q[better], residual[better]
        self.outcome.status[kept], self.outcome.iterations[kept] = status[better], iteration
        self.outcome.worst[kept] = asked[better].argmax(axis=-1)
