"""Inverse dynamics: forces from accelerations."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import Literal

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.model.model import Model

InverseMethod = Literal["recursive", "newton-euler", "denoc", "gauss"]
"""Methods of `inverse_dynamics`; the native table has the same."""


@native
def inverse_dynamics(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike,
    external: npt.ArrayLike | None = None,
    method: InverseMethod = "recursive",
    *,
    passive: bool = False,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Generalised forces that a motion needs: tau = M vdot + bias - J^T external.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, vdot : array_like, shape (..., nv)
        For a free base the body-frame twist, linear first, and its component derivative.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies at their origins, world axes: force [N], then moment [N m]. `body_wrenches` makes
        them from wrenches at frames.
    method : {"recursive", "newton-euler", "denoc", "gauss"}
        Each is an algorithm of its own; all give the same forces up to rounding. The recursive Newton-Euler method,
        O(n): Buschmann 2014 (3.23) evaluated from the root to the leaves and back. Or (3.23) as it stands, wrenches
        projected by the Jacobians of all bodies, O(n d) at depth d. Or N_d^T N_l^T (M dt/dt + Omega M E t - w) by
        the recursions of the DeNOC matrices in world axes, O(n), Shah, Saha and Dutt (13). Or the gradient
        of Gauss' deviation in parameter coordinates, with unit quaternions, Bouyarmane and Kheddar 2012 (23), (35).
    passive : bool
        Count what joint friction, damping and springs contribute, so that tau is what the drives must deliver.
    out : ndarray, shape (..., nv), optional
        Takes the result.
    threads : int
        Number of cores a batch may use; results do not depend on it.

    Returns
    -------
    tau : ndarray, shape (..., nv)
        [N or N m], the six entries of a free base included: force and moment in base axes.
    """


@native
def bias_force(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Gravity, Coriolis and centrifugal forces: `inverse_dynamics` with vdot = 0.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    ndarray, shape (..., nv)
    """


@native
def gravity_force(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Forces that hold the robot at rest against gravity: `inverse_dynamics` with v = vdot = 0.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    ndarray, shape (..., nv)
    """


@native
def passive_force(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Forces of joint damping, Coulomb friction and springs, -d v - f sign(v) - k (q - rest), and what carries weights.

    Springs of spherical joints turn them back by -k log(R_rest^T R), those of free joints draw them back by
    -k R^T (p - p_rest), too. Parts of weights that are carried for bodies (`Body.carried`) are forces -m g at their
    centres of mass. Those of tendons act on all the joints that they run along.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    ndarray, shape (..., nv)
        Forces on the robot, to be added to tau.
    """


@native
def torque_regressor(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    vdot: npt.ArrayLike,
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Matrix Y with inverse_dynamics = Y pi, linear in the inertial parameters.

    pi stacks `body.inertia.parameters` of all bodies: (m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), moments
    about the body's origin. Armature is not among them: add armature * vdot, and armature * (omega x v) at the slides
    of free and planar joints.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v, vdot : array_like, shape (..., nv)

    Returns
    -------
    Y : ndarray, shape (..., nv, 10 nb)
    """
