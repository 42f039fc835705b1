"""The equations of motion seen by tasks: the operational space formulation, Khatib 1987."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.damped import adaptive_damping


@dataclass(frozen=True, eq=False)
class TaskInertia:
    """Inertia of the rows of a Jacobian.

    Attributes
    ----------
    J : ndarray, shape (..., m, nv)
    inertia : ndarray, shape (..., m, m)
        Lambda = (J M^-1 J^T)^-1, damped near singularities.
    inverse : ndarray, shape (..., nv, m)
        M^-1 J^T Lambda, the dynamically consistent inverse of J.
    """

    J: FloatArray
    inertia: FloatArray
    inverse: FloatArray

    def torque(self, acceleration: FloatArray) -> FloatArray:
        """J^T Lambda a, shape (..., nv), for a of shape (..., m)."""
        force = (self.inertia @ acceleration[..., None])[..., 0]
        return self.transposed(force)

    def transposed(self, force: FloatArray) -> FloatArray:
        """J^T f, shape (..., nv), for f of shape (..., m)."""
        return np.asarray((np.swapaxes(self.J, -1, -2) @ force[..., None])[..., 0])

    def in_nullspace(self, tau: FloatArray) -> FloatArray:
        """N^T tau with N = 1 - inverse J: torques that do not accelerate the tasks, shape (..., nv)."""
        seen = (np.swapaxes(self.inverse, -1, -2) @ tau[..., None])[..., 0]
        return tau - self.transposed(seen)


def task_inertia(J: FloatArray, M: FloatArray) -> TaskInertia:
    """Lambda and the inverse that goes with it.

    Parameters
    ----------
    J : ndarray, shape (..., m, nv)
    M : ndarray, shape (..., nv, nv)
    """
    J_t = np.swapaxes(J, -1, -2)
    M_J_t = np.linalg.solve(M, J_t)
    B = J @ M_J_t
    square, size = np.trace(J @ J_t, axis1=-2, axis2=-1), np.trace(B, axis1=-2, axis2=-1)
    scale = np.where(square > 0, size, 1.0) / np.where(square > 0, square, 1.0)
    damping = (adaptive_damping(J) * scale)[..., None, None]
    inertia = np.asarray(np.linalg.inv(B + damping * np.eye(J.shape[-2])), dtype=float)
    return TaskInertia(J, inertia, M_J_t @ inertia)
