"""Forward dynamics: accelerations from forces."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import Literal

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.model.model import Model

ForwardMethod = Literal[
    "articulated-body",
    "composite-body",
    "composite-body-sparse",
    "newton-euler",
    "newton-euler-sparse",
    "denoc",
    "gauss",
]
"""Methods of `forward_dynamics`; the native table has the same."""


@native
def forward_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    method: ForwardMethod = "articulated-body",
    *,
    passive: bool = False,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Accelerations under given generalised forces: M vdot = tau + J^T external - bias.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, tau : array_like, shape (..., nv)
        `tau` has entries for the base, too.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, world axes: force [N], then moment [N m].
    method : str
        Each is an algorithm of its own; all give the same accelerations up to rounding (`docs/formulations.md`):

        - "articulated-body": joints eliminated from the leaves to the root, O(n), Buschmann 2014 section 3.3.2 (3.54).
        - "composite-body": mass matrix by composite bodies, full Cholesky factorisation, section 3.2.4, O(n^3).
        - "composite-body-sparse": the same with the reversed sparse Cholesky factorisation M = L^T L that keeps the
          zeros between branches, Featherstone 2005, O(n d^2) at depth d.
        - "newton-euler": global Jacobians of all bodies, M = sum J_i^T M_i J_i, Buschmann 2014 (3.23)-(3.28), no use
          of sparsity, O(n^3).
        - "newton-euler-sparse": the same with predecessors only, (2.87) and (3.29), and the sparse factorisation.
        - "denoc": M = U D U^T by reverse Gaussian elimination, O(n), Shah, Saha and Dutt section 3.2.
        - "gauss": Gauss' principle in parameter coordinates, with unit quaternions and their multiplier eliminated,
          Bouyarmane and Kheddar 2012 (35) and (30); `gauss_system` offers every other parametrisation.

        A model with coupled joints is always solved through its reduced mass matrix.
    passive : bool
        Add `passive_force`.
    out : ndarray, shape (..., nv), optional
        Takes the result.
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    vdot : ndarray, shape (..., nv)
        Component derivative of v.

    Raises
    ------
    MasslessJointError
        Where a joint moves no inertia; it is named.
    """


@native
def solve_mass(
    model: Model, q: npt.ArrayLike, rhs: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """M^-1 rhs in O(n), without forming the mass matrix.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    rhs : array_like, shape (..., nv)
        Several right-hand sides are a batch axis.

    Returns
    -------
    ndarray, shape (..., nv)
    """
