"""ProxQP: a proximal augmented-Lagrangian solver (Bambade, El-Kazdadi, Taylor and Carpentier 2022); extra `proxqp`."""

from __future__ import annotations

import numpy as np
from proxsuite import proxqp

from tarsus.arrays import BoolArray, FloatArray
from tarsus.optimization.backends import Claim
from tarsus.optimization.program import NO_BOUND, Program
from tarsus.optimization.solution import INACCURATE, INFEASIBLE, ITERATION_LIMIT, OPTIMAL, UNBOUNDED

ACCURACY = 1e-10
"""Absolute residuals at which ProxQP stops."""
_STATUS = {
    "PROXQP_SOLVED": OPTIMAL,
    "PROXQP_PRIMAL_INFEASIBLE": INFEASIBLE,
    "PROXQP_DUAL_INFEASIBLE": UNBOUNDED,
    "PROXQP_MAX_ITER_REACHED": ITERATION_LIMIT,
}
INACTIVE = 1e-12
"""Multipliers below this part of the largest one are zero: ProxQP only comes near it."""


class Solver:
    """ProxQP for one program: soft rows get a variable each, bounds are rows."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._equal: BoolArray | None = None
        self._qp: proxqp.dense.QP | None = None
        weights = program.weights
        self._soft = np.flatnonzero(np.isfinite(weights)) if weights is not None else np.zeros(0, dtype=np.intp)

    def solve(self, changed: set[str], warm: bool, limit: int) -> Claim:
        """Solve the program as it is now; see `tarsus.optimization.backends.Solver`."""
        program, n, soft = self._program, len(self._program.g), len(self._soft)
        rows = self._rows()
        equal = program.lower == program.upper
        H = np.zeros((n + soft, n + soft))
        H[:n, :n] = program.H
        if program.weights is not None:
            H[range(n, n + soft), range(n, n + soft)] = program.weights[self._soft]
        g = np.concatenate([program.g, np.zeros(soft)])
        lower, upper = (np.clip(b[~equal], -NO_BOUND, NO_BOUND) for b in (program.lower, program.upper))
        data = (H, g, rows[equal], program.lower[equal], rows[~equal], lower, upper)
        if not warm or self._qp is None or self._equal is None or (self._equal != equal).any():
            self._qp = proxqp.dense.QP(n + soft, int(equal.sum()), int((~equal).sum()))
            self._qp.settings.eps_abs, self._qp.settings.eps_rel = ACCURACY, 0.0
            self._qp.settings.initial_guess = proxqp.InitialGuess.WARM_START_WITH_PREVIOUS_RESULT
            self._equal = equal
            self._qp.settings.max_iter = limit
            self._qp.init(*data)
        else:
            self._qp.settings.max_iter = limit
            self._qp.update(*data)
        self._qp.solve()
        return self._claim(self._qp.results, equal)

    def _rows(self) -> FloatArray:
        program, n = self._program, len(self._program.g)
        count = len(program.lower)
        rows = np.zeros((count, n + len(self._soft)))
        first = n if program.bounded else 0
        rows[:first, :n] = np.eye(n)[:first]
        rows[first:, :n] = program.C
        rows[self._soft, np.arange(n, n + len(self._soft))] = -1.0
        return rows

    def _claim(self, results: proxqp.dense.Results, equal: BoolArray) -> Claim:
        told = str(results.info.status).rpartition(".")[2]
        multipliers = np.zeros(len(equal))
        multipliers[equal], multipliers[~equal] = results.y, results.z
        multipliers[np.abs(multipliers) <= INACTIVE * np.abs(multipliers).max(initial=0.0)] = 0.0
        x = np.array(results.x[: len(self._program.g)])
        return Claim(_STATUS.get(told, INACCURATE), x, multipliers, int(results.info.iter), told)
