"""Mass matrix and Coriolis matrix."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics._binding import native
from tarsus.model.model import Model


@native
def mass_matrix(model: Model, q: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1) -> FloatArray:
    """Joint-space inertia matrix by composite bodies, Buschmann 2014 section 3.2.4; armature on its diagonal.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    M : ndarray, shape (..., nv, nv)
        Symmetric, both triangles filled.
    """


@native
def coriolis_matrix(
    model: Model, q: npt.ArrayLike, v: npt.ArrayLike, *, out: FloatArray | None = None, threads: int = 1
) -> FloatArray:
    """Matrix C with bias_force = C v + gravity_force, for which dM/dt - 2 C is skew-symmetric.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)

    Returns
    -------
    C : ndarray, shape (..., nv, nv)
        By the method of Echeandia and Wensing (2021), O(n depth).
    """
