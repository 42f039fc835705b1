"""Constraints between joint coordinates: gears, belts, differentials, polynomial couplings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.lowering import JointPart
from tarsus.errors import ArgumentError
from tarsus.model.joint import Joint
from tarsus.model.model import Model


def require_joint(model: Model, name: str, label: str, axes: int = 1) -> Joint:
    """The joint of that name with at most `axes` coordinates of its own, or an error."""
    joint: Joint = model.joints[name]
    if not joint.traits.flat or not 0 < joint.nv <= axes:
        raise ArgumentError(f"constraint {label}: joint {name!r} is {joint.kind}, which has no angle or length to set")
    if joint.v_index.stop == joint.v_index.start:
        raise ArgumentError(
            f"constraint {label}: joint {name!r} follows other joints; couplings='cut' gives it a coordinate"
        )
    return joint


@dataclass(frozen=True, slots=True, eq=False)
class Gear(Constraint):
    """A linear relation of joint coordinates: the sum of coefficient times coordinate is `offset`.

    Two joints make a gear or a belt, three a differential.

    Attributes
    ----------
    coefficients : mapping of str to float
        By joint; none is zero.
    offset : float
        [rad or m].
    """

    coefficients: Mapping[str, float]
    offset: float = 0.0

    def __post_init__(self) -> None:
        given = {str(joint): float(value) for joint, value in dict(self.coefficients).items()}
        object.__setattr__(self, "coefficients", MappingProxyType(given))
        if not given or not all(np.isfinite(c) and c != 0.0 for c in given.values()) or not np.isfinite(self.offset):
            raise ArgumentError(f"constraint {self.label} needs coefficients that are finite and not zero: {given}")

    def describe(self) -> str:
        """Kind and joints."""
        return f"gear of joints {', '.join(map(repr, self.coefficients))}"

    def check(self, model: Model) -> None:
        """Raise where a joint is missing or has more than one axis."""
        for joint in self.coefficients:
            require_joint(model, joint, self.label)

    def parts(self, model: Model) -> list[JointPart]:
        """One constant row."""
        return [JointPart([(joint, 0, factor) for joint, factor in self.coefficients.items()], self.offset)]


def belt(
    joint_a: str, radius_a: float, joint_b: str, radius_b: float, *, crossed: bool = False, name: str = ""
) -> Gear:
    """A belt over two pulleys: what one takes in, the other gives out, radius_a q_a = radius_b q_b.

    A crossed belt turns the second pulley the other way round. Radii in [m]; the multiplier is the difference of the
    forces in the two strands [N].
    """
    return Gear({joint_a: radius_a, joint_b: radius_b if crossed else -radius_b}, name=name)


@dataclass(frozen=True, slots=True, eq=False)
class JointCoupling(Constraint):
    """A joint follows a polynomial of another: q_joint = c0 + c1 q_leader + c2 q_leader^2 + ...

    Attributes
    ----------
    joint, leader : str
    coefficients : sequence of float
        c0, c1, ...
    """

    joint: str
    leader: str
    coefficients: Sequence[float]

    def __post_init__(self) -> None:
        values = tuple(float(c) for c in self.coefficients)
        object.__setattr__(self, "coefficients", values)
        if not values or not np.isfinite(values).all():
            raise ArgumentError(f"constraint {self.label} needs finite coefficients, not {values}")
        if self.joint == self.leader:
            raise ArgumentError(f"constraint {self.label} ties a joint to itself")

    def describe(self) -> str:
        """Kind and joints."""
        return f"coupling of joint {self.joint!r} to {self.leader!r}"

    def check(self, model: Model) -> None:
        """Raise where a joint is missing or has more than one axis."""
        for joint in (self.joint, self.leader):
            require_joint(model, joint, self.label)

    def parts(self, model: Model) -> list[JointPart]:
        """Phi = q_joint - f(q_leader), with f' in the row and f'' in the bias."""
        return [JointPart([(self.joint, 0, 1.0)], leader=self.leader, coefficients=self.coefficients)]
