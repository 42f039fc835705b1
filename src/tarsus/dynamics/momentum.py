"""Centre of mass, centroidal momentum and energies."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.model.model import Model


@native
def center_of_mass(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Centre of mass of the whole robot.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    p_WC : ndarray, shape (..., 3)
        Position in the world [m].
    """


@native
def com_jacobian(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Jacobian of the centre of mass: its velocity in world axes is J v.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    J_WC : ndarray, shape (..., 3, nv)
    """


@native
def momentum(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Linear and angular momentum about the centre of mass, world axes.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    h : ndarray, shape (..., 6)
        Linear [N s], then angular [N m s]. Momentum of rotors (armature) is not included.
    """


@native
def momentum_matrix(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Centroidal momentum matrix A with momentum = A v (Orin and Goswami 2008).

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    A : ndarray, shape (..., 6, nv)
    """


@native
def momentum_dot_v(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Rate of the momentum without acceleration: dA/dt v of d/dt momentum = A vdot + dA/dt v, Buschmann 2014 (5.86).

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    Adot_v : ndarray, shape (..., 6)
        Force [N], then moment about the centre of mass [N m], world axes.
    """


@native
def kinetic_energy(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Kinetic energy v^T M v / 2, rotors (armature) included.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    ndarray, shape (...)
        [J].
    """


@native
def potential_energy(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Potential energy in the field of gravity, zero at the world origin; springs not included.

    Weights that are carried (`Body.carried`) count in full: what carries them is a passive force.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    ndarray, shape (...)
        [J].
    """
