"""Pairs of segments and obstacles that stay apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.tasks.task import Task

STEP = 1e-6
"""Of central differences along the motion [s at 1 rad/s]."""


@dataclass(frozen=True, eq=False)
class Distance(Task):
    """No pair of a collision model is nearer than `least`: e = max(0, least - distance), one entry a pair.

    Pairs that are far enough have no error and no Jacobian. Others are pushed apart along the line between nearest
    points, (5.61) of Buschmann 2014.

    Attributes
    ----------
    scene : CollisionModel
        Of the robot that the task is for.
    least : float
        [m].
    """

    scene: CollisionModel
    least: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.scene, CollisionModel):
            raise ArgumentError(f"scene of Distance is {self.scene!r}; expected a tarsus.collision.CollisionModel")
        if not np.isfinite(self.least):
            raise ArgumentError(f"least of Distance is {self.least!r}; expected a finite number [m]")

    def full_rows(self, model: Model) -> int:
        """Pairs of the collision model."""
        return len(self.scene.pairs)

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """What is missing to the least distance [m]."""
        self._check(model)
        return np.maximum(0.0, self.least - self.scene.distances(q))

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of distances that are too small; zero of the others."""
        self._check(model)
        found = self.scene.distance_jacobian(q)
        return np.where((found.distance < self.least)[..., None], found.jacobian, 0.0)

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Central differences of the distances' rates along the motion [m/s^2]; zero of pairs that are far enough."""
        self._check(model)
        v = np.asarray(v, dtype=float)
        step = STEP / max(1.0, float(np.abs(v).max(initial=0.0)))
        rates = [
            (self.scene.distance_jacobian(model.integrate(q, v, sign * step)).jacobian @ v[..., None])[..., 0]
            for sign in (1.0, -1.0)
        ]
        near = self.scene.distances(q) < self.least
        return np.where(near, (rates[0] - rates[1]) / (2 * step), 0.0)

    def _check(self, model: Model) -> None:
        if model is not self.scene.model and tuple(model.joints) != tuple(self.scene.model.joints):
            raise ArgumentError(
                f"scene of Distance is one of {self.scene.model.name!r}, and the task is evaluated for {model.name!r}"
            )
