"""Back to the constraint manifold: stabilisation by projection, Buschmann 2014 section 3.4.1 (Ascher et al. 1995)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constrained_dynamics import CONSISTENT
from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows
from tarsus.dynamics.constraints.evaluation import as_batch, rows_of
from tarsus.dynamics.constraints.table import ConstraintTable, constraint_table
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.errors import ArgumentError, ClosureError, InconsistentConstraintsError, UnknownNameError
from tarsus.model.model import Model

Metric = Literal["mass", "plain"]

PROJECTION_RANK_TOLERANCE = 1e-6
"""Singular values below this share of the largest are left alone: directions that are redundant once loops are closed
look independent by as much as loops are open."""
DAMPING = 1e-3
"""Levenberg-Marquardt damping for a violation of one, relative to the largest singular value; it fades with the square
of the violation, so that convergence stays quadratic."""
HALVINGS = 10
"""How often a step that makes things worse is cut in half."""


def project_position(
    model: Model,
    q: npt.ArrayLike,
    constraints: Iterable[Constraint],
    time: npt.ArrayLike = 0.0,
    *,
    metric: Metric = "mass",
    tolerance: float = 1e-12,
    iterations: int = 100,
) -> FloatArray:
    """The configuration next to q that satisfies the holonomic constraints.

    Gauss-Newton steps on the configuration manifold, q exp(dq) with the smallest dq for which J dq = -Phi.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    constraints : iterable of Constraint
        Rows without a position level (rolling) are left aside.
    time : array_like, shape (...)
        [s].
    metric : {"mass", "plain"}
        Small in terms of dq^T M dq, which does not depend on units and coordinates, or of dq^T dq.
    tolerance : float
        Largest violation left [m, rad].
    iterations : int
        Steps after which to give up.

    Returns
    -------
    ndarray, shape (..., nq)

    Raises
    ------
    ClosureError
        Where no configuration is found; it names the constraints that stay open, and by how much.
    """
    _check_metric(metric)
    table = constraint_table(model, constraints)
    given, t = as_batch("project_position", q=(q, (model.nq,)), time=(time, ()))
    q_ = model.integrate(given, np.zeros((*t.shape, model.nv)))
    rows = _at(model, q_, table, t)
    error = _largest(rows)
    for _ in range(iterations):
        if np.all(error <= tolerance):
            return q_
        step = _step(model, q_, rows, error, metric)
        step[error <= tolerance] = 0.0
        q_, rows, error, moved = _advance(model, q_, step, table, t, error, tolerance)
        if not moved:
            break
    if np.all(error <= tolerance):
        return q_
    worst = np.unravel_index(np.argmax(error), error.shape)
    share = np.where(rows.holonomic, rows.violation, 0.0)[worst]
    labels = table.labels_of(share)
    raise ClosureError(f"cannot close {', '.join(labels)}: {np.abs(share).max():.3g} m or rad stay open", labels)


def project_velocity(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    constraints: Iterable[Constraint],
    time: npt.ArrayLike = 0.0,
    *,
    metric: Metric = "mass",
) -> FloatArray:
    """The velocity next to v that satisfies all constraints at velocity level.

    With the metric of the mass matrix this is what an inelastic impact on the constraints does: M (v+ - v) = J^T p.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    constraints : iterable of Constraint
    time : array_like, shape (...)
        [s].
    metric : {"mass", "plain"}
        As for `project_position`.

    Returns
    -------
    ndarray, shape (..., nv)

    Raises
    ------
    InconsistentConstraintsError
        Where no velocity satisfies the constraints; it names them.
    """
    _check_metric(metric)
    table = constraint_table(model, constraints)
    q_, v_, t = as_batch("project_velocity", q=(q, (model.nq,)), v=(v, (model.nv,)), time=(time, ()))
    for _ in range(2):  # the second pass removes the rounding of the first
        rows = rows_of(model, q_, v_, table, t)
        v_ = v_ + _least(model, q_, rows.jacobian, -rows.velocity, metric, np.zeros(t.shape))
    rest = rows_of(model, q_, v_, table, t).velocity
    scale = times(np.abs(rows.jacobian), np.abs(v_)) + np.abs(rows.velocity)
    share = np.abs(rest).max(axis=-1, initial=0.0) / np.maximum(scale.max(axis=-1, initial=0.0), 1e-6)
    if np.any(share > max(CONSISTENT, PROJECTION_RANK_TOLERANCE)):
        worst = np.unravel_index(np.argmax(share), share.shape)
        labels = table.labels_of(rest[worst])
        message = f"no velocity satisfies {', '.join(labels)}: {np.abs(rest[worst]).max():.3g} m/s or rad/s remain"
        raise InconsistentConstraintsError(message, labels)
    return v_


def _check_metric(metric: str) -> None:
    if metric not in ("mass", "plain"):
        raise UnknownNameError(f"metric must be 'mass' or 'plain', not {metric!r}")


def times(A: FloatArray, x: FloatArray) -> FloatArray:
    """Product A x for stacks of matrices and vectors."""
    result: FloatArray = (A @ x[..., None])[..., 0]
    return result


def transposed(A: npt.NDArray[Any]) -> FloatArray:
    """A^T for stacks of matrices."""
    return np.swapaxes(A, -1, -2)


def _at(model: Model, q: FloatArray, table: ConstraintTable, time: FloatArray) -> ConstraintRows:
    return rows_of(model, q, np.zeros((*time.shape, model.nv)), table, time)


def _largest(rows: ConstraintRows) -> FloatArray:
    """Largest violation of each state, shape (...)."""
    return np.asarray(np.abs(rows.violation[..., rows.holonomic]).max(axis=-1, initial=0.0))


def _step(model: Model, q: FloatArray, rows: ConstraintRows, error: FloatArray, metric: Metric) -> FloatArray:
    h = rows.holonomic
    return _least(model, q, rows.jacobian[..., h, :], -rows.violation[..., h], metric, DAMPING * error**2)


def _least(
    model: Model, q: FloatArray, J: FloatArray, rhs: FloatArray, metric: Metric, damping: FloatArray
) -> FloatArray:
    """Smallest x with J x = rhs in the given metric, damped and without directions that J hardly moves."""
    if J.shape[-2] == 0:
        return np.zeros((*J.shape[:-2], J.shape[-1]))
    C_T = None
    if metric == "mass":
        try:
            C_T = transposed(np.linalg.cholesky(mass_matrix(model, q)))  # M = C C^T
        except np.linalg.LinAlgError:
            raise ArgumentError("the mass matrix is singular; use metric='plain'") from None
        J = transposed(np.linalg.solve(transposed(C_T), transposed(J)))
    U, sigma, V_T = np.linalg.svd(J, full_matrices=False)
    largest = sigma[..., :1]
    kept = (sigma > PROJECTION_RANK_TOLERANCE * largest) & (largest > 0.0)
    gain = np.where(kept, sigma, 0.0) / np.where(kept, sigma**2 + damping[..., None] * largest**2, 1.0)
    y = times(transposed(V_T), gain * times(transposed(U), rhs))
    return y if C_T is None else np.asarray(np.linalg.solve(C_T, y[..., None])[..., 0], dtype=float)


def _advance(
    model: Model,
    q: FloatArray,
    step: FloatArray,
    table: ConstraintTable,
    time: FloatArray,
    error: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, ConstraintRows, FloatArray, bool]:
    """Take the step, in each state as much of it as makes the violation smaller; the last value: whether any did."""
    share = np.ones(error.shape)
    for _ in range(HALVINGS):
        trial = model.integrate(q, step * share[..., None])
        rows = _at(model, trial, table, time)
        found = _largest(rows)
        worse = (found >= error) & (error > tolerance)
        if not np.any(worse):
            return trial, rows, found, True
        share = np.where(worse, 0.5 * share, share)
    share = np.where(worse, 0.0, share)
    trial = model.integrate(q, step * share[..., None])
    rows = _at(model, trial, table, time)
    return trial, rows, _largest(rows), bool(np.any((share > 0.0) & (error > tolerance)))
