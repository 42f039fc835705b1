"""What tasks ask of accelerations: feed-forward and feedback, Buschmann 2014 (5.18)-(5.19)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, KinematicsWarning
from tarsus.ik.velocity.closed_loop import stacked
from tarsus.model import Model
from tarsus.tasks import Task
from tarsus.tasks.task import as_tasks

STABLE = 1.0
"""Gain times step from which on errors grow: there an eigenvalue of the steps of `follow_acceleration` is -1."""

Levels = tuple[tuple[Task, ...], ...]
"""Tasks of falling priority."""


def as_levels(tasks: Task | Sequence[Task] | Sequence[Sequence[Task]]) -> Levels:
    """Tasks, or levels of tasks of falling priority, as levels; what is neither is refused by name."""
    if isinstance(tasks, Sequence) and any(isinstance(level, Sequence) for level in tasks):
        return tuple(as_tasks(level) for level in tasks)
    return (as_tasks(tasks),)


def wanted_acceleration(model: Model, task: Task, q: npt.ArrayLike, v: FloatArray) -> FloatArray:
    """W'' = acceleration + 2 gain (velocity - J v) + gain^2 error (5.19), critically damped, shape (..., rows)."""
    rate = (task.jacobian(model, q) @ v[..., None])[..., 0]
    lag = task.target_velocity(model) - rate
    return np.asarray(task.target_acceleration(model) + 2 * task.gain * lag + task.gain**2 * task.error(model, q))


def demanded_acceleration(model: Model, tasks: Sequence[Task], q: npt.ArrayLike, v: FloatArray) -> FloatArray:
    """B of J vdot = b: what is wanted less the rate of J times v (5.18), of all tasks, shape (..., m)."""
    return stacked([wanted_acceleration(model, task, q, v) - task.jacobian_dot_v(model, q, v) for task in tasks])


def row_names(model: Model, tasks: Sequence[Task]) -> list[str]:
    """A name for each row of the tasks."""
    names = []
    for task in tasks:
        about = getattr(task, "frame", "")
        label = f"{type(task).__name__}{f' of {about!r}' if about else ''}"
        names += [f"row {k} of {label}" for k in np.flatnonzero(task.chosen(model))]
    return names


def warn_of_gains(levels: Levels, dt: float) -> None:
    """Tell gains with which integration by steps of `dt` [s] does not settle."""
    if not (np.isfinite(dt) and dt > 0):
        raise ArgumentError(f"dt is {dt!r}; expected a number above 0 [s]")
    for task in (task for level in levels for task in level):
        if task.gain * dt >= STABLE:
            warnings.warn(
                f"{type(task).__name__}: gain {task.gain:g} 1/s times the step {dt:g} s is {task.gain * dt:.3g}, and "
                f"from {STABLE:g} on errors of second order grow; take a gain below {STABLE / dt:.3g} 1/s, or shorter "
                "steps",
                KinematicsWarning,
                stacklevel=3,
            )
