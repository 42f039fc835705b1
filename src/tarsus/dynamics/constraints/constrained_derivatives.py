"""Partial derivatives of accelerations and multipliers under constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constrained_dynamics import (
    CONSISTENT,
    RANK_TOLERANCE,
    Redundant,
    check_redundant,
    constrained_dynamics,
    warn_of_redundant_rows,
)
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.evaluation import checked_gains, driven_arguments
from tarsus.dynamics.constraints.table import constraint_table
from tarsus.model.model import Model

_native_derivatives = _native.function("constrained_dynamics_derivatives")


class _NativeDerivatives(Protocol):
    """Named results of the native function."""

    vdot_q_v_tau: FloatArray
    multipliers_q_v_tau: FloatArray
    rank: FloatArray
    contradiction: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedDerivatives:
    """Derivatives of what `constrained_dynamics` gives; rows are its entries, columns those of q, v and tau.

    Attributes
    ----------
    vdot : ndarray, shape (..., 3, nv, nv)
        d vdot / dq in the tangent space, d vdot / dv, and d vdot / dtau.
    multipliers : ndarray, shape (..., 3, m, nv)
        The same of lambda.
    rank : ndarray of int, shape (...)
        Number of independent rows.
    """

    vdot: FloatArray
    multipliers: FloatArray
    rank: npt.NDArray[np.int_]


def constrained_dynamics_derivatives(
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
    passive: bool = False,
    rank_tolerance: float = RANK_TOLERANCE,
    redundant: Redundant = "warn",
    threads: int = 1,
) -> ConstrainedDerivatives:
    """Partial derivatives of `constrained_dynamics` with respect to q, v and tau, analytic.

    The equations (3.58) and (3.61) of Buschmann 2014, differentiated: with r1 = inverse_dynamics - J^T lambda - tau and
    r2 = J vdot + bias + 2 alpha dPhi + beta^2 Phi, M dvdot - J^T dlambda = -dr1 and J dvdot = -dr2 at fixed vdot and
    lambda. They hold on and off the constraints' manifold: a configuration is changed as it is given, along
    `model.integrate(q, t e_j)`, whether that keeps the constraints or not. The mass matrix must be regular.

    Parameters
    ----------
    model, q, v, tau, constraints, time, external, alpha, beta, passive, rank_tolerance, redundant, threads
        As in `constrained_dynamics`. External wrenches are constant in world axes and act at the bodies' origins,
        wherever these move. Coulomb friction counts with the derivative that it has wherever no joint is at rest, zero.

    Returns
    -------
    ConstrainedDerivatives

    Raises
    ------
    InconsistentConstraintsError
        Where no acceleration satisfies the constraints; it names them.

    Warns
    -----
    RedundantConstraintWarning
        Where rows depend on others. The derivatives are then those of accelerations and of multipliers of least norm
        while the rank stays what it is, as it does for several points of one foot and for planar loops.
    """
    check_redundant(redundant)
    table = constraint_table(model, constraints)
    beta = checked_gains("constrained_dynamics_derivatives", alpha, beta, rank_tolerance)
    q, v, tau, time, external, drive = driven_arguments(
        "constrained_dynamics_derivatives", model, table, q, v, tau, time, external
    )
    native: _NativeDerivatives = _native_derivatives(
        model, q, v, tau, table, external=external, drive=drive, passive=passive,
        alpha=alpha, beta=beta, rank_tolerance=rank_tolerance, threads=threads,
    )  # fmt: skip
    if (native.rank < table.size).any():
        if (native.contradiction > max(CONSISTENT, 100.0 * rank_tolerance)).any():
            constrained_dynamics(
                model, q, v, tau, table.constraints, time=time, external=external, alpha=alpha, beta=beta,
                passive=passive, rank_tolerance=rank_tolerance, redundant="accept",
            )  # fmt: skip  # names the constraints
        if redundant == "warn":
            warn_of_redundant_rows(table, native.rank)
    return ConstrainedDerivatives(native.vdot_q_v_tau, native.multipliers_q_v_tau, np.asarray(native.rank, dtype=int))
