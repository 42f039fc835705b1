"""Operational space control: torques with which tasks move as if they were alone, Khatib 1987."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.driven_model import require_drives, within_limits
from tarsus.control.task_inertia import task_inertia
from tarsus.dynamics import inverse_dynamics, mass_matrix
from tarsus.errors import ArgumentError
from tarsus.ik.acceleration.demand import demanded_acceleration
from tarsus.ik.velocity.closed_loop import stacked_jacobian
from tarsus.model import Model
from tarsus.tasks import Posture, Task
from tarsus.tasks.task import as_tasks

TasksOverTime = Task | Sequence[Task] | Callable[[float], Task | Sequence[Task]]
"""Tasks, or a function of time that gives them."""


@final
class OperationalSpace:
    """A controller ``law(t, q, v)`` for `tarsus.simulate`, for robots with drives everywhere.

    tau = J^T Lambda (w'' - Jdot v) + h + N^T M a_0: inertia, Coriolis forces, gravity, friction and springs are
    compensated, tasks follow w'' = acceleration + 2 gain (velocity - J v) + gain^2 error, and what they leave free
    moves by a_0 = gain^2 (posture - q) - 2 gain v of the posture, or is damped. It is "inertia" of
    `tarsus.ik.acceleration`.

    Parameters
    ----------
    tasks : Task, sequence of Task, or callable
        ``tasks(t)`` gives the tasks at time t.
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
        *,
        posture: Posture | None = None,
        damping: float = 10.0,
        limited: bool = True,
    ) -> None:
        require_drives(model, "OperationalSpace")
        if not callable(tasks):
            as_tasks(tasks)
        check_beside("OperationalSpace", posture, damping)
        self.model, self.tasks, self.posture = model, tasks, posture
        self.damping, self.limited = float(damping), limited

    def __call__(self, t: float, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Torques at one moment, shape (..., nv)."""
        model = self.model
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        tasks = as_tasks(self.tasks(t) if callable(self.tasks) else self.tasks)
        M = mass_matrix(model, q)
        seen = task_inertia(stacked_jacobian(model, tasks, q), M)
        own = free_acceleration(model, self.posture, self.damping, q, v)
        tau = (
            seen.torque(demanded_acceleration(model, tasks, q, v))
            + inverse_dynamics(model, q, v, np.zeros(model.nv), passive=True)
            + seen.in_nullspace((M @ own[..., None])[..., 0])
        )
        return within_limits(model, tau) if self.limited else tau


def check_beside(law: str, posture: object, damping: float) -> None:
    """Refuse by name what is no posture or no damping of a law."""
    if posture is not None and not isinstance(posture, Posture):
        raise ArgumentError(f"posture of {law} is {posture!r}; expected a tarsus.tasks.Posture")
    if not (isinstance(damping, int | float) and np.isfinite(damping) and damping >= 0):
        raise ArgumentError(f"damping of {law} is {damping!r}; expected a number of at least 0 [1/s]")


def free_acceleration(
    model: Model, posture: Posture | None, damping: float, q: FloatArray, v: FloatArray
) -> FloatArray:
    """What joints do beside the tasks, shape (..., nv): a posture of second order, or damping."""
    if posture is None:
        return -damping * v
    own = np.zeros(np.broadcast_shapes(np.shape(v), (*np.shape(q)[:-1], model.nv)))
    columns = posture.columns(model)[posture.chosen(model)]
    own[..., columns] = posture.gain**2 * posture.error(model, q)
    return own - 2 * posture.gain * v
