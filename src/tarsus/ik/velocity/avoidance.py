"""Collision avoidance as rows of velocities: velocity dampers and barriers of distances."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.volume_pairs import VolumePairs
from tarsus.errors import ArgumentError
from tarsus.ik.velocity.inequality import Inequality, Moment, VelocityRows, positive
from tarsus.model import Model

SPEED = 0.5
"""Default approach speed at the distance where rows begin to count [m/s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Avoidance(Inequality):
    """Pairs of a collision model keep a distance.

    A velocity damper, d' >= -speed (d - margin) / (influence - margin) for pairs nearer than `influence` (Faverjon and
    Tournassoud 1987), or, where `rate` is given instead of `speed`, the barrier d' >= -rate (d - margin). In both the
    distance that is left to the margin falls by a share of at most rate dt a step, to first order in the step; pairs
    nearer than the margin are driven apart. Every pair of volumes has a row of its own, so that none is overlooked when
    the nearest one changes. Steps must be short beside the distances: limit velocities. Obstacles are at rest.

    Attributes
    ----------
    scene : CollisionModel
    margin : float
        Distance that is kept [m].
    influence : float
        Distance from which on rows count [m]; above the margin, infinite for all pairs.
    speed : float, optional
        Of approach at `influence` [m/s]; 0.5 by default.
    rate : float, optional
        Of the barrier [1/s]; at most 1 / dt is used.
    """

    scene: CollisionModel
    margin: float = 0.01
    influence: float = 0.1
    speed: float | None = None
    rate: float | None = None
    parts: VolumePairs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.scene, CollisionModel):
            raise ArgumentError(f"scene of Avoidance is {self.scene!r}; expected a CollisionModel")
        if not (np.isfinite(self.margin) and self.margin >= 0):
            raise ArgumentError(f"margin of Avoidance is {self.margin!r}; expected a number of at least 0 [m]")
        if not self.influence > self.margin:
            raise ArgumentError(
                f"influence of Avoidance is {self.influence!r}; expected more than the margin {self.margin!r} [m]"
            )
        if self.speed is not None and self.rate is not None:
            raise ArgumentError("speed, rate of Avoidance: found both, expected one of them")
        for name, value, unit in (("speed", self.speed, "m/s"), ("rate", self.rate, "1/s")):
            if value is not None:
                positive(value, f"{name} of Avoidance", unit)
        if self.rate is None and np.isinf(self.influence):
            raise ArgumentError("influence of Avoidance is infinite; a damper needs a finite one, or give a rate")
        object.__setattr__(self, "parts", VolumePairs(self.scene))

    def share(self, dt: float | None) -> float:
        """Rate at which the distance to the margin may fall [1/s]."""
        if self.rate is not None:
            rate = self.rate
        else:
            rate = (SPEED if self.speed is None else self.speed) / (self.influence - self.margin)
        return rate if dt is None else min(rate, 1.0 / dt)

    def rows(self, model: Model, moment: Moment) -> VelocityRows:
        """Gradients of the distances of near pairs."""
        if self.scene.model is not model and self.scene.model.nv != model.nv:
            raise ArgumentError("scene of Avoidance is that of another model")
        found = self.parts.distance_jacobian(moment.q)
        near = found.distance < self.influence
        d = found.distance[near]
        names = tuple(f"distance of {' and '.join(self.parts.segments[k])}" for k in np.flatnonzero(near))
        return VelocityRows(
            found.jacobian[near], -self.share(moment.dt) * (d - self.margin), np.full(len(d), np.inf), names
        )
