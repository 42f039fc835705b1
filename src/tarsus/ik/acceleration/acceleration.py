"""Acceleration-level inverse kinematics: joint accelerations that follow tasks (Buschmann 2014, 5.1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.acceleration.answer import DAMPED, SOLVED, TASKS, AccelerationAnswer
from tarsus.ik.acceleration.cost import Cost, Dynamics, Minimised, cost_of, dynamics_at
from tarsus.ik.acceleration.demand import (
    Levels,
    as_levels,
    demanded_acceleration,
    row_names,
    wanted_acceleration,
    warn_of_gains,
)
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.acceleration.prioritized import MISSED, TaskRows, conflict_of, prioritized_acceleration
from tarsus.ik.objectives import Objective, Sum
from tarsus.ik.position.answer import shaped
from tarsus.ik.velocity.closed_loop import stacked, stacked_jacobian
from tarsus.ik.velocity.damped import adaptive_damping
from tarsus.ik.velocity.joint_limits import rate_names
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks import Task

TaskLevels = Task | Sequence[Task] | Sequence[Sequence[Task]]
"""Tasks, or levels of tasks of falling priority."""


def acceleration(
    model: Model,
    tasks: TaskLevels,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    minimise: Minimised = "acceleration",
    damping: float = 0.0,
    gradient: npt.ArrayLike | None = None,
    objectives: Objective | Sequence[Objective] = (),
    limits: SecondOrderLimits | None = None,
    external: npt.ArrayLike | None = None,
    dt: float | None = None,
) -> AccelerationAnswer:
    """Joint accelerations with which tasks move to their targets and follow them, and the torques that make them.

    J vdot + Jdot v = acceleration + 2 gain (velocity - J v) + gain^2 error, (5.18) and (5.19), critically damped; of
    all such accelerations the one that is nearest to -damping v - gradient in the sense of `minimise`.

    Parameters
    ----------
    tasks : Task, sequence of Task, or sequence of sequences of Task
        Levels of falling priority where it is a sequence of sequences: none disturbs the ones before.
    q : array_like, shape (..., nq)
    v : array_like, shape (..., nv)
        Batch axes broadcast against each other and against those of targets. With limits or several levels, states are
        solved one by one.
    minimise : {"acceleration", "inertia", "torque", "gauss"}
        |vdot|^2, vdot^T M vdot, |tau|^2 (Hollerbach and Suh 1987), tau^T M^-1 tau (Khatib 1987). "torque" asks no
        torque of coordinates without drive. Its motions in the nullspace may grow unless they are damped.
    damping : float
        Rate at which velocities that the tasks do not need decay [1/s].
    gradient : array_like, shape (..., nv), optional
        An acceleration that shall be had with the opposite sign where the tasks leave room.
    objectives : objective or sequence of them
        Of `tarsus.ik.objectives`: functions of the configuration whose gradients act as accelerations.
    limits : SecondOrderLimits, optional
        Rows that come before all tasks.
    external : array_like, shape (..., nb, 6), optional
        Wrenches on the bodies, as for `tarsus.inverse_dynamics`.
    dt : float, optional
        Step with which vdot will be integrated [s]; gains that are too large for it are warned of.

    Returns
    -------
    AccelerationAnswer
    """
    levels = as_levels(tasks)
    if not (isinstance(damping, int | float) and np.isfinite(damping) and damping >= 0):
        raise ArgumentError(f"damping is {damping!r}; expected a number of at least 0 [1/s]")
    if limits is not None and not isinstance(limits, SecondOrderLimits):
        raise ArgumentError(f"limits is {limits!r}; expected tarsus.ik.SecondOrderLimits")
    if dt is not None:
        warn_of_gains(levels, dt)
    if model.nv == 0:
        raise ArgumentError(f"model {model.name!r} has no coordinates: nothing can be accelerated")
    q, v = as_vector(q, "q", model.nq), as_vector(v, "v", model.nv)
    dynamics = dynamics_at(model, q, v, external)
    z = _gradient(model, gradient, objectives, q)
    cost = cost_of(minimise, dynamics, v, float(damping), z)
    needs_drives = minimise == "torque" or (limits is not None and limits.torque)
    undriven = needs_drives and not model.actuated.all()
    everything = [task for level in levels for task in level]
    wanted = stacked([wanted_acceleration(model, task, q, v) for task in everything])
    b = demanded_acceleration(model, everything, q, v)
    J = stacked_jacobian(model, everything, q)
    batch = np.broadcast_shapes(b.shape[:-1], J.shape[:-2], cost.preferred.shape[:-1])
    problem = _Batch(model, q, v, levels, J, b, dynamics, cost, batch)
    if limits is None and len(levels) == 1 and not undriven:
        vdot, status, conflict = problem.closed_form()
    else:
        vdot, status, conflict = problem.one_by_one(limits, undriven, minimise == "torque")
    missed = np.abs(b - (J @ vdot[..., None])[..., 0]).max(axis=-1)
    wanted = np.broadcast_to(wanted, (*batch, wanted.shape[-1]))
    told = status.item() if not batch else status
    rows = conflict.item() if not batch else conflict
    return AccelerationAnswer(vdot, dynamics.torque(vdot), wanted, shaped(missed, batch), told, rows)


class _Batch:
    """All states of a call, with the rows of all tasks."""

    def __init__(
        self,
        model: Model,
        q: FloatArray,
        v: FloatArray,
        levels: Levels,
        J: FloatArray,
        b: FloatArray,
        dynamics: Dynamics,
        cost: Cost,
        batch: tuple[int, ...],
    ) -> None:
        self.model, self.levels, self.batch = model, levels, batch
        self.q, self.v = np.broadcast_to(q, (*batch, model.nq)), np.broadcast_to(v, (*batch, model.nv))
        self.J, self.b = np.broadcast_to(J, (*batch, *J.shape[-2:])), np.broadcast_to(b, (*batch, b.shape[-1]))
        nv = model.nv
        self.dynamics = Dynamics(
            np.broadcast_to(dynamics.M, (*batch, nv, nv)), np.broadcast_to(dynamics.h, (*batch, nv))
        )
        factor = None if cost.factor is None else np.broadcast_to(cost.factor, (*batch, *cost.factor.shape[-2:]))
        self.cost = Cost(factor, np.broadcast_to(cost.preferred, (*batch, nv)))
        self.status, self.conflict = np.full(batch, SOLVED, dtype=object), np.empty(batch, dtype=object)
        self.conflict.fill(())

    def closed_form(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Vdot = a + W^-1 J^T (J W^-1 J^T + k)^-1 (b - J a) with a the preferred one; damping k near singularities."""
        J, J_t, a = self.J, np.swapaxes(self.J, -1, -2), self.cost.preferred
        W_J_t = self.cost.into_columns(J_t)
        B = J @ W_J_t
        square, size = np.trace(J @ J_t, axis1=-2, axis2=-1), np.trace(B, axis1=-2, axis2=-1)
        scale = np.where(square > 0, size, 1.0) / np.where(square > 0, square, 1.0)  # of W^-1: k is one of J J^T
        damped = B + (adaptive_damping(J) * scale)[..., None, None] * np.eye(J.shape[-2])
        lacking = self.b - (J @ a[..., None])[..., 0]
        vdot = a + (W_J_t @ np.linalg.solve(damped, lacking[..., None]))[..., 0]
        missed = np.abs(self.b - (J @ vdot[..., None])[..., 0]).max(axis=-1)
        for i in map(tuple, np.argwhere(missed > MISSED * np.maximum(1.0, np.abs(self.b).max(axis=-1)))):
            rows = [TaskRows(J[i], self.b[i], row_names(self.model, self.levels[0]))]
            self.conflict[i] = conflict_of(self.model.nv, rows, None)
            self.status[i] = TASKS if self.conflict[i] else DAMPED
        return vdot, self.status, self.conflict

    def one_by_one(
        self, limits: SecondOrderLimits | None, undriven: bool, of_drives: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """By hierarchies, state after state."""
        model, driven = self.model, self.model.actuated
        vdot = np.empty((*self.batch, model.nv))
        names = [row_names(model, level) for level in self.levels]
        ends = np.cumsum([len(level) for level in names])
        idle = [f"no drive of {name!r}" for name, on in zip(rate_names(model), driven, strict=True) if not on]
        for i in np.ndindex(self.batch):
            M, h = self.dynamics.M[i], self.dynamics.h[i]
            levels = [
                TaskRows(self.J[i][end - len(own) : end], self.b[i][end - len(own) : end], own)
                for end, own in zip(ends, names, strict=True)
            ]
            free = TaskRows(M[~driven], -h[~driven], idle) if undriven else None
            rows = None if limits is None else limits.rows(model, self.q[i], self.v[i], Dynamics(M, h))
            factor = None if self.cost.factor is None else self.cost.factor[i]
            if of_drives and factor is not None:
                factor = factor[driven]
            cost = replace(self.cost, factor=factor, preferred=self.cost.preferred[i])
            vdot[i], self.status[i], self.conflict[i] = prioritized_acceleration(levels, free, rows, cost)
        return vdot, self.status, self.conflict


def _gradient(
    model: Model, gradient: npt.ArrayLike | None, objectives: Objective | Sequence[Objective], q: FloatArray
) -> FloatArray:
    z = np.zeros(model.nv) if gradient is None else as_vector(gradient, "gradient", model.nv)
    given = sum_of(objectives)
    return z if given is None else z + given.gradient(model, q)


def sum_of(objectives: Objective | Sequence[Objective]) -> Objective | None:
    """All objectives as one; None where there is none."""
    if not isinstance(objectives, Objective | Sequence):
        raise ArgumentError(
            f"objectives is {objectives!r}; expected objectives of the configuration, not of velocities"
        )
    given = (objectives,) if isinstance(objectives, Objective) else tuple(objectives)
    return Sum(given) if given else None
