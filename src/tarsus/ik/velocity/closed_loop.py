"""What velocity tasks ask for: feed-forward and feedback, Buschmann 2014 (5.5)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import KinematicsWarning
from tarsus.model import Model
from tarsus.tasks import Task

STABLE = 2.0
"""Gain times step at which an error changes its sign from step to step and no longer falls."""


def desired_velocity(model: Model, tasks: Sequence[Task], q: npt.ArrayLike) -> FloatArray:
    """Velocity of the target plus gain times error, of all tasks, shape (..., m)."""
    return stacked([task.target_velocity(model) + task.gain * task.error(model, q) for task in tasks])


def stacked_jacobian(model: Model, tasks: Sequence[Task], q: npt.ArrayLike) -> FloatArray:
    """Jacobians of all tasks, shape (..., m, nv)."""
    return np.concatenate([task.jacobian(model, q) for task in tasks], axis=-2)


def stacked(parts: Sequence[FloatArray]) -> FloatArray:
    """Vectors one after the other, with batch axes that broadcast, shape (..., m)."""
    batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts], axis=-1)


def warn_of_gains(tasks: Sequence[Task], dt: float) -> None:
    """Tell gains with which integration by steps of `dt` does not settle: an error is multiplied by 1 - gain dt."""
    for task in tasks:
        if task.gain * dt > STABLE:
            warnings.warn(
                f"{type(task).__name__}: gain {task.gain:g} 1/s times the step {dt:g} s is {task.gain * dt:.3g}, and "
                f"beyond {STABLE:g} errors grow; take a gain below {STABLE / dt:.3g} 1/s, or shorter steps",
                KinematicsWarning,
                stacklevel=3,
            )
