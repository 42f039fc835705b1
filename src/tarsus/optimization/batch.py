"""Many quadratic programs of one shape in one call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus._native import solve_programs
from tarsus.arrays import AnyArray, FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.optimization.arguments import refuse_bad_bounds, refuse_non_convex, refuse_non_finite
from tarsus.optimization.solution import INFEASIBLE, OPTIMAL, STATUSES, UNBOUNDED


@dataclass(frozen=True)
class BatchSolution:
    """Results of `solve_batch`.

    Attributes
    ----------
    x : ndarray, shape (..., n)
        Optima; NaN where there is none (infeasible, unbounded).
    status : ndarray of str, shape (...)
        As `Solution.status`.
    multipliers : ndarray, shape (..., m)
        Of the rows of A, with the signs of `Solution`.
    bound_multipliers : ndarray, shape (..., n), or (..., 0) without bounds
    active : ndarray of int8, shape (..., m)
    iterations : ndarray of int32, shape (...)
    residuals : ndarray, shape (..., 3)
        Primal, dual and complementarity, as in `Residuals`.
    """

    x: FloatArray
    status: AnyArray
    multipliers: FloatArray
    bound_multipliers: FloatArray
    active: AnyArray
    iterations: AnyArray
    residuals: FloatArray

    @property
    def success(self) -> AnyArray:
        """Which programs have an optimum, shape (...)."""
        return np.asarray(self.status == OPTIMAL)


def solve_batch(
    H: npt.ArrayLike,
    g: npt.ArrayLike,
    A: npt.ArrayLike | None = None,
    lower: npt.ArrayLike | None = None,
    upper: npt.ArrayLike | None = None,
    *,
    x_min: npt.ArrayLike | None = None,
    x_max: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    threads: int = 1,
    limit: int | None = None,
) -> BatchSolution:
    """Solve programs of one shape with the native solver; leading axes are the batch and broadcast.

    Minimise 1/2 x^T H x + g^T x with lower <= A x <= upper and x_min <= x <= x_max. Every program is begun without
    knowledge of others, so that results depend neither on the order nor on `threads`.

    Parameters
    ----------
    H, g : array_like, shape (..., n, n), (..., n)
        One H for all programs is factorised once for each thread.
    A, lower, upper : array_like, shape (..., m, n), (..., m), (..., m), optional
        Rows with lower = upper are equalities.
    x_min, x_max : array_like, shape (..., n), optional
    weights : array_like, shape (m,), optional
        Weights of soft rows, infinite for hard ones, the same for all programs.
    threads : int
    limit : int, optional
        Most iterations of one program.

    Raises
    ------
    ShapeError, NonFiniteError, ArgumentError
        As those of `QP`; what is wrong with one program of the batch names it.
    """
    H_, g_ = _numbers("H", H, 2), _numbers("g", g, 1)
    n = H_.shape[-1]
    if n == 0 or H_.shape[-2] != n or g_.shape[-1] != n:
        raise ShapeError(f"H, g: found shapes {H_.shape} and {g_.shape}, expected (..., n, n) and (..., n)")
    if threads < 1:
        raise ArgumentError(f"threads: found {threads}, expected at least 1")
    A_ = np.zeros((0, n)) if A is None else _numbers("A", A, 2)
    m = A_.shape[-2]
    if A_.shape[-1] != n:
        raise ShapeError(f"A: found shape {A_.shape}, expected (..., m, {n})")
    bounded = x_min is not None or x_max is not None
    low = [_bounds("x_min", x_min, n, -np.inf)] * bounded + [_bounds("lower", lower, m, -np.inf)]
    high = [_bounds("x_max", x_max, n, np.inf)] * bounded + [_bounds("upper", upper, m, np.inf)]
    shape = np.broadcast_shapes(H_.shape[:-2], g_.shape[:-1], A_.shape[:-2], *(b.shape[:-1] for b in (*low, *high)))
    count = int(np.prod(shape))
    lower_, upper_ = (
        np.ascontiguousarray(np.concatenate([np.broadcast_to(b, (*shape, b.shape[-1])) for b in bounds], -1))
        for bounds in (low, high)
    )
    rows = lower_.shape[-1]
    lower_, upper_ = lower_.reshape(count, rows), upper_.reshape(count, rows)
    refuse_bad_bounds("rows", lower_.ravel(), upper_.ravel())
    weight = _all_weights(weights, rows - m, m)
    x, multipliers = np.empty((count, n)), np.empty((count, rows))
    sides, residuals = np.zeros((count, rows), dtype=np.int8), np.empty((count, 3))
    status, iterations = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    solve_programs(
        _spread(H_, shape, 2), np.ascontiguousarray(np.broadcast_to(g_, (*shape, n))).reshape(count, n),
        _spread(A_, shape, 2), lower_, upper_, weight, bounded, 100 + 10 * (n + rows) if limit is None else limit,
        min(threads, max(count, 1)), x, multipliers, sides, status, iterations, residuals,
    )  # fmt: skip
    bad = np.flatnonzero(status == len(STATUSES))
    if len(bad):
        place = np.unravel_index(int(bad[0]), shape)
        refuse_non_convex(f"H of program {[int(i) for i in place]}", np.broadcast_to(H_, (*shape, n, n))[place])
    names = np.array(STATUSES)[status]
    x[(names == INFEASIBLE) | (names == UNBOUNDED)] = np.nan
    first = rows - m
    return BatchSolution(
        x.reshape(*shape, n), names.reshape(shape), multipliers[:, first:].reshape(*shape, m),
        multipliers[:, :first].reshape(*shape, first), sides[:, first:].reshape(*shape, m),
        iterations.reshape(shape), residuals.reshape(*shape, 3),
    )  # fmt: skip


def _numbers(name: str, value: npt.ArrayLike, axes: int) -> FloatArray:
    array = np.ascontiguousarray(np.asarray(value, dtype=np.float64))
    if array.ndim < axes:
        raise ShapeError(f"{name}: found shape {array.shape}, expected at least {axes} axes")
    refuse_non_finite(name, array)
    return array


def _bounds(name: str, value: npt.ArrayLike | None, length: int, missing: float) -> FloatArray:
    if value is None:
        return np.full(length, missing)
    array = np.asarray(value, dtype=np.float64)
    array = np.full(length, float(array)) if array.ndim == 0 else array
    if array.shape[-1] != length:
        raise ShapeError(f"{name}: found shape {array.shape}, expected (..., {length})")
    return array


def _all_weights(weights: npt.ArrayLike | None, bounds: int, m: int) -> FloatArray | None:
    if weights is None:
        return None
    own = np.broadcast_to(np.asarray(weights, dtype=np.float64), (m,))
    if not (own > 0.0).all():
        raise ArgumentError(f"weights: found {own[~(own > 0.0)][0]}, expected positive numbers")
    return np.concatenate([np.full(bounds, np.inf), own])


def _spread(array: FloatArray, shape: tuple[int, ...], axes: int) -> FloatArray:
    """One matrix for all programs as it is, otherwise one a program."""
    if array.ndim == axes:
        return array
    inner = array.shape[-axes:]
    return np.ascontiguousarray(np.broadcast_to(array, (*shape, *inner))).reshape(-1, *inner)
