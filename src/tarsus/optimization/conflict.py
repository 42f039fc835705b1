"""Small sets of rows that contradict each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus._native import ProgramCore
from tarsus.arrays import FloatArray
from tarsus.optimization.solution import INFEASIBLE, STATUSES

_LIMIT = 10_000
"""Changes of the active set after which a feasibility check gives up."""


@dataclass(frozen=True)
class Rows:
    """Rows lower <= C x <= upper among which there is a contradiction, and their numbers in the program."""

    numbers: tuple[int, ...]
    C: FloatArray
    lower: FloatArray
    upper: FloatArray

    def contradict(self, kept: list[int] | None = None) -> bool:
        """Whether no x fulfils the rows `kept`, or all of them: the point of least norm is looked for."""
        n = self.C.shape[1]
        kept = list(range(len(self.numbers))) if kept is None else kept
        C, lower, upper = (np.ascontiguousarray(a[kept]) for a in (self.C, self.lower, self.upper))
        core = ProgramCore(np.eye(n), np.zeros(n), C, lower, upper, None, False, 0)
        return STATUSES[core.solve(False, _LIMIT)[0]] == INFEASIBLE


def irreducible_rows(rows: Rows) -> tuple[int, ...]:
    """Numbers of rows of which any one could be left out to end the contradiction.

    Deletion filter (Chinneck and Dravnieks 1991): rows that are not needed for the contradiction leave one by one.
    Empty where the rows do not contradict each other.
    """
    kept = list(range(len(rows.numbers)))
    if not rows.contradict(kept):
        return ()
    for row in tuple(kept):
        rest = [i for i in kept if i != row]
        if rest and rows.contradict(rest):
            kept = rest
    return tuple(rows.numbers[i] for i in kept)
