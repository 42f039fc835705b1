"""DAQP: a dual active-set solver (Arnstrom, Bemporad and Axehill 2022), called through its workspace."""

from __future__ import annotations

from ctypes import c_int
from typing import Any

import daqp
import numpy as np

from tarsus.arrays import AnyArray
from tarsus.optimization.backends import Claim
from tarsus.optimization.dependent_rows import dependent_rows
from tarsus.optimization.program import Program
from tarsus.optimization.solution import INACCURATE, INFEASIBLE, ITERATION_LIMIT, OPTIMAL, UNBOUNDED

ACTIVE, LOWER, IMMUTABLE, EQUALITY, SOFT = 1, 2, 4, 5, 8
"""Bits of DAQP's `sense`; an equality is active and immutable, a row that is immutable only is left out."""
_FLAGS = {
    2: (OPTIMAL, "soft optimal"),
    1: (OPTIMAL, "optimal"),
    -1: (INFEASIBLE, "infeasible"),
    -2: (INACCURATE, "cycling"),
    -3: (UNBOUNDED, "unbounded"),
    -4: (ITERATION_LIMIT, "iteration limit"),
    -5: (INACCURATE, "not convex"),
    -6: (INFEASIBLE, "overdetermined"),
}
PRIMAL_TOLERANCE = 1e-10
"""Of rows, instead of DAQP's 1e-6, so that its answers are as good as those of the native solver."""


class Solver:
    """DAQP's workspace for one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._model: Any = None
        self._limit = 0
        self._equal = program.lower == program.upper
        self._left_out: AnyArray = np.zeros(0, dtype=np.intp)

    def _sense(self, warm: bool) -> AnyArray:
        program = self._program
        sense = np.where(self._equal, EQUALITY, 0)
        if warm:
            sides = program.sides
            sense |= np.where(sides > 0, ACTIVE, np.where(sides < 0, ACTIVE | LOWER, 0))
        if program.weights is not None:
            sense |= np.where(np.isfinite(program.weights), SOFT, 0)
        sense[self._left_out] = IMMUTABLE
        return sense.astype(c_int)

    def _set_up(self, warm: bool) -> int:
        program = self._program
        self._model = daqp.Model()
        self._model.settings = {"primal_tol": PRIMAL_TOLERANCE}
        self._limit = 0
        flag = self._model.setup(program.H, program.g, program.C, program.upper, program.lower, self._sense(warm))
        if program.weights is not None:
            share = 1.0 / program.weights
            self._model.soft_weights(rho_l=share, rho_u=share)
        return int(flag[0])

    def solve(self, changed: set[str], warm: bool, limit: int) -> Claim:
        """Solve the program as it is now; see `tarsus.optimization.backends.Solver`.

        Equalities that depend on others may look contradictory to DAQP by rounding. Where it fails, they are looked for
        and left out, from then on; whether the answer fulfils them is checked by who asked.
        """
        claim = self._solve(changed, warm, limit)
        if claim.status == OPTIMAL or self._equal.sum() < 2:
            return claim
        found = self._dependent()
        if np.array_equal(found, self._left_out):
            return claim
        self._left_out = found
        return self._solve(changed, False, limit)

    def _dependent(self) -> AnyArray:
        """Numbers of hard equalities that depend on earlier ones."""
        program, weights = self._program, self._program.weights
        hard = self._equal if weights is None else self._equal & np.isinf(weights)
        numbers = np.flatnonzero(hard)
        return numbers[dependent_rows(program.rows_of(numbers).C)]

    def _solve(self, changed: set[str], warm: bool, limit: int) -> Claim:
        program = self._program
        if self._model is None:
            flag = self._set_up(warm)
        else:
            bounds, keeps = "bounds" in changed, warm and program.sides_of == "daqp"
            if bounds:
                equal = program.lower == program.upper
                keeps = keeps and equal.tobytes() == self._equal.tobytes()  # the fastest comparison
                self._equal = equal
            flag = self._model.update(
                program.H if "H" in changed else None,
                program.g if "g" in changed else None,
                program.C if "C" in changed else None,
                program.upper if bounds else None,
                program.lower if bounds else None,
                None if keeps else self._sense(warm),  # without a sense, DAQP begins with what it has
            )
        if flag < 0:
            self._model = None
            return self._claim(flag, np.zeros(len(program.g)), np.zeros(len(program.lower)), 0)
        if limit != self._limit:
            self._model.settings = {"iter_limit": limit}
            self._limit = limit
        x, _, flag, info = self._model.solve()
        claim = self._claim(flag, x, info["lam"], info["iterations"])
        if claim.status != OPTIMAL:
            self._model = None  # what it holds is not to be begun with
        return claim

    @staticmethod
    def _claim(flag: int, x: AnyArray, multipliers: AnyArray, iterations: int) -> Claim:
        status, told = _FLAGS.get(int(flag), (INACCURATE, f"exit flag {flag}"))
        return Claim(status, x, multipliers, iterations, told)
