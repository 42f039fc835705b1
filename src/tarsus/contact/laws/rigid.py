"""Rigid ground: constraint forces, Coulomb friction with stick and slip, impacts with restitution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.contact.laws.numbers import require
from tarsus.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Rigid:
    """Undeformable ground, Feng et al. 2015 (10) to (29), for any number of contact points at once.

    Attributes
    ----------
    friction : float
        Coefficient of Coulomb friction, K of the paper.
    restitution : float
        Newton's coefficient of normal restitution, 0 (plastic) to 1 (elastic).
    """

    name: ClassVar[str] = "rigid"
    method: ClassVar[str | None] = "event-driven"

    friction: float = 0.8
    restitution: float = 0.0

    def __post_init__(self) -> None:
        require(self, not_negative=("friction", "restitution"))
        if self.restitution > 1.0:
            raise ArgumentError(f"restitution of Rigid is {self.restitution!r}; expected a number from 0 to 1")
