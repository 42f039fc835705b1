"""What all tasks share: error, Jacobian and bias of something that a robot shall do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray, IndexArray, read_only_copy
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks.block import Block

GAIN = 10.0
"""Default rate [1/s] at which errors decay: to a third in a tenth of a second."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Task(ABC):
    """A function w(q) that shall reach a target, or follow one (Buschmann 2014 (5.1)).

    The error e points from where the robot is to the target, so that the closed loop is
    ``J v = velocity + gain * e`` (5.5) and ``J vdot + Jdot v = acceleration + 2 gain (velocity - J v) + gain^2 e``
    (5.19), which is critically damped.

    Attributes
    ----------
    gain : float
        Rate of decay of the error [1/s].
    weight : float or array_like, shape (rows,)
        How much an error counts beside those of other tasks [1/m, 1/rad, ...].
    axes : sequence of bool, optional
        Which entries of the full error count; all by default.
    velocity, acceleration : array_like, shape (..., full rows), optional
        Of the target, in the axes of the error; zero by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {}
    """Fields of a kind of task that may have batch axes, with the number of axes of one target."""

    gain: float = GAIN
    weight: npt.ArrayLike = 1.0
    axes: Sequence[bool] | None = None
    velocity: npt.ArrayLike | None = None
    acceleration: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.gain, float | int | np.number) and np.isfinite(self.gain) and self.gain >= 0):
            raise ArgumentError(
                f"gain of {type(self).__name__} is {self.gain!r}; expected a number of at least 0 [1/s]"
            )
        for name in ("frame", "reference"):
            value = getattr(self, name, None)
            if not (isinstance(value, str) or (value is None and (name == "reference" or not hasattr(self, name)))):
                raise ArgumentError(f"{name} of {type(self).__name__} is {value!r}; expected the name of a frame")
        for name in ("velocity", "acceleration"):
            if getattr(self, name) is not None:
                array = as_array(getattr(self, name), f"{name} of {type(self).__name__}")
                object.__setattr__(self, name, read_only_copy(array))
        weight = as_array(self.weight, f"weight of {type(self).__name__}")
        if weight.ndim > 1 or (weight < 0).any():
            raise ArgumentError(f"weight of {type(self).__name__} is {self.weight!r}; expected numbers of at least 0")

    # What a task is made of, without the choice of axes.

    @abstractmethod
    def full_rows(self, model: Model) -> int:
        """Entries of the error before `axes` chooses."""

    @abstractmethod
    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Error of shape (..., full rows)."""

    @abstractmethod
    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Jacobian of shape (..., full rows, nv)."""

    @abstractmethod
    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Rate of the Jacobian times v, shape (..., full rows)."""

    # What solvers use.

    def chosen(self, model: Model) -> BoolArray:
        """Which entries of the full error count, shape (full rows,)."""
        count = self.full_rows(model)
        if self.axes is None:
            return np.ones(count, dtype=bool)
        mask = np.asarray(self.axes)
        if mask.shape != (count,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(
                f"axes of {type(self).__name__} is {self.axes!r}; expected {count} booleans, one of them True at least"
            )
        return mask

    def rows(self, model: Model) -> int:
        """Entries of the error."""
        return int(np.count_nonzero(self.chosen(model)))

    def error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """What is missing to the target.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        e : ndarray, shape (..., rows)
        """
        return self.full_error(model, q)[..., self.chosen(model)]

    def jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """J, with which the robot moves by J v towards where the error points.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        J : ndarray, shape (..., rows, nv)
            d/dt e = -J v for a target at rest, to first order in the errors of orientations, exactly for all others.
        """
        return self.full_jacobian(model, q)[..., self.chosen(model), :]

    def jacobian_dot_v(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Rate of the Jacobian times v: d/dt (J v) = J vdot + Jdot v.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        v : array_like, shape (..., nv)

        Returns
        -------
        Jdot_v : ndarray, shape (..., rows)
        """
        return self.full_bias(model, q, v)[..., self.chosen(model)]

    def target_velocity(self, model: Model) -> FloatArray:
        """Velocity of the target, shape (..., rows)."""
        return self._of_target(model, "velocity")

    def target_acceleration(self, model: Model) -> FloatArray:
        """Acceleration of the target, shape (..., rows)."""
        return self._of_target(model, "acceleration")

    def weights(self, model: Model) -> FloatArray:
        """Weight of each entry of the error, shape (rows,)."""
        weight, count = np.asarray(self.weight, dtype=float), self.rows(model)
        if weight.shape not in ((), (count,)):
            raise ShapeError(
                f"weight of {type(self).__name__}: found shape {weight.shape}, expected a number or ({count},)"
            )
        return np.broadcast_to(weight, (count,))

    def blocks(self, model: Model) -> tuple[Block, ...] | None:
        """The task for the native core; None where that does not know it, and it is evaluated in Python."""
        return None

    def with_target(self, **target: Any) -> Self:
        """The same task with other fields, for targets that move: ``task.with_target(pose=X, velocity=V)``."""
        return replace(self, **target)

    def batch_shape(self) -> tuple[int, ...]:
        """Batch axes of the targets, which broadcast against those of q."""
        return np.broadcast_shapes(*(np.shape(value)[: np.ndim(value) - axes] for _, value, axes in self._targets()))

    def of_rows(self, batch: tuple[int, ...], rows: IndexArray) -> Self:
        """The task of some members of a batch, which are numbered as if it had one axis.

        Parameters
        ----------
        batch : tuple of int
            Shape of the whole batch.
        rows : ndarray, shape (n,)

        Returns
        -------
        task : Task
            With targets of batch shape (n,), or without batch axes as before.
        """
        taken: dict[str, Any] = {}
        for name, value, axes in self._targets():
            array = np.asarray(value, dtype=float)
            single = array.shape[array.ndim - axes :]
            if array.ndim > axes:
                taken[name] = np.broadcast_to(array, (*batch, *single)).reshape(-1, *single)[rows]
        return replace(self, **taken) if taken else self

    def _targets(self) -> list[tuple[str, npt.ArrayLike, int]]:
        """Name, value and axes of one target, of all fields that are given."""
        fields = {**self.target_axes, "velocity": 1, "acceleration": 1}
        return [(name, getattr(self, name), axes) for name, axes in fields.items() if getattr(self, name) is not None]

    def _of_target(self, model: Model, name: str) -> FloatArray:
        value = getattr(self, name)
        chosen = self.chosen(model)
        if value is None:
            return np.zeros(np.count_nonzero(chosen))
        array = as_array(value, f"{name} of {type(self).__name__}")
        if array.shape[-1:] != chosen.shape:
            raise ShapeError(
                f"{name} of {type(self).__name__}: found shape {array.shape}, expected (..., {len(chosen)})"
            )
        result: FloatArray = array[..., chosen]
        return result


def as_tasks(tasks: object, name: str = "tasks") -> tuple[Task, ...]:
    """One task or several as a tuple; what is none is refused by the `name` of the argument."""
    if isinstance(tasks, Task):
        return (tasks,)
    if not isinstance(tasks, Sequence):
        raise ArgumentError(f"{name} is {tasks!r}; expected a task of tarsus.tasks, or several")
    if not tasks:
        raise ArgumentError(f"{name} is empty; expected at least one task")
    for task in tasks:
        if not isinstance(task, Task):
            raise ArgumentError(f"{name} holds {task!r}; expected tasks of tarsus.tasks")
    return tuple(tasks)
