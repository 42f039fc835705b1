"""What all objectives share: a value that should fall, and its gradient."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model import Model

GradientOf = Callable[[Model, FloatArray], FloatArray]
"""``gradient(model, q)`` of shape (nv,), which may remember what was before."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Objective(ABC):
    """A function alpha H(q) that shall fall in the nullspace of the tasks (Buschmann 2014 (5.7)).

    Objectives are added by ``+`` and multiplied by positive numbers.

    Attributes
    ----------
    weight : float
        alpha. Where velocities are resolved, alpha H' is a velocity: the rate at which the objective falls.
    """

    __array_ufunc__: ClassVar[None] = None  # numbers of NumPy leave products to `__rmul__`

    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (isinstance(self.weight, int | float) and np.isfinite(self.weight) and self.weight >= 0):
            raise ArgumentError(f"weight of {type(self).__name__} is {self.weight!r}; expected a number of at least 0")

    @abstractmethod
    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """H of shape (...), without the weight."""

    @abstractmethod
    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Gradient of H of shape (..., nv), without the weight."""

    def value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Value of the objective.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        alpha_H : ndarray, shape (...)
        """
        return self.weight * self.plain_value(model, q)

    def gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Derivative of the value along every entry of v, on the manifold of configurations.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        alpha_dH : ndarray, shape (..., nv)
            d/dt value = gradient . v.
        """
        return self.weight * self.plain_gradient(model, q)

    def along(self, dt: float) -> GradientOf:
        """The gradient along a motion in steps of `dt` [s], called once a step: some objectives filter it over time."""
        return self.gradient

    def __add__(self, other: Objective) -> Sum:
        if not isinstance(other, Objective):
            return NotImplemented
        return Sum((*parts_of(self), *parts_of(other)))

    def __rmul__(self, factor: float) -> Objective:
        return replace(self, weight=factor * self.weight)


@dataclass(frozen=True, eq=False)
class Sum(Objective):
    """Several objectives, each with its weight."""

    parts: Sequence[Objective]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            if not isinstance(part, Objective):
                raise ArgumentError(f"parts of Sum holds {part!r}; expected objectives of tarsus.ik.objectives")
        if not self.parts:
            raise ArgumentError("parts of Sum is empty; expected at least one objective")

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of the values."""
        return np.asarray(sum(part.value(model, q) for part in self.parts))

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of the gradients."""
        return np.asarray(sum(part.gradient(model, q) for part in self.parts))

    def along(self, dt: float) -> GradientOf:
        """Sum of the parts' gradients along a motion."""
        gradients = [part.along(dt) for part in self.parts]
        return lambda model, q: self.weight * np.asarray(sum(gradient(model, q) for gradient in gradients))


def parts_of(objective: Objective) -> tuple[Objective, ...]:
    """The summands of a sum of weight 1, and what else there is as it is."""
    return tuple(objective.parts) if isinstance(objective, Sum) and objective.weight == 1.0 else (objective,)
