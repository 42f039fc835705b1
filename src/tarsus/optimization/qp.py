"""Convex quadratic programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from tarsus.arrays import AnyArray, FloatArray, read_only
from tarsus.errors import ArgumentError, ShapeError
from tarsus.optimization.arguments import (
    read_array,
    read_names,
    refuse_bad_bounds,
    refuse_non_convex,
    refuse_non_finite,
)
from tarsus.optimization.backends import solver_type
from tarsus.optimization.program import Program
from tarsus.optimization.solution import (
    INACCURATE,
    INFEASIBLE,
    OPTIMAL,
    STATUSES,
    UNBOUNDED,
    Residuals,
    RowNames,
    Solution,
)

if TYPE_CHECKING:
    from tarsus.optimization.backends import Claim, Solver

ACCEPTED = 1e-8
"""Residuals, relative to the size of what is summed, with which an answer of another solver counts as optimal."""
_ARGUMENTS = ("H", "g", "A", "lower", "upper", "E", "e", "x_min", "x_max")


def _restored(given: dict[str, Any]) -> QP:
    """A program from its arguments, as pickle hands them on."""
    return QP(**given)


class QP:
    r"""Minimise :math:`\frac12 x^T H x + g^T x` with rows on x.

    ``lower <= A x <= upper``, ``E x = e`` and ``x_min <= x <= x_max``; each may be missing. Rows of A whose weight is
    finite are soft: they may be missed by s, which costs ``1/2 weight s^2``.

    Parameters
    ----------
    H : array_like, shape (n, n)
        Symmetric, positive semi-definite.
    g : array_like, shape (n,), optional
        Zero where it is missing.
    A : array_like, shape (m, n), optional
    lower, upper : array_like, shape (m,), or a number, optional
        Bounds of A x; infinite (or 1e20 and beyond) where there is none. Rows with lower = upper are equalities.
    E, e : array_like, shape (k, n), (k,), optional
        Equality rows. Those that depend on others are left out where they say the same (`Solution.removed`).
    x_min, x_max : array_like, shape (n,), or a number, optional
    weights : array_like, shape (m,), or a number, optional
        Weights of soft rows, positive; infinite for hard rows. All rows are hard by default.
    names, equality_names, variable_names : sequence of str, optional
        Names of the rows of A and E and of x, for `Solution.conflict`.

    Raises
    ------
    ShapeError, DtypeError, NonFiniteError
        An array has another shape, is not real, or holds NaN or infinite entries.
    ArgumentError
        H is not symmetric or not positive semi-definite, a lower bound is above its upper one, a weight is not
        positive, or there is no variable.

    Examples
    --------
    >>> import numpy as np
    >>> qp = QP(np.eye(2), [-2.0, 0.0], A=[[1.0, 1.0]], lower=-1.0, upper=1.0)
    >>> qp.solve().x
    array([ 1.5, -0.5])
    """

    def __init__(
        self,
        H: npt.ArrayLike,
        g: npt.ArrayLike | None = None,
        A: npt.ArrayLike | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        *,
        E: npt.ArrayLike | None = None,
        e: npt.ArrayLike | None = None,
        x_min: npt.ArrayLike | None = None,
        x_max: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
        equality_names: Sequence[str] | None = None,
        variable_names: Sequence[str] | None = None,
    ) -> None:
        H_ = read_array("H", H, (None, None))
        n = len(H_)
        if n == 0:
            raise ArgumentError("H: found no variables, expected at least one")
        if A is None and (lower is not None or upper is not None or weights is not None):
            raise ArgumentError("lower, upper and weights belong to rows of A: found them without A")
        if (E is None) != (e is None):
            raise ArgumentError("E and e: found one without the other")
        A_ = np.empty((0, n)) if A is None else read_array("A", A, (None, n))
        E_ = np.empty((0, n)) if E is None else read_array("E", E, (None, n))
        m, k = len(A_), len(E_)
        bounded = x_min is not None or x_max is not None
        rows = (n if bounded else 0) + m + k
        labels = RowNames(
            read_names("variable_names", variable_names, n),
            read_names("names", names, m),
            read_names("equality_names", equality_names, k),
            n if bounded else 0,
            m,
        )
        weight = None if weights is None else self._all_weights(weights, bounded * n, m, k)
        self._n, self._m, self._k, self._bounded = n, m, k, bounded
        self._limit = 100 + 10 * (n + rows)
        self._solvers: dict[str, Solver] = {}
        self._stale: dict[str, set[str]] = {}
        arrays = (np.eye(n), np.zeros(n), np.zeros((m + k, n)), np.full(rows, -np.inf), np.full(rows, np.inf))
        self._program = Program(*arrays, weight, bounded, k, labels)
        self._core = self._program.core
        given = dict(zip(_ARGUMENTS, (H_, g, A_, lower, upper, E_, e, x_min, x_max), strict=True))
        if k == 0:
            given["e"] = None
        self.update(**given)

    @staticmethod
    def _all_weights(weights: npt.ArrayLike, bounds: int, m: int, k: int) -> FloatArray | None:
        own = read_array("weights", weights, (m,))
        if not (own > 0.0).all():
            i = int(np.argmin(own > 0.0))
            raise ArgumentError(f"weights: found {own[i]} at [{i}], expected positive numbers (infinite for hard rows)")
        if np.isinf(own).all():
            return None
        return np.concatenate([np.full(bounds, np.inf), own, np.full(k, np.inf)])

    def __reduce__(self) -> tuple[Callable[..., QP], tuple[dict[str, Any]]]:
        p, bounds = self._program, self._n if self._bounded else 0
        given: dict[str, Any] = {"H": p.H, "g": p.g}
        if self._m:
            given |= {"A": p.C[: self._m], "lower": self.lower, "upper": self.upper, "names": p.names.rows}
            given["weights"] = None if p.weights is None else p.weights[bounds : bounds + self._m]
        if self._k:
            given |= {"E": p.C[self._m :], "e": p.lower[bounds + self._m :], "equality_names": p.names.equalities}
        if self._bounded:
            given |= {"x_min": p.lower[:bounds], "x_max": p.upper[:bounds]}
        return _restored, ({**given, "variable_names": p.names.variables},)

    def __repr__(self) -> str:
        bounds = ", bounds" if self._bounded else ""
        return f"QP({self._n} variables, {self._m} rows, {self._k} equalities{bounds})"

    H = property(lambda self: read_only(self._program.H), doc="Matrix of the objective, shape (n, n).")
    g = property(lambda self: read_only(self._program.g), doc="Gradient of the objective at x = 0, shape (n,).")
    A = property(lambda self: read_only(self._program.C[: self._m]), doc="Rows, shape (m, n).")
    E = property(lambda self: read_only(self._program.C[self._m :]), doc="Equality rows, shape (k, n).")

    @property
    def lower(self) -> FloatArray:
        """Lower bounds of A x, shape (m,)."""
        return read_only(self._rows_of(self._program.lower))

    @property
    def upper(self) -> FloatArray:
        """Upper bounds of A x, shape (m,)."""
        return read_only(self._rows_of(self._program.upper))

    def _rows_of(self, array: AnyArray) -> AnyArray:
        first = self._n if self._bounded else 0
        return array[first : first + self._m]

    def update(
        self,
        *,
        H: npt.ArrayLike | None = None,
        g: npt.ArrayLike | None = None,
        A: npt.ArrayLike | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        E: npt.ArrayLike | None = None,
        e: npt.ArrayLike | None = None,
        x_min: npt.ArrayLike | None = None,
        x_max: npt.ArrayLike | None = None,
    ) -> None:
        """New numbers for a program of the same shape; what is not given stays. The arrays are copied.

        This is the way through a sequence of programs: ``solve(warm=True)`` begins with the rows that were active
        before. Raises as the constructor does, and then changes nothing.
        """
        defect = self._core.update(H, g, A, lower, upper, E, e, x_min, x_max)
        if defect is not None:
            given = self._read((H, g, A, lower, upper, E, e, x_min, x_max))
            defect = self._core.update(*given)
            if defect is not None:
                self._refuse(defect, given)
        for stale in self._stale.values():
            if H is not None:
                stale.add("H")
            if g is not None:
                stale.add("g")
            if A is not None or E is not None:
                stale.add("C")
            if not (lower is upper is e is x_min is x_max is None):
                stale.add("bounds")

    def _read(self, given: tuple[npt.ArrayLike | None, ...]) -> tuple[FloatArray | None, ...]:
        """Arguments that are not plain arrays of the right shape."""
        n, m, k = self._n, self._m, self._k
        if not self._bounded and not (given[7] is None and given[8] is None):
            raise ShapeError("x_min, x_max: found bounds, but this program was made without; give them to QP(...)")
        shapes = ((n, n), (n,), (m, n), (m,), (m,), (k, n), (k,), (n,), (n,))
        return tuple(
            None if value is None else read_array(name, value, shape)
            for name, value, shape in zip(_ARGUMENTS, given, shapes, strict=True)
        )

    def _refuse(self, defect: tuple[int, int], given: tuple[FloatArray | None, ...]) -> NoReturn:
        name, array = _ARGUMENTS[defect[0]], given[defect[0]]
        assert array is not None
        if name in ("lower", "upper", "x_min", "x_max"):
            own = name in ("lower", "upper")
            which = (3, 4) if own else (7, 8)
            old = (self.lower, self.upper) if own else (self._program.lower[: self._n], self._program.upper[: self._n])
            lower, upper = (b if x is None else x for b, x in zip(old, (given[i] for i in which), strict=True))
            refuse_bad_bounds("rows" if own else "x", lower, upper)
        refuse_non_finite(name, array)
        refuse_non_convex(name, array)
        raise AssertionError(f"{name}: defect {defect} without a cause")

    def solve(
        self,
        backend: str = "daqp",
        *,
        warm: bool = False,
        start: Solution | None = None,
        limit: int | None = None,
    ) -> Solution:
        """Solve the program.

        Parameters
        ----------
        backend : {"daqp", "native", "proxqp"}
            DAQP (Arnstrom, Bemporad and Axehill 2022), the native dual active set (Goldfarb and Idnani 1983), or
            ProxQP (Bambade and others 2022; extra ``proxqp``). What DAQP and ProxQP answer is checked; where they fail,
            and before anything is called infeasible or unbounded, the native solver decides, and `Solution.reason`
            tells.
        warm : bool
            Begin with the rows that were active in the last solution of this program.
        start : Solution, optional
            Begin with the rows that are active in this solution, of a program of the same shape.
        limit : int, optional
            Most iterations; ``100 + 10 (variables + rows)`` by default.

        Returns
        -------
        Solution
            Its `status` tells whether there is an optimum: an infeasible or unbounded program is no error.
        """
        if limit is None:
            limit = self._limit
        elif limit < 1:
            raise ArgumentError(f"limit: found {limit}, expected at least 1")
        if start is not None:
            if not isinstance(start, Solution):
                raise ArgumentError(f"start: found {start!r}, expected a Solution")
            sides = start._carried()
            if len(sides) != len(self._program.lower):
                raise ShapeError(f"start: found {len(sides)} rows, expected {len(self._program.lower)}")
            self._core.expect(sides)
            self._program.sides, self._program.sides_of, warm = sides, "", True
        if backend == "native":
            return self._solve_native(warm, limit)
        solver = self._solvers.get(backend)
        if solver is None:
            solver = self._solvers[backend] = solver_type(backend)(self._program)
            self._stale[backend] = set()
        claim = solver.solve(self._stale[backend], warm, limit)
        self._stale[backend].clear()
        return self._checked(claim, backend, limit)

    def _solve_native(self, warm: bool, limit: int, note: str = "") -> Solution:
        code, x, multipliers, sides, iterations, _, objective, primal, dual, complementarity, _, _ = self._core.solve(
            warm, limit
        )
        program, status, trouble = self._program, STATUSES[code], None
        if status != OPTIMAL:
            if warm:  # an old active set must not decide what is possible
                return self._solve_native(False, limit, note)
            if status == INFEASIBLE:
                trouble = program.rows_of(np.flatnonzero(multipliers))
                if not trouble.contradict():
                    status, trouble = INACCURATE, None
            if status in (INFEASIBLE, UNBOUNDED):
                x = np.full(self._n, np.nan)
                objective = np.inf if status == INFEASIBLE else -np.inf
        program.sides, program.sides_of = sides, "native"
        residuals = Residuals(primal, dual, complementarity)
        return Solution(
            status, x, multipliers, sides, iterations, objective, residuals, "native", program.names, program.weights,
            program.equality_rows(), note, trouble,
        )  # fmt: skip

    def _checked(self, claim: Claim, backend: str, limit: int) -> Solution:
        program = self._program
        if claim.status == OPTIMAL:
            objective, primal, dual, complementarity, scaled_primal, scaled_dual, sides = self._core.judge(
                claim.x, claim.multipliers
            )
            if scaled_primal <= ACCEPTED and scaled_dual <= ACCEPTED:  # False for NaN
                program.sides, program.sides_of = sides, backend
                residuals = Residuals(primal, dual, complementarity)
                return Solution(
                    OPTIMAL, claim.x, claim.multipliers, sides, claim.iterations, objective, residuals, backend,
                    program.names, program.weights, program.equality_rows(),
                )  # fmt: skip
            told = f"{claim.told} with residuals {scaled_primal:.1e} and {scaled_dual:.1e}"
        else:
            told = claim.told
        return self._solve_native(False, limit, f"{backend} said: {told}")
