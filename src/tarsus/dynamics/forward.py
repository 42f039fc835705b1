"""Forward dynamics: accelerations from forces."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import Literal

import numpy.typing as npt

from tarsus.dynamics._binding import native
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray


@native
def forward_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    method: Literal["articulated-body", "composite-body", "gauss"] = "articulated-body",
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
    method : {"articulated-body", "composite-body", "gauss"}
        Articulated bodies in O(n), Buschmann 2014 section 3.3.2 (3.54); or the mass matrix by composite bodies and
        its Cholesky factorisation, section 3.2.4. All give the same accelerations up to rounding. A model with
        coupled joints is always solved through its reduced mass matrix.

        "gauss": Gauss' principle in parameter coordinates, with unit quaternions and their multiplier eliminated,
        Bouyarmane and Kheddar 2012 (35) and (30); `gauss_system` offers every other parametrisation.
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
