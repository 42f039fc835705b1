"""Which of all accelerations that follow the tasks is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import inverse_dynamics, mass_matrix
from tarsus.errors import UnknownNameError, nearest
from tarsus.model import Model

Minimised = Literal["acceleration", "inertia", "torque", "gauss"]
"""What shall be small."""


@dataclass(frozen=True, eq=False)
class Dynamics:
    """tau = M vdot + h at one state, friction and springs of the joints included.

    Attributes
    ----------
    M : ndarray, shape (..., nv, nv)
    h : ndarray, shape (..., nv)
    """

    M: FloatArray
    h: FloatArray

    def torque(self, vdot: FloatArray) -> FloatArray:
        """tau, shape (..., nv)."""
        return np.asarray((self.M @ vdot[..., None])[..., 0] + self.h)


def dynamics_at(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, external: npt.ArrayLike | None) -> Dynamics:
    """Mass matrix and bias at a state."""
    h = inverse_dynamics(model, q, v, np.zeros(model.nv), external, passive=True)
    M = mass_matrix(model, q)
    return Dynamics(np.broadcast_to(M, (*h.shape[:-1], *M.shape[-2:])), h)


@dataclass(frozen=True, eq=False)
class Cost:
    """1/2 |F (vdot - preferred)|^2.

    Attributes
    ----------
    factor : ndarray, shape (..., r, nv), or None
        F; the identity where it is None.
    preferred : ndarray, shape (..., nv)
        The acceleration that would be taken if there were no tasks.
    """

    factor: FloatArray | None
    preferred: FloatArray

    def into_columns(self, J_t: FloatArray) -> FloatArray:
        """(F^T F)^-1 J^T, shape (..., nv, m), for square F."""
        if self.factor is None:
            return J_t
        return np.asarray(np.linalg.solve(self.factor, np.linalg.solve(np.swapaxes(self.factor, -1, -2), J_t)))


def cost_of(minimised: Minimised, dynamics: Dynamics, v: FloatArray, damping: float, z: FloatArray) -> Cost:
    """The cost of an acceleration.

    "acceleration" |vdot|^2, "inertia" vdot^T M vdot, "torque" |tau|^2 (Hollerbach and Suh 1987), "gauss" tau^T M^-1
    tau, which is nearest to the motion without torques in the sense of Gauss and leads to the operational space
    formulation (Khatib 1987). Damping and gradients shift what is preferred by -damping v - z.

    Parameters
    ----------
    v, z : ndarray, shape (..., nv)
        z is the gradient of objectives.
    """
    if minimised not in get_args(Minimised):
        raise UnknownNameError(
            f"minimise {minimised!r} of acceleration not found{nearest(minimised, get_args(Minimised))}"
        )
    wish = np.broadcast_to(-damping * v - z, dynamics.h.shape)
    if minimised == "acceleration":
        return Cost(None, wish)
    if minimised in ("torque", "gauss"):
        wish = wish - np.linalg.solve(dynamics.M, dynamics.h[..., None])[..., 0]
    factor = dynamics.M if minimised == "torque" else np.swapaxes(np.linalg.cholesky(dynamics.M), -1, -2)
    return Cost(factor, wish)
