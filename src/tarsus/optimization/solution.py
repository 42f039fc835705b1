"""What became of a quadratic program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tarsus.arrays import AnyArray, FloatArray
from tarsus.errors import ArgumentError
from tarsus.optimization.dependent_rows import dependent_rows

if TYPE_CHECKING:
    from tarsus.optimization.conflict import Rows

OPTIMAL, INFEASIBLE, UNBOUNDED, ITERATION_LIMIT, INACCURATE = STATUSES = (
    "optimal",
    "infeasible",
    "unbounded",
    "iteration-limit",
    "inaccurate",
)
"""In the order of the native core's numbers."""

_REASONS = {
    OPTIMAL: "all rows hold and no direction leads further down",
    INFEASIBLE: "rows contradict each other",
    UNBOUNDED: "the objective falls for ever along a direction that no row bounds",
    ITERATION_LIMIT: "the cap on iterations was reached; x is the last point",
    INACCURATE: "rounding kept the residuals above their tolerance; x is the best point found",
}


class Residuals(NamedTuple):
    """How far a point is from the conditions of optimality, in units of the program.

    Attributes
    ----------
    primal : float
        Largest violation of a hard row or bound.
    dual : float
        Largest entry of H x + g + A^T multipliers + E^T equality_multipliers + bound_multipliers.
    complementarity : float
        Largest product of a multiplier and the distance to its bound.
    """

    primal: float
    dual: float
    complementarity: float


class RowNames(NamedTuple):
    """Names of the rows of a program, as they were given; generic ones where they were not."""

    variables: Sequence[str] | None
    rows: Sequence[str] | None
    equalities: Sequence[str] | None
    bounds: int
    """How many bounds of variables are counted before the rows."""
    general: int

    def __call__(self, index: int) -> str:
        """Name of a row, counted through bounds, rows and equalities."""
        if index < self.bounds:
            return f"bound of {self.variables[index] if self.variables else f'x[{index}]'}"
        index -= self.bounds
        if index < self.general:
            return self.rows[index] if self.rows else f"row {index}"
        index -= self.general
        return self.equalities[index] if self.equalities else f"equality {index}"


class Solution:
    """Result of `QP.solve`.

    Multipliers are those of ``H x + g + A^T multipliers + E^T equality_multipliers + bound_multipliers = 0``: positive
    where an upper bound holds x back, negative where a lower one does. They are zero for rows that are not active.

    Attributes
    ----------
    status : {"optimal", "infeasible", "unbounded", "iteration-limit", "inaccurate"}
    x : ndarray, shape (n,)
        The optimum; NaN where there is none (infeasible, unbounded); the last point under "iteration-limit" and
        "inaccurate".
    objective : float
        1/2 x^T H x + g^T x at x; soft rows are not counted.
    iterations : int
        Changes of the active set, or what the backend counts.
    backend : str
        Who found it: the backend that was asked for, or "native" where that one failed; `reason` tells why.
    residuals : Residuals
    """

    __slots__ = (
        "_all_multipliers",
        "_equalities",
        "_names",
        "_note",
        "_sides",
        "_trouble",
        "_weights",
        "backend",
        "iterations",
        "objective",
        "residuals",
        "status",
        "x",
    )

    def __init__(
        self,
        status: str,
        x: FloatArray,
        multipliers: FloatArray,
        sides: AnyArray,
        iterations: int,
        objective: float,
        residuals: Residuals,
        backend: str,
        names: RowNames,
        weights: FloatArray | None,
        equalities: FloatArray | None,
        note: str = "",
        trouble: Rows | None = None,
    ) -> None:
        self.status = status
        self.x = x
        self._all_multipliers = multipliers
        self._sides = sides
        self.iterations = iterations
        self.objective = objective
        self.residuals = residuals
        self.backend = backend
        self._names = names
        self._weights = weights
        self._equalities = equalities
        self._note = note
        self._trouble = trouble

    @property
    def success(self) -> bool:
        """Whether x is the optimum."""
        return self.status == OPTIMAL

    def _part(self, array: AnyArray, which: int) -> AnyArray:
        first, general = self._names.bounds, self._names.general
        cuts = (slice(0, first), slice(first, first + general), slice(first + general, None))
        return array[cuts[which]]

    @property
    def multipliers(self) -> FloatArray:
        """Multipliers of the rows of A, shape (m,); where the program is infeasible, those of the contradiction."""
        return self._part(self._all_multipliers, 1)

    @property
    def bound_multipliers(self) -> FloatArray:
        """Multipliers of the bounds of x, shape (n,), or (0,) without bounds."""
        return self._part(self._all_multipliers, 0)

    @property
    def equality_multipliers(self) -> FloatArray:
        """Multipliers of the rows of E, shape (k,); zero for rows that depend on others."""
        return self._part(self._all_multipliers, 2)

    @property
    def active(self) -> AnyArray:
        """Rows of A that hold x back: 1 at the upper bound, -1 at the lower one, 0 otherwise; shape (m,), int8."""
        return self._part(self._sides, 1)

    @property
    def active_bounds(self) -> AnyArray:
        """The same of the bounds of x, shape (n,), or (0,) without bounds."""
        return self._part(self._sides, 0)

    @property
    def slack(self) -> FloatArray:
        """By how much rows of A are missed, shape (m,): positive above the upper bound, negative below the lower one.

        Zero for hard rows, and for soft ones that hold.
        """
        if self._weights is None:
            return np.zeros(self._names.general)
        return np.asarray(self.multipliers / self._part(self._weights, 1))

    @property
    def removed(self) -> tuple[str, ...]:
        """Names of equality rows of E that depend on others, and say the same: they were left out."""
        if self.status != OPTIMAL or self._equalities is None:
            return ()
        start = self._names.bounds + self._names.general
        return tuple(self._names(start + i) for i in dependent_rows(self._equalities))

    @property
    def conflict(self) -> tuple[str, ...]:
        """Names of rows that cannot hold together, where the program is infeasible; empty otherwise.

        The set is irreducible: without any one of these rows, the others can hold.
        """
        if self._trouble is None:
            return ()
        from tarsus.optimization.conflict import irreducible_rows

        return tuple(self._names(i) for i in irreducible_rows(self._trouble))

    @property
    def reason(self) -> str:
        """Why the solver stopped, in words."""
        text = _REASONS[self.status]
        if self.status == INFEASIBLE and self._trouble is not None:
            text += ": " + ", ".join(self.conflict)
        elif self.status == INACCURATE:
            text += f" (primal {self.residuals.primal:.1e}, dual {self.residuals.dual:.1e})"
        if self.status == OPTIMAL and self.removed:
            text += f"; depends on other equalities: {', '.join(self.removed)}"
        return f"{text}; {self._note}" if self._note else text

    def require(self) -> FloatArray:
        """Return x where it is the optimum; otherwise raise an `ArgumentError` that says why there is none."""
        if self.status != OPTIMAL:
            raise ArgumentError(f"the quadratic program is {self.status}: {self.reason}")
        return self.x

    def _carried(self) -> Any:
        """Sides of all rows, for warm starts of another program."""
        return self._sides

    def __repr__(self) -> str:
        with np.printoptions(precision=4, threshold=12):
            return f"Solution({self.status}, x={self.x}, objective={self.objective:.6g}, backend={self.backend!r})"
