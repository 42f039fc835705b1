"""Constraints that engage and release at events of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.joints import Gear, require_joint
from tarsus.dynamics.constraints.lowering import Part
from tarsus.errors import ArgumentError
from tarsus.model.model import Model

Switch = Callable[[float, FloatArray, FloatArray], float]
"""switch(t, q, v): a number whose change of sign is the event; `direction` (+1 rising, -1 falling) restricts it."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectedSwitch:
    """A switch with the direction in which its sign must change: rising (+1), falling (-1) or both (0)."""

    value: Switch
    direction: int

    def __call__(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """Number whose change of sign is the event."""
        return self.value(t, q, v)


@dataclass(frozen=True, slots=True, eq=False)
class Lock(Constraint):
    """A constraint that is off until an event engages it, and until another one releases it.

    Engaging is an impact: velocities are projected by an impulse, and what kinetic energy that takes is lost. Functions
    of a state, such as `constrained_dynamics`, take the lock as engaged.

    Attributes
    ----------
    constraint : Constraint
        What is kept while the lock is engaged; it must hold in the positions at which it engages.
    engage : callable
        engage(t, q, v) changes its sign where the lock engages; an attribute `direction` asks for rising (+1) or
        falling (-1) signs only.
    release : callable, optional
        The same for its release; it stays engaged without.
    engaged : bool
        Whether it is at the start.
    """

    constraint: Constraint
    engage: Switch
    release: Switch | None = None
    engaged: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.constraint, Constraint) or isinstance(self.constraint, Lock):
            raise ArgumentError(f"a Lock holds {self.constraint!r}; expected a constraint of another kind")
        for name, switch in (("engage", self.engage), ("release", self.release)):
            if not callable(switch) and not (name == "release" and switch is None):
                raise ArgumentError(f"{name} of a Lock is {switch!r}; expected a function {name}(t, q, v)")

    @classmethod
    def of_joint(
        cls,
        model: Model,
        joint: str,
        at: float = 0.0,
        *,
        direction: int = 0,
        release: Switch | None = None,
        engaged: bool = False,
        name: str = "",
    ) -> Self:
        """A joint that locks where its coordinate comes to `at` [rad or m], rising (+1), falling (-1) or both (0)."""
        if direction not in (-1, 0, 1):
            raise ArgumentError(f"direction of a Lock is {direction!r}; expected -1, 0 or 1")
        place = require_joint(model, joint, name or joint).q_index.start

        def reaches(t: float, q: FloatArray, v: FloatArray) -> float:
            return float(q[place] - at)

        switch = DirectedSwitch(reaches, direction)
        return cls(Gear({joint: 1.0}, at), switch, release, engaged, name=name or joint)

    def describe(self) -> str:
        """What it holds."""
        return f"lock of {self.constraint.describe()}"

    def check(self, model: Model) -> None:
        """Raise where the constraint does not fit the model."""
        self.constraint.check(model)

    def parts(self, model: Model) -> Sequence[Part]:
        """Rows of what it holds."""
        return self.constraint.parts(model)

    def drive(self, model: Model, time: FloatArray) -> FloatArray | None:
        """Motion given to what it holds."""
        return self.constraint.drive(model, time)
