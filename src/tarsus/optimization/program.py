"""A quadratic program as backends see it: all rows in one matrix."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus._native import ProgramCore
from tarsus.arrays import AnyArray, FloatArray
from tarsus.optimization.conflict import Rows
from tarsus.optimization.solution import RowNames

NO_BOUND = 1e20
"""Bounds from here on are none."""


@dataclass
class Program:
    """Minimise 1/2 x^T H x + g^T x with lower <= (x; C x) <= upper.

    Attributes
    ----------
    H, g : ndarray, shape (n, n), (n,)
    C : ndarray, shape (m + k, n)
        General rows, then equalities.
    lower, upper : ndarray, shape (rows,)
        Of all rows: bounds of x first where `bounded`, then those of C. Equal for equalities.
    weights : ndarray, shape (rows,), or None
        Weights of soft rows, infinite for hard ones; None where all are hard.
    bounded : bool
    equalities : int
        Rows at the end of C that are equalities by themselves (k).
    names : RowNames
    sides : ndarray of int8, shape (rows,)
        What was active in the last solution.
    sides_of : str
        The backend that found them.
    core : ProgramCore
        The native program, which works on these arrays.
    """

    H: FloatArray
    g: FloatArray
    C: FloatArray
    lower: FloatArray
    upper: FloatArray
    weights: FloatArray | None
    bounded: bool
    equalities: int
    names: RowNames
    sides: AnyArray = field(init=False)
    sides_of: str = field(default="", init=False)
    core: ProgramCore = field(init=False)

    def __post_init__(self) -> None:
        self.sides = np.zeros(len(self.lower), dtype=np.int8)
        self.core = ProgramCore(
            self.H, self.g, self.C, self.lower, self.upper, self.weights, self.bounded, self.equalities
        )

    def equality_rows(self) -> FloatArray | None:
        """A copy of the rows that are equalities by themselves; None for less than two, which cannot depend."""
        return self.C[len(self.C) - self.equalities :].copy() if self.equalities > 1 else None

    def rows_of(self, numbers: AnyArray) -> Rows:
        """A copy of some rows, bounds of x as rows."""
        first = len(self.g) if self.bounded else 0
        C = np.zeros((len(numbers), len(self.g)))
        for k, i in enumerate(numbers):
            if i < first:
                C[k, i] = 1.0
            else:
                C[k] = self.C[i - first]
        return Rows(tuple(int(i) for i in numbers), C, self.lower[numbers], self.upper[numbers])
