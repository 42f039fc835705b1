"""All constraints of a motion at a state, stacked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows, EvaluatedConstraint
from tarsus.dynamics.constraints.state_kinematics import StateKinematics
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray


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


def checked_constraints(model: Model, constraints: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Constraints that fit the model, or an error that names the one that does not."""
    if isinstance(constraints, Constraint):
        constraints = (constraints,)
    checked = tuple(constraints)
    for constraint in checked:
        if not isinstance(constraint, Constraint):
            raise ArgumentError(f"constraints holds {constraint!r}, expected Constraint objects")
        constraint.check(model)
    return checked


def stacked(parts: Sequence[EvaluatedConstraint], batch: tuple[int, ...], nv: int) -> ConstraintRows:
    """The rows of all constraints, one below the other."""
    if not parts:
        none = np.zeros((*batch, 0))
        return ConstraintRows(none, none, np.zeros((*batch, 0, nv)), none, np.zeros(0, dtype=bool))
    rows = [part.rows for part in parts]
    return ConstraintRows(
        violation=np.concatenate([r.violation for r in rows], axis=-1),
        velocity=np.concatenate([r.velocity for r in rows], axis=-1),
        jacobian=np.concatenate([r.jacobian for r in rows], axis=-2),
        bias=np.concatenate([r.bias for r in rows], axis=-1),
        holonomic=np.concatenate([r.holonomic for r in rows]),
    )


def constraint_rows(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    constraints: Iterable[Constraint],
    *,
    time: npt.ArrayLike = 0.0,
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

    Returns
    -------
    ConstraintRows
    """
    checked = checked_constraints(model, constraints)
    q_, v_, t_ = as_batch("constraint_rows", q=(q, (model.nq,)), v=(v, (model.nv,)), time=(time, ()))
    state = StateKinematics(model, q_, v_, t_)
    return stacked([c.evaluate(state) for c in checked], state.batch, model.nv)
