"""What the methods of position-level inverse kinematics share: one step for many targets at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.position.problem import Problem

HALVINGS = 12
"""Of a step along a direction, before it counts as no way down."""
SUFFICIENT = 1e-4
"""Share of the decrease that the slope promises which a step must bring (Armijo)."""


def square(e: FloatArray) -> FloatArray:
    """Half of |e|^2, shape (n,)."""
    half: FloatArray = 0.5 * np.sum(e * e, axis=-1)
    return half


class Method(ABC):
    """One way down 1/2 |e|^2. It remembers what it needs of every member of the batch."""

    name: ClassVar[str]

    def __init__(self, problem: Problem, count: int) -> None:
        self.problem, self.count = problem, count

    @abstractmethod
    def advance(self, q: FloatArray, e: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """One step.

        Parameters
        ----------
        q : ndarray, shape (n, nq)
        e : ndarray, shape (n, m)
            Weighted errors there.
        rows : ndarray, shape (n,)
            Which members of the batch these are.

        Returns
        -------
        q, e : ndarray
            Where the step leads, the same where there is none.
        stuck : ndarray, shape (n,)
            Members for which no way leads down.
        """

    def restart(self, rows: IndexArray) -> None:  # noqa: B027 (most methods forget nothing)
        """Forget members of the batch that begin anew."""


class LineSearch(Method):
    """A direction, and the longest of its halves that leads down enough."""

    @abstractmethod
    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Way to try, shape (n, nv), for a Jacobian (n, m, nv) whose columns at limits are zero."""

    def advance(self, q: FloatArray, e: FloatArray, rows: IndexArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """One step along the direction."""
        problem = self.problem
        J = problem.jacobian(q, rows)
        slope = np.einsum("nij,ni->nj", J, e)  # downhill
        J = np.where(problem.held(q, slope)[:, None, :], 0.0, J)
        way = self.direction(q, e, J, rows)
        J = np.where(problem.held(q, way)[:, None, :], 0.0, J)
        way = np.where(problem.held(q, way), 0.0, way)
        promised = np.einsum("nij,ni,nj->n", J, e, way)
        down = promised > 0
        return self._searched(q, e, way, promised, down, rows)

    def _searched(
        self, q: FloatArray, e: FloatArray, way: FloatArray, promised: FloatArray, down: BoolArray, rows: IndexArray
    ) -> tuple[FloatArray, FloatArray, BoolArray]:
        """The first of the halved steps that brings enough."""
        result, result_e, start = q.copy(), e.copy(), square(e)
        open_ = np.flatnonzero(down)
        length = 1.0
        for _ in range(HALVINGS):
            if open_.size == 0:
                break
            there = self.problem.moved(q[open_], length * way[open_])
            there_e = self.problem.error(there, rows[open_])
            good = square(there_e) <= start[open_] - SUFFICIENT * length * promised[open_]
            result[open_[good]], result_e[open_[good]] = there[good], there_e[good]
            open_ = open_[~good]
            length *= 0.5
        stuck = ~down
        stuck[open_] = True
        return result, result_e, stuck
