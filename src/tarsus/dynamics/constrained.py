"""Forward dynamics with constraints by Lagrangian multipliers, Buschmann 2014 sections 3.4.1 and 3.4.2."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.constraint import (
    Constraint,
    ConstraintRows,
    EvaluatedConstraint,
    PairForce,
)
from tarsus.dynamics.constraints.evaluation import as_batch, checked_constraints, stacked
from tarsus.dynamics.constraints.state_kinematics import StateKinematics, cross, times, transposed
from tarsus.dynamics.inverse import inverse_dynamics
from tarsus.dynamics.kinematics import frame_pose
from tarsus.dynamics.multipliers.dense import solve_dense
from tarsus.dynamics.multipliers.independent_rows import RANK_TOLERANCE, independent_rows
from tarsus.dynamics.multipliers.problem import ConstrainedProblem, Solution
from tarsus.dynamics.multipliers.recursive import solve_recursive
from tarsus.dynamics.multipliers.runs import solve_runs
from tarsus.dynamics.multipliers.sparse import solve_sparse
from tarsus.errors import (
    ArgumentError,
    InconsistentConstraintsError,
    RedundantConstraintWarning,
    UnknownNameError,
    nearest,
)
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray

Method = Literal["sparse", "recursive", "runs", "dense"]

CONSISTENT = 1e-7
"""Rows that depend on others must agree with them up to this share of the terms they are made of: above rounding and
the errors of states that nearly obey their constraints, far below a contradiction."""


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintWrench:
    """Forces of one constraint on the bodies it ties.

    Attributes
    ----------
    constraint : Constraint
    multipliers : ndarray, shape (..., m)
        Its own ones.
    body_a, body_b : str or None
        None for the world; both None for constraints of joint coordinates, whose wrenches are zero.
    on_a, on_b : ndarray, shape (..., 6)
        Wrenches on them at the bodies' origins (the world's for None), world axes: force [N], then moment [N m].
    """

    constraint: Constraint
    multipliers: FloatArray
    body_a: str | None
    body_b: str | None
    on_a: FloatArray
    on_b: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedMotion:
    """Accelerations and constraint forces of `constrained_dynamics`.

    Attributes
    ----------
    vdot : ndarray, shape (..., nv)
    multipliers : ndarray, shape (..., m)
        lambda, of least norm where rows are redundant. M vdot + bias_force = tau + J^T lambda.
    joint_force : ndarray, shape (..., nv)
        J^T lambda.
    wrenches : tuple of ConstraintWrench
        One for each constraint, in the order given.
    rows : ConstraintRows
        Violation, velocity, Jacobian and bias of all rows.
    rank : ndarray of int, shape (...)
        Number of independent rows.
    """

    vdot: FloatArray
    multipliers: FloatArray
    joint_force: FloatArray
    wrenches: tuple[ConstraintWrench, ...]
    rows: ConstraintRows
    rank: npt.NDArray[np.int_]

    @property
    def redundancy(self) -> npt.NDArray[np.int_]:
        """Number of rows that follow from others, shape (...)."""
        return np.asarray(self.rows.size - self.rank)


def constrained_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    constraints: Iterable[Constraint],
    *,
    time: npt.ArrayLike = 0.0,
    external: npt.ArrayLike | None = None,
    alpha: float = 0.0,
    beta: float | None = None,
    method: Method = "sparse",
    passive: bool = False,
    rank_tolerance: float = RANK_TOLERANCE,
) -> ConstrainedMotion:
    """Accelerations and constraint forces under constraints: M vdot + bias = tau + J^T lambda, J vdot = -dJ/dt v.

    The system (3.58) of Buschmann 2014, with the lower left block -dPhi/dq instead of the printed transpose, or with
    Baumgarte's stabilisation (3.61): rows obey d2Phi + 2 alpha dPhi + beta^2 Phi = 0.

    Parameters
    ----------
    model : Model
        A tree; loops and couplings opened by ``couplings="cut"`` come back by `loop_constraints`.
    q : array_like, shape (..., nq)
    v, tau : array_like, shape (..., nv)
    constraints : iterable of Constraint
    time : array_like, shape (...)
        [s], for given motions.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, world axes.
    alpha, beta : float
        Stabilisation [1/s]; beta = alpha by default (3.60). Rows of velocities only (rolling) are stabilised with
        2 alpha.
    method : {"sparse", "recursive", "runs", "dense"}
        Factorisation of M along the tree and Schur complement; multipliers inside the articulated-body recursion, O(n)
        in bodies (Brandl et al. 1987); m + 2 runs of the recursion (Gattringer and Bremer 2005); the whole matrix.
        All give the same result up to rounding.
    passive : bool
        Add `passive_force`.
    rank_tolerance : float
        Singular values of J below this share of the largest are zero. Overconstrained loops that are closed only up
        to an integrator's error need a tolerance above that error.

    Returns
    -------
    ConstrainedMotion

    Raises
    ------
    InconsistentConstraintsError
        Where no acceleration satisfies the constraints; it names them.

    Warns
    -----
    RedundantConstraintWarning
        Where rows depend on others. Accelerations are unique all the same; multipliers are those of least norm.
    """
    if method not in get_args(Method):
        raise UnknownNameError(f"method {method!r} is not known{nearest(method, get_args(Method))}")
    gains = _gains(alpha, beta)
    checked = checked_constraints(model, constraints)
    arguments: dict[str, tuple[npt.ArrayLike, tuple[int, ...]]] = {
        "q": (q, (model.nq,)),
        "v": (v, (model.nv,)),
        "tau": (tau, (model.nv,)),
        "time": (time, ()),
    }
    if external is not None:
        arguments["external"] = (external, (model.nb, 6))
    q_, v_, tau_, t_, *wrench = as_batch("constrained_dynamics", **arguments)
    zero = np.zeros_like(v_)
    force = tau_ - inverse_dynamics(model, q_, v_, zero, wrench[0] if wrench else None, passive=passive)
    state = StateKinematics(model, q_, v_, t_)
    parts = [c.evaluate(state) for c in checked]
    rows = stacked(parts, state.batch, model.nv)
    target = -(rows.bias + 2.0 * gains[0] * rows.velocity + gains[1] ** 2 * rows.violation)
    independent = independent_rows(rows.jacobian, rank_tolerance)
    problem = ConstrainedProblem(model, q_, v_, force, parts, rows, target, independent)
    solution = _solve(problem, method, rank_tolerance)
    if np.any(independent.rank < rows.size):
        _judge_redundancy(problem, solution, rank_tolerance)
    return ConstrainedMotion(
        vdot=solution.vdot,
        multipliers=solution.multipliers,
        joint_force=times(transposed(rows.jacobian), solution.multipliers),
        wrenches=_wrenches(model, q_, parts, solution.multipliers),
        rows=rows,
        rank=independent.rank,
    )


def _gains(alpha: float, beta: float | None) -> tuple[float, float]:
    beta = alpha if beta is None else beta
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not np.isfinite(value) or value < 0.0:
            raise ArgumentError(f"{name} of constrained_dynamics is {value}, expected a number that is not negative")
    return float(alpha), float(beta)


def _solve(problem: ConstrainedProblem, method: Method, rank_tolerance: float) -> Solution:
    match method:
        case "sparse":
            return solve_sparse(problem)
        case "recursive":
            return solve_recursive(problem, rank_tolerance)
        case "runs":
            return solve_runs(problem)
        case "dense":
            return solve_dense(problem)


def names_of_rows(parts: Sequence[EvaluatedConstraint], share: FloatArray, least: float = 0.1) -> list[str]:
    """Labels of the constraints whose rows hold more than `least` of the largest entry of `share` (m,)."""
    labels, first = [], 0
    for part in parts:
        entries = np.abs(share[first : first + part.rows.size])
        first += part.rows.size
        if entries.max(initial=0.0) > least * np.abs(share).max(initial=0.0):
            labels.append(part.constraint.label)
    return labels


def _judge_redundancy(problem: ConstrainedProblem, solution: Solution, rank_tolerance: float) -> None:
    """Raise where dependent rows contradict each other, else warn that there are some."""
    m, rank = problem.rows.size, problem.independent.rank
    rest = problem.independent.remainder(problem.target - times(problem.J, solution.vdot))
    terms = times(np.abs(problem.J), np.abs(solution.vdot)) + np.abs(problem.target)
    # the bias is a sum of products of velocities, which may cancel
    scale = np.maximum(terms.max(axis=-1, initial=0.0), (problem.v**2).max(axis=-1, initial=1e-6))
    share = np.abs(rest).max(axis=-1, initial=0.0) / scale
    if np.any(share > max(CONSISTENT, 100.0 * rank_tolerance)):
        worst = np.unravel_index(np.argmax(share), share.shape)
        labels = names_of_rows(problem.parts, rest[worst])
        raise InconsistentConstraintsError(
            f"no acceleration satisfies {', '.join(labels)}: {m} rows have the rank {rank[worst]} and contradict each "
            f"other by {np.abs(rest[worst]).max():.3g} m/s^2 or rad/s^2",
            labels,
        )
    warnings.warn(
        f"constraints are redundant: {m} rows have the rank {rank.min()}; forces are those of least norm",
        RedundantConstraintWarning,
        stacklevel=3,
    )


def _wrenches(
    model: Model, q: FloatArray, parts: Sequence[EvaluatedConstraint], multipliers: FloatArray
) -> tuple[ConstraintWrench, ...]:
    result, first = [], 0
    for part in parts:
        own = multipliers[..., first : first + part.rows.size]
        first += part.rows.size
        if isinstance(part.force, PairForce):
            wrench = times(transposed(part.force.rows), own)
            on_b = _moved(model, q, part.force.body_b, part.force.point, wrench)
            on_a = _moved(model, q, part.force.body_a, part.force.point, -wrench)
            result.append(ConstraintWrench(part.constraint, own, part.force.body_a, part.force.body_b, on_a, on_b))
        else:
            none = np.zeros((*own.shape[:-1], 6))
            result.append(ConstraintWrench(part.constraint, own, None, None, none, none))
    return tuple(result)


def _moved(model: Model, q: FloatArray, body: str | None, point: FloatArray, wrench: FloatArray) -> FloatArray:
    """A wrench at a point, moved to the origin of a body."""
    origin = np.zeros(3) if body is None else frame_pose(model, q, body)[..., :3, 3]
    f = wrench[..., :3]
    return np.concatenate([f, wrench[..., 3:] + cross(point - origin, f)], axis=-1)
