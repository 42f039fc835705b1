"""Distance to the limits of the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.limited_coordinates import limited_coordinates
from tarsus.ik.objectives.objective import Objective
from tarsus.ik.objectives.potential import PiecewisePotential, Potential
from tarsus.model import Model

NEAR = 0.2
"""Distance to a limit from which on the default potential is felt [rad, m]."""


@dataclass(frozen=True, eq=False)
class JointLimits(Objective):
    """Sum of H(q - q_min) + H(q_max - q) over all limits: Buschmann 2014, section 5.3, with d the way to a limit.

    Limits of joints that follow others, and of ball joints, are not looked at.

    Attributes
    ----------
    potential : Potential
        Of the distance to a limit [rad, m]; (5.58) from 0.2 rad or 0.2 m on by default.
    """

    potential: Potential = PiecewisePotential(NEAR)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.potential, Potential):
            raise ArgumentError(f"potential of JointLimits is {self.potential!r}; expected one of tarsus.ik.objectives")

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of the potentials of both distances."""
        limited = limited_coordinates(model)
        x = limited.of(q, model)
        both = self.potential.value(x - limited.lower) + self.potential.value(limited.upper - x)
        return np.asarray(both.sum(axis=-1))

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Slope of the potential of the lower limit less that of the upper one."""
        limited = limited_coordinates(model)
        x = limited.of(q, model)
        return limited.spread(self.potential.slope(x - limited.lower) - self.potential.slope(limited.upper - x), model)
