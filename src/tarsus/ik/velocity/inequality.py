"""Inequalities of velocities: rows lower <= A v <= upper that hold at one configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array, as_numbers
from tarsus.tasks import Task


class Moment(NamedTuple):
    """Where a robot is when velocities are looked for.

    Attributes
    ----------
    q : ndarray, shape (nq,)
    dt : float or None
        Step with which the velocity will be integrated [s].
    v_previous : ndarray, shape (nv,), or None
        Velocity of the step before.
    """

    q: FloatArray
    dt: float | None = None
    v_previous: FloatArray | None = None

    def step(self, what: str) -> float:
        """The step, which `what` needs."""
        if self.dt is None:
            raise ArgumentError(f"dt is missing; {what} need the step with which v is integrated [s]")
        return self.dt


class VelocityRows(NamedTuple):
    """Rows of one inequality.

    Attributes
    ----------
    A : ndarray, shape (m, nv)
    lower, upper : ndarray, shape (m,)
        Infinite where there is no bound.
    names : tuple of str
        What each row is about, for messages.
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]


class Inequality(ABC):
    """Something that velocities must respect: a limit, a distance, a corridor, rows of your own."""

    @abstractmethod
    def rows(self, model: Model, moment: Moment) -> VelocityRows:
        """Rows at one configuration."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearInequality(Inequality):
    """Rows of your own: lower <= A v <= upper.

    Attributes
    ----------
    A : array_like, shape (m, nv)
    lower, upper : array_like, shape (m,), or numbers
        Infinite where there is no bound.
    name : str
    """

    A: npt.ArrayLike
    lower: npt.ArrayLike = -np.inf
    upper: npt.ArrayLike = np.inf
    name: str = "row"

    def __post_init__(self) -> None:
        A = as_array(self.A, "A of LinearInequality")
        if A.ndim != 2:
            raise ShapeError(f"A of LinearInequality: found shape {A.shape}, expected (m, nv)")
        low, high = bounds_of(self.lower, self.upper, len(A), "LinearInequality")
        for name, value in (("A", A), ("lower", low), ("upper", high)):
            object.__setattr__(self, name, read_only_copy(value))

    def rows(self, model: Model, moment: Moment) -> VelocityRows:
        """As they were given."""
        A, low, high = (np.asarray(x, dtype=float) for x in (self.A, self.lower, self.upper))
        if A.shape[1] != model.nv:
            raise ShapeError(f"A of LinearInequality: found shape {A.shape}, expected (m, {model.nv})")
        return VelocityRows(A, low, high, tuple(f"{self.name} {k}" for k in range(len(A))))


@dataclass(frozen=True, slots=True, eq=False)
class Within(Inequality):
    """What a task is about stays within bounds around its target: lower <= w(q) - target <= upper.

    Barrier rows of first order (Ames and others 2017): J v <= rate (upper - (w - target)), and the same below. The
    distance to a bound falls by a share of at most rate dt a step, so that w comes near the bound and does not cross
    it. The velocity of the task's target is that with which the bounds move.

    Attributes
    ----------
    task : Task
        Such as `CenterOfMass` above the middle of the feet.
    lower, upper : array_like, shape (rows,), or numbers
        In the unit of the task's error; infinite where there is no bound.
    rate : float
        [1/s]; at most 1 / dt is used.
    """

    task: Task
    lower: npt.ArrayLike = -np.inf
    upper: npt.ArrayLike = np.inf
    rate: float = 10.0

    def __post_init__(self) -> None:
        if not isinstance(self.task, Task):
            raise ArgumentError(f"task of Within is {self.task!r}; expected a task of tarsus.tasks")
        positive(self.rate, "rate of Within", "1/s")

    def rows(self, model: Model, moment: Moment) -> VelocityRows:
        """Rows of the task's Jacobian."""
        J, way = self.task.jacobian(model, moment.q), -self.task.error(model, moment.q)
        low, high = bounds_of(self.lower, self.upper, len(way), "Within")
        rate = self.rate if moment.dt is None else min(self.rate, 1.0 / moment.dt)
        carried = self.task.target_velocity(model)
        name = type(self.task).__name__
        names = tuple(f"{name} row {k} within its bounds" for k in range(len(way)))
        return VelocityRows(J, carried + rate * (low - way), carried + rate * (high - way), names)


def bounds_of(lower: npt.ArrayLike, upper: npt.ArrayLike, count: int, what: str) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of `count` rows; NaN, wrong shapes and crossed bounds are refused."""
    found = []
    for name, value in (("lower", lower), ("upper", upper)):
        array = as_numbers(value, f"{name} of {what}")
        if array.shape not in ((), (count,)):
            raise ShapeError(f"{name} of {what}: found shape {array.shape}, expected a number or ({count},)")
        if np.isnan(array).any():
            raise ArgumentError(f"{name} of {what}: found nan, expected numbers")
        found.append(np.broadcast_to(array, (count,)))
    low, high = found
    if (low > high).any():
        k = int(np.argmax(low > high))
        raise ArgumentError(f"lower of {what}: found {low[k]:g} above the upper bound {high[k]:g} in row {k}")
    return low, high


def positive(value: float, name: str, unit: str) -> None:
    """Refuse what is not a finite number above 0."""
    if not (isinstance(value, (int, float, np.number)) and np.isfinite(value) and value > 0):
        raise ArgumentError(f"{name} is {value!r}; expected a number above 0 [{unit}]")


def stacked_rows(parts: Sequence[VelocityRows], nv: int) -> VelocityRows:
    """Rows of several inequalities, one after the other."""
    if not parts:
        return VelocityRows(np.zeros((0, nv)), np.zeros(0), np.zeros(0), ())
    A, lower, upper = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return VelocityRows(A, lower, upper, tuple(name for part in parts for name in part.names))
