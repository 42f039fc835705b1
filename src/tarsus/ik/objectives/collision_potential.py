"""Distance of a robot to itself and to obstacles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel, DistanceJacobian
from tarsus.collision.filtered_jacobian import FilteredJacobian
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.objective import GradientOf, Objective
from tarsus.ik.objectives.potential import PiecewisePotential, Potential
from tarsus.model import Model

NEAR = 0.1
"""Distance from which on the default potential is felt [m]."""


@dataclass(frozen=True, eq=False)
class CollisionPotential(Objective):
    """Sum of H(d) over all pairs of a collision model, Buschmann 2014 (5.49), with the gradient (5.60)-(5.61).

    The gradient jumps where nearest points jump. In `tarsus.ik.follow` it is then filtered over time, with
    `time_constant`.

    Attributes
    ----------
    scene : CollisionModel
        Of the robot that moves.
    potential : Potential
        Of the distance of a pair [m]; (5.58) from 0.1 m on by default.
    time_constant : float
        Of the filter of the distances' Jacobians along motions [s]; 0 filters nothing.
    """

    scene: CollisionModel
    potential: Potential = PiecewisePotential(NEAR)
    time_constant: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.scene, CollisionModel):
            raise ArgumentError(
                f"scene of CollisionPotential is {self.scene!r}; expected a tarsus.collision.CollisionModel"
            )
        if not isinstance(self.potential, Potential):
            raise ArgumentError(
                f"potential of CollisionPotential is {self.potential!r}; expected one of tarsus.ik.objectives"
            )
        FilteredJacobian(self.scene, self.time_constant)  # refuses time constants by name

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of the potentials of all pairs."""
        self._check(model)
        return np.asarray(self.potential.value(self.scene.distances(q)).sum(axis=-1))

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of H'(d) dd/dq (5.60)."""
        self._check(model)
        return self._gradient(self.scene.distance_jacobian(q))

    def along(self, dt: float) -> GradientOf:
        """With Jacobians that are filtered over time."""
        if self.time_constant == 0.0:
            return self.gradient
        memory = FilteredJacobian(self.scene, self.time_constant)

        def gradient(model: Model, q: FloatArray) -> FloatArray:
            self._check(model)
            return self.weight * self._gradient(memory.update(q, dt))

        return gradient

    def _gradient(self, found: DistanceJacobian) -> FloatArray:
        slopes = self.potential.slope(found.distance)
        return np.asarray((slopes[..., None, :] @ found.jacobian)[..., 0, :])

    def _check(self, model: Model) -> None:
        if model is not self.scene.model and tuple(model.joints) != tuple(self.scene.model.joints):
            raise ArgumentError(
                f"scene of CollisionPotential is one of {self.scene.model.name!r}, and the objective is evaluated for "
                f"{model.name!r}"
            )
