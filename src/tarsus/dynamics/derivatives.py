"""Analytic partial derivatives of dynamics and of Jacobians.

Derivatives with respect to a configuration are taken in the tangent space of the manifold, like velocities: entry j is
the derivative along `model.integrate(q, t e_j)` at t = 0. For joints whose coordinates are a vector this is the partial
derivative; for a free base it is the change per metre and radian along the base's own axes, whatever the
parametrisation of its rotation.

Joints may follow others, by ratios, polynomials and loops: columns are then along the independent joints, with the
others following.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.dynamics.kinematics import ExpressedIn
from tarsus.model.model import Model


@native
def inverse_dynamics_derivatives(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    *,
    passive: bool = False,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Partial derivatives of `inverse_dynamics` with respect to q, v and vdot.

    Recursion over joint screws, O(n d) for a tree of depth d: Singh, Russo and Wensing 2022; Carpentier and Mansard
    2018. Entries between joints of different branches are exactly zero.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, vdot : array_like, shape (..., nv)
        For a free base the body-frame twist, linear first, and its component derivative.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, world axes: force [N], then moment [N m]. They are constant in world
        axes and act at the origins wherever these move, so that d/dq contains the moving point of application.
        (A wrench fixed to its body, as Pinocchio has it, would have other derivatives.)
    passive : bool
        Count `passive_force`: dampers and springs. Coulomb friction counts with the derivative that it has wherever no
        joint is at rest, which is zero.
    out : ndarray, shape (..., 3, nv, nv), optional
        Takes the result.
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    ndarray, shape (..., 3, nv, nv)
        d tau / dq in the tangent space, d tau / dv, and d tau / dvdot, which is the mass matrix. Rows are entries of
        tau, columns those of q, v and vdot.
    """


@native
def forward_dynamics_derivatives(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    tau: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    *,
    passive: bool = False,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Partial derivatives of `forward_dynamics` with respect to q, v and tau.

    d vdot / dq = -M^-1 d tau / dq at vdot = forward_dynamics(q, v, tau), and likewise for v (Carpentier and Mansard
    2018); M^-1 is applied through the factorisation M = L^T D L that keeps the zeros of the tree (Featherstone 2005).

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, tau : array_like, shape (..., nv)
        `tau` has entries for the base, too.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, constant in world axes, as in `inverse_dynamics_derivatives`.
    passive : bool
        Count `passive_force`: dampers and springs. Coulomb friction counts with the derivative that it has wherever no
        joint is at rest, which is zero.
    out : ndarray, shape (..., 3, nv, nv), optional
        Takes the result.
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    ndarray, shape (..., 3, nv, nv)
        d vdot / dq in the tangent space, d vdot / dv, and d vdot / dtau, which is the inverse of the mass matrix. Rows
        are entries of vdot.

    Raises
    ------
    MasslessJointError
        Where a joint moves no inertia; it is named.
    """


@native
def jacobian_derivative(
    model: Model,
    q: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Kinematic Hessian H of a frame: H[:, i, j] = d J[:, i] / d q_j in the tangent space.

    jacobian_dot = H @ v for the same choice of `expressed_in`. The linear part in "world" is the second derivative of
    the frame's position, symmetric in i and j but for pairs inside one free, planar or spherical joint; the other parts
    are not symmetric.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frame : str
    expressed_in : {"world", "local", "world_origin"}

    Returns
    -------
    H_WF : ndarray, shape (..., 6, nv, nv)
        Rows: linear, then angular.
    """
