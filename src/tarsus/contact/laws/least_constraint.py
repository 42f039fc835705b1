"""Rigid ground in time steps: Gauss' principle with inequalities, Buschmann 2014 section 3.1, footnote 13."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.contact.laws.numbers import require
from tarsus.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class LeastConstraint:
    """Undeformable ground whose impulses of one time step solve a convex problem.

    Of all velocities at the end of a step that keep the points outside the ground and the impulses inside the friction
    cones, the one closest to the free motion (in the metric of the mass matrix) is taken: Gauss' principle, discretised
    as by Anitescu 2006, with the term of de Saxce and Feng 1998 that keeps sliding points on the ground: friction is
    Coulomb's, its cone exact. Robust with hundreds of contacts; first order in the step.
    Models may have gears, mimic joints and loops. Steps whose impulses did not settle end in a `SimulationWarning`.

    Attributes
    ----------
    friction : float
        Coefficient of Coulomb friction.
    restitution : float
        Newton's coefficient of normal restitution, 0 to 1.
    """

    name: ClassVar[str] = "least-constraint"
    method: ClassVar[str | None] = "least-constraint"

    friction: float = 0.8
    restitution: float = 0.0

    def __post_init__(self) -> None:
        require(self, not_negative=("friction", "restitution"))
        if self.restitution > 1.0:
            raise ArgumentError(
                f"restitution of LeastConstraint is {self.restitution!r}; expected a number from 0 to 1"
            )
