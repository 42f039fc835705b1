"""Linear programs, by HiGHS."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError

ROUNDING = 1e-13
"""Part of the largest entry of a matrix below which entries are zeros but for rounding: HiGHS may give up on them."""
OPTIMAL, INFEASIBLE, UNBOUNDED = 0, 2, 3
"""Verdicts of HiGHS, as SciPy counts them."""


def linear_minimum(
    cost: FloatArray,
    A: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    x_min: FloatArray | float = -np.inf,
    x_max: FloatArray | float = np.inf,
) -> FloatArray | None:
    """The x of least cost . x with lower <= A x <= upper and x_min <= x <= x_max.

    Parameters
    ----------
    cost : ndarray, shape (n,)
    A : ndarray, shape (m, n)
    lower, upper : ndarray, shape (m,)
        Infinite where there is none, equal for equalities.

    Returns
    -------
    x : ndarray, shape (n,), or None
        None where no x fulfils the rows, or the cost falls for ever.

    Raises
    ------
    ArgumentError
        Where HiGHS comes to no verdict, neither by its simplex nor by its interior-point method.
    """
    x_min, x_max = (np.broadcast_to(np.asarray(bound, dtype=float), cost.shape) for bound in (x_min, x_max))
    clean = np.where(np.abs(A) > ROUNDING * np.abs(A).max(initial=0.0), A, 0.0)
    for way in (_by_simplex, _by_interior_point):
        status, x, told = way(cost, clean, lower, upper, x_min, x_max)
        if status == OPTIMAL:
            return x
        if status in (INFEASIBLE, UNBOUNDED):
            return None
    raise ArgumentError(f"linear program with {len(A)} rows and {len(cost)} variables: HiGHS finds no answer ({told})")


_Answer = tuple[int, FloatArray | None, str]


def _by_simplex(
    cost: FloatArray, A: FloatArray, lower: FloatArray, upper: FloatArray, x_min: FloatArray, x_max: FloatArray
) -> _Answer:
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = milp(cost, constraints=LinearConstraint(A, lower, upper), bounds=Bounds(x_min, x_max))
    return found.status, None if found.x is None else np.asarray(found.x, dtype=float), found.message


def _by_interior_point(
    cost: FloatArray, A: FloatArray, lower: FloatArray, upper: FloatArray, x_min: FloatArray, x_max: FloatArray
) -> _Answer:
    from scipy.optimize import linprog

    equal = lower == upper
    sides, bounds = np.vstack([A[~equal], -A[~equal]]), np.append(upper[~equal], -lower[~equal])
    told = np.isfinite(bounds)
    found = linprog(
        cost,
        sides[told],
        bounds[told],
        A[equal],
        lower[equal],
        list(zip(x_min, x_max, strict=True)),
        method="highs-ipm",
    )
    return found.status, None if found.x is None else np.asarray(found.x, dtype=float), found.message
