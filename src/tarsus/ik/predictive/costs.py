"""What a motion costs: the terms of the integral that predictive inverse kinematics minimises."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.spatial._arrays import as_array

Kind = Literal["quadratic", "cubic", "piecewise"]
"""Potentials of a distance d below the activation distance d_a, with a gain s > 0 (Buschmann 2014): "quadratic"
s (d_a - d)^2 (5.50), "cubic" s (d_a - d)^3 (5.51), "piecewise" (5.58), which is quadratic below t d_a, cubic above it,
twice continuously differentiable, and has the slope -s at d = 0."""


def _check(owner: str, **values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value >= 0):
            raise ArgumentError(f"{name} of {owner} is {value!r}; expected a number of at least 0")


def _check_potential(owner: str, kind: str, switch: float) -> None:
    if kind not in get_args(Kind):
        raise UnknownNameError(f"kind {kind!r} of {owner} not found{nearest(str(kind), get_args(Kind))}")
    if not (np.isfinite(switch) and 0 <= switch < 1):
        raise ArgumentError(f"switch of {owner} is {switch!r}; expected a number from 0 to below 1")


@dataclass(frozen=True, eq=False)
class CollisionCost:
    """Nearness of volumes: the sum of the potentials of all pairs of segments, Buschmann 2014 (5.49).

    Attributes
    ----------
    scene : CollisionModel
    weight : float
    activation : float
        d_a, the distance from which on nothing is felt [m].
    gain : float
        s of the potential.
    kind : {"quadratic", "cubic", "piecewise"}
    switch : float
        t of the piecewise potential.
    """

    scene: CollisionModel
    weight: float = 1.0
    activation: float = 0.1
    gain: float = 1.0
    kind: Kind = "piecewise"
    switch: float = 0.5

    def __post_init__(self) -> None:
        if not isinstance(self.scene, CollisionModel):
            raise ArgumentError(f"scene of CollisionCost is {self.scene!r}; expected a CollisionModel")
        _check("CollisionCost", weight=self.weight, activation=self.activation, gain=self.gain)
        if self.activation == 0:
            raise ArgumentError("activation of CollisionCost is 0; expected a distance above 0 [m]")
        _check_potential("CollisionCost", self.kind, self.switch)


@dataclass(frozen=True, eq=False)
class LimitCost:
    """Nearness of joint limits: potentials of the distances of every coordinate to both of its limits.

    The default is the potential whose gradient is Buschmann 2014 (A.58): quadratic with a gain of 1 / d_a^2, so that a
    limit costs `weight` whatever the range of its joint. ((A.58) prints a sum over the joints; its i-th entry is one
    term.)

    Attributes
    ----------
    weight : float
    activation : float
        d_a as a share of the range of a joint, of coordinates with two limits; of others, d_a itself [rad, m].
    gain : float, optional
        s of the potential; by default 1 / d_a^2, 1 / d_a^3 or, piecewise, 1 / d_a.
    kind : {"quadratic", "cubic", "piecewise"}
    switch : float
        t of the piecewise potential.
    """

    weight: float = 1.0
    activation: float = 0.1
    gain: float | None = None
    kind: Kind = "quadratic"
    switch: float = 0.5

    def __post_init__(self) -> None:
        _check("LimitCost", weight=self.weight, gain=1.0 if self.gain is None else self.gain)
        if not (np.isfinite(self.activation) and 0 < self.activation <= 0.5):
            raise ArgumentError(
                f"activation of LimitCost is {self.activation!r}; expected a share of the range above 0, 0.5 at most"
            )
        _check_potential("LimitCost", self.kind, self.switch)

    def scaled(self, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gain and activation distance of coordinates with these limits."""
        span = upper - lower
        activation = self.activation * np.where(np.isfinite(span) & (span > 0), span, 1.0)
        power = {"quadratic": 2, "cubic": 3, "piecewise": 1}[self.kind]
        gain = activation**-power if self.gain is None else np.full(len(activation), float(self.gain))
        return gain, activation


@dataclass(frozen=True, eq=False)
class PostureCost:
    """Distance to a comfortable posture: the sum of squares of scale (q - target).

    Attributes
    ----------
    weight : float
    target : array_like, shape (nq,), optional
        The model's reference pose by default.
    joints : iterable of str, optional
        Which joints count; all whose coordinates are plain numbers by default.
    scale : float
        [1/rad, 1/m]
    """

    weight: float = 1.0
    target: npt.ArrayLike | None = None
    joints: Iterable[str] | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check("PostureCost", weight=self.weight, scale=self.scale)
        if self.joints is not None:
            object.__setattr__(self, "joints", (self.joints,) if isinstance(self.joints, str) else tuple(self.joints))


@dataclass(frozen=True, eq=False)
class Costs:
    """phi of the integral (5.101) as a sum of terms (5.130).

    Attributes
    ----------
    velocity : float
        Weight of the squared joint velocities (5.131).
    velocity_scale : array_like, shape (nv,), optional
        Of each squared velocity; ones by default. All must be above 0.
    limits : LimitCost, optional
    collision : CollisionCost, optional
    posture : PostureCost, optional
    acceleration : float
        Weight of the squared rate of the nullspace input (A.62), which counts where this rate is what is chosen.
        (5.130) does not list it; without it that problem would be singular.
    """

    velocity: float = 1.0
    velocity_scale: npt.ArrayLike | None = None
    limits: LimitCost | None = None
    collision: CollisionCost | None = None
    posture: PostureCost | None = None
    acceleration: float = field(default=0.01)

    def __post_init__(self) -> None:
        _check("Costs", velocity=self.velocity, acceleration=self.acceleration)
        if self.velocity == 0:
            raise ArgumentError(
                "velocity of Costs is 0; expected a weight above 0: without it velocities have no bound"
            )
        for name, kind in (("limits", LimitCost), ("collision", CollisionCost), ("posture", PostureCost)):
            value = getattr(self, name)
            if not (value is None or isinstance(value, kind)):
                raise ArgumentError(f"{name} of Costs is {value!r}; expected a {kind.__name__} or None")

    def scales(self, nv: int) -> FloatArray:
        """Scale of every squared velocity, shape (nv,)."""
        scale = np.ones(nv) if self.velocity_scale is None else as_array(self.velocity_scale, "velocity_scale")
        if scale.shape != (nv,):
            raise ShapeError(f"velocity_scale of Costs: found shape {scale.shape}, expected ({nv},)")
        if (scale <= 0).any():
            raise ArgumentError(f"velocity_scale of Costs: found {scale.min():g}, expected numbers above 0")
        return scale
