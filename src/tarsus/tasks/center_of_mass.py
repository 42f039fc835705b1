"""The centre of mass of the robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.dynamics import center_of_mass, com_jacobian, momentum_dot_v
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks.block import Block, components
from tarsus.tasks.task import Task


@dataclass(frozen=True, eq=False)
class CenterOfMass(Task):
    """The centre of mass is at a point: e = target - p_WC, in world axes.

    Attributes
    ----------
    target : array_like, shape (..., 3)
        p_WC that is wanted [m].
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    target: npt.ArrayLike

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", read_only_copy(as_vector(self.target, "target of CenterOfMass", 3)))

    def full_rows(self, model: Model) -> int:
        """Three."""
        return 3

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """What is missing to the target [m]."""
        return np.asarray(self.target) - center_of_mass(model, q)

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of p_WC."""
        return com_jacobian(model, q)

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Of p_WC [m/s^2]: the rate of linear momentum at vdot = 0, divided by the mass."""
        return momentum_dot_v(model, q, v)[..., :3] / model.total_mass

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of centres of mass."""
        return (Block("center", components(self.chosen(model)), np.asarray(self.target)),)
