"""Centroidal momentum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.dynamics import momentum_dot_v, momentum_matrix
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks.block import Block, components
from tarsus.tasks.task import Task


@dataclass(frozen=True, eq=False)
class Momentum(Task):
    """Momentum (linear, then angular about the centre of mass) has a given value: A v = target.

    It has no position level: its error is zero, and the target is the velocity of the task. With a target of zero and
    the axes of angular momentum it is the minimisation of Buschmann 2014 (5.62).

    Attributes
    ----------
    target : array_like, shape (..., 6), optional
        [kg m/s] and [kg m^2/s], world axes; zero by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    target: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "velocity", read_only_copy(as_vector(self.target, "target of Momentum", 6)))

    def full_rows(self, model: Model) -> int:
        """Six."""
        return 6

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Zero: momentum is a velocity."""
        return np.zeros((*np.shape(q)[:-1], 6))

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """The centroidal momentum matrix A."""
        return momentum_matrix(model, q)

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Rate of A times v."""
        return momentum_dot_v(model, q, v)

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of linear and one of angular momentum, as far as their axes are chosen."""
        chosen, none = self.chosen(model), np.zeros(0)
        parts = (("momentum", components(chosen[:3])), ("spin", components(chosen[3:])))
        return tuple(Block(kind, own, none) for kind, own in parts if len(own))
