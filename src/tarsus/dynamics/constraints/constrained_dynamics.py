"""Forward dynamics with constraints by Lagrangian multipliers, Buschmann 2014 sections 3.4.1 and 3.4.2."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows
from tarsus.dynamics.constraints.evaluation import checked_gains, driven_arguments, rows_of
from tarsus.dynamics.constraints.table import ConstraintTable, constraint_table
from tarsus.errors import (
    InconsistentConstraintsError,
    RedundantConstraintWarning,
    UnknownNameError,
    nearest,
)
from tarsus.model.model import Model

Method = Literal["sparse", "recursive", "runs", "dense"]
Redundant = Literal["warn", "accept"]
_METHODS = frozenset(get_args(Method))

RANK_TOLERANCE = 1e-9
"""Rows that stand out of others by less than this share of the largest row count as dependent: far above rounding
(1e-16 times some hundred operations), far below what lengths in centimetres or gears of 1000:1 do to a Jacobian."""
CONSISTENT = 1e-7
"""Rows that depend on others must agree with them up to this share of the terms they are made of: above rounding and
the errors of states that nearly obey their constraints, far below a contradiction."""

_native_dynamics = _native.function("constrained_dynamics")


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


class _NativeMotion(Protocol):
    """What the native function gives: its named results as arrays that share one block of memory."""

    vdot: FloatArray
    joint_force: FloatArray
    multipliers: FloatArray
    wrenches: FloatArray
    """On both bodies of every pair, shape (..., pairs, 2, 6)."""
    rank: FloatArray
    contradiction: FloatArray
    """By what share of their terms dependent rows contradict the others, shape (...)."""


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

    __slots__ = ("_model", "_native", "_rows", "_state", "_table")

    def __init__(
        self,
        model: Model,
        table: ConstraintTable,
        native: _NativeMotion,
        state: tuple[FloatArray, FloatArray, npt.ArrayLike],
    ) -> None:
        self._model = model
        self._table = table
        self._native = native
        self._state = state
        self._rows: ConstraintRows | None = None

    @property
    def vdot(self) -> FloatArray:
        """Accelerations, shape (..., nv)."""
        return self._native.vdot

    @property
    def joint_force(self) -> FloatArray:
        """J^T lambda, shape (..., nv)."""
        return self._native.joint_force

    @property
    def multipliers(self) -> FloatArray:
        """Lambda, shape (..., m)."""
        return self._native.multipliers

    @property
    def rank(self) -> npt.NDArray[np.int_]:
        """Number of independent rows, shape (...)."""
        return np.asarray(self._native.rank, dtype=int)

    @property
    def redundancy(self) -> npt.NDArray[np.int_]:
        """Number of rows that follow from others, shape (...)."""
        return np.asarray(self._table.size - self.rank)

    @property
    def wrenches(self) -> tuple[ConstraintWrench, ...]:
        """Forces of each constraint on the bodies it ties."""
        table, multipliers, pairs = self._table, self.multipliers, self._native.wrenches
        result = []
        for i, constraint in enumerate(table.constraints):
            own = multipliers[..., table.first[i] : table.first[i + 1]]
            pair = table.pairs[i]
            both = np.zeros((*own.shape[:-1], 2, 6)) if pair < 0 else pairs[..., pair, :, :]
            result.append(ConstraintWrench(constraint, own, *table.bodies[i], both[..., 0, :], both[..., 1, :]))
        return tuple(result)

    @property
    def rows(self) -> ConstraintRows:
        """Violation, velocity, Jacobian and bias of all rows."""
        if self._rows is None:
            q, v, time = self._state
            batch = self.vdot.shape[:-1]
            q, v = np.broadcast_to(q, (*batch, q.shape[-1])), np.broadcast_to(v, (*batch, v.shape[-1]))
            self._rows = rows_of(self._model, q, v, self._table, np.broadcast_to(time, batch))
        return self._rows


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
    redundant: Redundant = "warn",
    threads: int = 1,
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
        Rows of J that stand out of the others by less than this share of the largest row are dependent on them.
        Overconstrained loops that are closed only up to an integrator's error need a tolerance above that error.
    redundant : {"warn", "accept"}
        Whether to warn of rows that depend on others; several points of one foot always do.
    threads : int
        Cores that a batch may use.

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
    if method not in _METHODS:
        raise UnknownNameError(f"method {method!r} is not known{nearest(method, get_args(Method))}")
    check_redundant(redundant)
    table = constraint_table(model, constraints)
    beta = checked_gains("constrained_dynamics", alpha, beta, rank_tolerance)
    q, v, tau, time, external, drive = driven_arguments("constrained_dynamics", model, table, q, v, tau, time, external)
    native = _native_dynamics(
        model, q, v, tau, table, external=external, drive=drive, method=method, passive=passive,
        alpha=alpha, beta=beta, rank_tolerance=rank_tolerance, threads=threads,
    )  # fmt: skip
    # copies, because the rows are evaluated when they are asked for
    motion = ConstrainedMotion(model, table, native, (np.array(q, float), np.array(v, float), time))
    if (native.rank < table.size).any():
        if (native.contradiction > max(CONSISTENT, 100.0 * rank_tolerance)).any():
            _raise_contradiction(motion, table, (alpha, beta), rank_tolerance)
        if redundant == "warn":
            warn_of_redundant_rows(table, native.rank)
    return motion


def check_redundant(redundant: str) -> None:
    """Refuse unknown choices of what to do about redundant rows."""
    if redundant not in ("warn", "accept"):
        raise UnknownNameError(f"redundant must be 'warn' or 'accept', not {redundant!r}")


def warn_of_redundant_rows(table: ConstraintTable, rank: FloatArray) -> None:
    """Warn the caller's caller."""
    warnings.warn(
        f"constraints are redundant: {table.size} rows have the rank {int(np.min(rank))}; forces are those of "
        "least norm",
        RedundantConstraintWarning,
        stacklevel=3,
    )


def _raise_contradiction(
    motion: ConstrainedMotion, table: ConstraintTable, gains: tuple[float, float], rank_tolerance: float
) -> None:
    """Name the constraints that contradict each other most."""
    share = motion._native.contradiction
    worst = np.unravel_index(np.argmax(share), share.shape)
    rest = _unreachable(motion, worst, gains, rank_tolerance)
    labels = table.labels_of(rest)
    raise InconsistentConstraintsError(
        f"no acceleration satisfies {', '.join(labels)}: {table.size} rows have the rank {motion.rank[worst]} and "
        f"contradict each other by {np.abs(rest).max():.3g} m/s^2 or rad/s^2",
        labels,
    )


def _unreachable(
    motion: ConstrainedMotion, state: tuple[np.intp, ...], gains: tuple[float, float], rank_tolerance: float
) -> FloatArray:
    """What no acceleration can give of J vdot = -(bias + 2 alpha velocity + beta^2 violation) at one state, (m,)."""
    rows, (alpha, beta) = motion.rows, gains
    J = rows.jacobian[state]
    target = -(rows.bias + 2.0 * alpha * rows.velocity + beta**2 * rows.violation)[state]
    rest: FloatArray = target - J @ motion.vdot[state]
    U, sigma, _ = np.linalg.svd(J, full_matrices=False)
    U = U[:, sigma > max(rank_tolerance * sigma.max(initial=0.0), np.finfo(float).tiny)]
    return rest - U @ (U.T @ rest)
