"""Impedance control: tasks that yield like springs with dampers, Hogan 1985."""

from __future__ import annotations

from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.driven_model import require_drives, within_limits
from tarsus.control.operational_space import TasksOverTime, check_beside, free_acceleration
from tarsus.control.task_inertia import task_inertia
from tarsus.dynamics import inverse_dynamics, mass_matrix
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.closed_loop import stacked, stacked_jacobian
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks import Posture
from tarsus.tasks.task import as_tasks


@final
class Impedance:
    """A controller ``law(t, q, v)`` for `tarsus.simulate`, for robots with drives everywhere.

    tau = J^T (K e + D (velocity - J v)) + h + N^T M a_0: the tool is held by springs K, needs no sensor of forces, and
    keeps its own inertia Lambda. D damps every mode of Lambda and K by the same ratio (Albu-Schaeffer, Ott, Frese and
    Hirzinger 2003, double diagonalisation); where Lambda is diagonal, it is 2 ratio sqrt(Lambda K).

    Parameters
    ----------
    tasks : Task, sequence of Task, or callable
        ``tasks(t)`` gives the tasks at time t. Their gains and accelerations are not looked at.
    stiffness : float or array_like, shape (m,)
        K of each row of the tasks [N/m, N m/rad].
    ratio : float
        Of the damping: 1 is critical.
    posture : Posture, optional
        What the joints should do beside the tasks.
    damping : float
        Of motions beside the tasks where there is no posture [1/s].
    limited : bool
        Cut torques to `model.tau_max`.
    """

    def __init__(
        self,
        model: Model,
        tasks: TasksOverTime,
        stiffness: npt.ArrayLike,
        *,
        ratio: float = 1.0,
        posture: Posture | None = None,
        damping: float = 10.0,
        limited: bool = True,
    ) -> None:
        require_drives(model, "Impedance")
        if not callable(tasks):
            as_tasks(tasks)
        check_beside("Impedance", posture, damping)
        K = as_array(stiffness, "stiffness of Impedance")
        if K.ndim > 1 or (K < 0).any():
            raise ArgumentError(f"stiffness of Impedance is {stiffness!r}; expected numbers of at least 0")
        if not (isinstance(ratio, int | float) and np.isfinite(ratio) and ratio >= 0):
            raise ArgumentError(f"ratio of Impedance is {ratio!r}; expected a number of at least 0")
        self.model, self.tasks, self.stiffness, self.ratio = model, tasks, K, float(ratio)
        self.posture, self.damping, self.limited = posture, float(damping), limited

    def __call__(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Torques at one moment, shape (..., nv)."""
        model = self.model
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        tasks = as_tasks(self.tasks(t) if callable(self.tasks) else self.tasks)
        M, J = mass_matrix(model, q), stacked_jacobian(model, tasks, q)
        m = J.shape[-2]
        if self.stiffness.shape not in ((), (m,)):
            raise ShapeError(f"stiffness of Impedance: found shape {self.stiffness.shape}, expected a number or ({m},)")
        K, seen = np.broadcast_to(self.stiffness, (m,)), task_inertia(J, M)
        error = stacked([task.error(model, q) for task in tasks])
        lag = stacked([task.target_velocity(model) for task in tasks]) - (J @ v[..., None])[..., 0]
        D = damping_matrix(seen.inertia, K, self.ratio)
        own = free_acceleration(model, self.posture, self.damping, q, v)
        tau = (
            seen.transposed(K * error + (D @ lag[..., None])[..., 0])
            + inverse_dynamics(model, q, v, np.zeros(model.nv), passive=True)
            + seen.in_nullspace((M @ own[..., None])[..., 0])
        )
        return within_limits(model, tau) if self.limited else tau


def damping_matrix(inertia: FloatArray, K: FloatArray, ratio: float) -> FloatArray:
    """D = 2 ratio L (L^-1 K L^-T)^1/2 L^T with Lambda = L L^T, shape (..., m, m): never negative.

    Parameters
    ----------
    inertia : ndarray, shape (..., m, m)
        Lambda.
    K : ndarray, shape (m,)
    """
    L = np.linalg.cholesky(0.5 * (inertia + np.swapaxes(inertia, -1, -2)))
    L_K = np.linalg.solve(L, np.broadcast_to(np.diag(np.sqrt(K)), inertia.shape))
    U, s, _ = np.linalg.svd(L_K)  # its square is L^-1 K L^-T
    half = L @ (U * np.sqrt(s)[..., None, :])
    return np.asarray(2 * ratio * half @ np.swapaxes(half, -1, -2))
