"""Jacobians of frames and bodies; they exploit the tree, Buschmann 2014 (2.81)-(2.87)."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.dynamics.kinematics import ExpressedIn
from tarsus.model.model import Model


@native
def jacobian(
    model: Model,
    q: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Jacobian J with frame_velocity = J v.

    Only joints between the root and the frame are visited (Buschmann 2014 (2.87), where the predecessor set
    restricts the column index l, not m as printed); other columns are zero.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frame : str
    expressed_in : {"world", "local", "world_origin"}

    Returns
    -------
    J_WF : ndarray, shape (..., 6, nv)
        Rows: linear, then angular.
    """


@native
def jacobian_dot(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Time derivative of `jacobian` along the motion v.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    frame : str
    expressed_in : {"world", "local", "world_origin"}

    Returns
    -------
    dJ_WF : ndarray, shape (..., 6, nv)
    """


@native
def jacobian_dot_v(
    model: Model,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    frame: str,
    expressed_in: ExpressedIn = "world",
    *,
    out: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """The part of `frame_acceleration` that does not depend on vdot: jacobian_dot @ v.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
    frame : str
    expressed_in : {"world", "local", "world_origin"}

    Returns
    -------
    ndarray, shape (..., 6)
    """


@native
def joint_screws(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Unit twists of all joints at the world origin, in world axes.

    Column k is the twist that v[k] = 1 gives to everything behind its joint; the Jacobian of a body in
    "world_origin" selects the columns of the body's predecessors.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    S : ndarray, shape (..., 6, nv)
    """


@native
def body_jacobians(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Jacobians of all bodies: origin at the body, world axes, Buschmann 2014 (2.87).

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    J_WB : ndarray, shape (..., nb, 6, nv)
    """
