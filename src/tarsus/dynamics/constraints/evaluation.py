"""All constraints of a motion at a state, stacked."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows
from tarsus.dynamics.constraints.table import ConstraintTable, constraint_table
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.model.model import Model

_native_rows = _native.function("constraint_rows")


def as_batch(function: str, **arguments: tuple[npt.ArrayLike, tuple[int, ...]]) -> list[FloatArray]:
    """Finite arrays that share one batch shape, from values and their trailing shapes."""
    arrays = {}
    for name, (value, trailing) in arguments.items():
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise DtypeError(f"{name} of {function} has dtype {array.dtype}, expected real numbers")
        array = np.asarray(array, dtype=float)
        if array.ndim < len(trailing) or array.shape[array.ndim - len(trailing) :] != trailing:
            shape = ", ".join(["...", *map(str, trailing)])
            raise ShapeError(f"{name} of {function} has shape {array.shape}, expected ({shape})")
        if not np.isfinite(array).all():
            raise NonFiniteError(f"{name} of {function} has entries that are not finite")
        arrays[name] = (array, trailing)
    try:
        batch = np.broadcast_shapes(*(a.shape[: a.ndim - len(t)] for a, t in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, (a, _) in arrays.items())
        raise ShapeError(f"batch axes of the arguments of {function} do not fit together: {shapes}") from None
    return [np.require(np.broadcast_to(a, (*batch, *t)), requirements=("C", "A")) for a, t in arrays.values()]


def checked_gains(function: str, alpha: float, beta: float | None, rank_tolerance: float) -> float:
    """Name the number that is negative or not finite; returns beta, which is alpha where none is given."""
    numbers = {"alpha": alpha, "beta": alpha if beta is None else beta, "rank_tolerance": rank_tolerance}
    for name, value in numbers.items():
        if not 0.0 <= value < math.inf:
            raise ArgumentError(f"{name} of {function} is {value}, expected a number that is not negative")
    return numbers["beta"]


def driven_arguments(
    function: str,
    model: Model,
    table: ConstraintTable,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    time: npt.ArrayLike,
    external: npt.ArrayLike | None,
) -> tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None, FloatArray | None]:
    """The arguments, of one batch shape where motions are given in time, and the numbers of these motions."""
    if not table.driven and type(time) is float:
        return q, v, tau, time, external, None
    arguments: dict[str, tuple[npt.ArrayLike, tuple[int, ...]]] = {
        "q": (q, (model.nq,)),
        "v": (v, (model.nv,)),
        "tau": (tau, (model.nv,)),
        "time": (time, ()),
    }
    if external is not None:
        arguments["external"] = (external, (model.nb, 6))
    q, v, tau, time, *wrench = as_batch(function, **arguments)
    return q, v, tau, time, wrench[0] if wrench else None, table.drive(model, time)


def rows_of(
    model: Model, q: FloatArray, v: FloatArray, table: ConstraintTable, time: FloatArray, threads: int = 1
) -> ConstraintRows:
    """Rows of a table at states of one batch shape."""
    rows = _native_rows(model, q, v, table, drive=table.drive(model, time), threads=threads)
    return ConstraintRows(rows.violation, rows.velocity, rows.jacobian, rows.bias, table.holonomic)


def constraint_rows(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    constraints: Iterable[Constraint],
    *,
    time: npt.ArrayLike = 0.0,
    threads: int = 1,
) -> ConstraintRows:
    """Violation, velocity, Jacobian and bias of constraints, stacked in the order given.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    constraints : iterable of Constraint
    time : array_like, shape (...)
        [s], for motions that are given as functions of time.
    threads : int
        Cores that a batch may use.

    Returns
    -------
    ConstraintRows
    """
    table = constraint_table(model, constraints)
    q_, v_, t_ = as_batch("constraint_rows", q=(q, (model.nq,)), v=(v, (model.nv,)), time=(time, ()))
    return rows_of(model, q_, v_, table, t_, threads)
