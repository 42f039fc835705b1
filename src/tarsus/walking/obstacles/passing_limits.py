"""How near to obstacles a robot may step, and what it can step over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.walking.biped.biped import Biped

MARGIN = 0.03
"""Between feet and the box around an obstacle, in lengths of the leg."""
LONGEST = 0.62
"""Longest step over an obstacle, in lengths of the leg."""
HIGHEST = 0.3
"""How high a foot may be raised, in lengths of the leg."""
WIDEST = 0.15
"""How far a foot may be swung outwards, in lengths of the leg."""
INWARD = 0.15
"""The same towards the other foot, in widths of the stance."""


@dataclass(frozen=True)
class PassingLimits:
    """What a robot can do about obstacles.

    Attributes
    ----------
    margin : float
        Between feet and the box around an obstacle, along the way, across it and above it [m].
    longest : float
        Step from one foot to the other over an obstacle [m].
    highest : float
        Raise of a foot [m].
    outward, inward : float
        Shift of a swinging foot away from the other one, and towards it [m].
    """

    margin: float
    longest: float
    highest: float
    outward: float
    inward: float

    def __post_init__(self) -> None:
        for name in ("margin", "longest", "highest", "outward", "inward"):
            if not (np.isfinite(value := getattr(self, name)) and value >= 0):
                raise ArgumentError(f"{name} of PassingLimits is {value!r}; expected a number of at least 0 [m]")

    @classmethod
    def of(cls, biped: Biped) -> Self:
        """Those of a robot, from the length of its legs."""
        leg = biped.leg
        return cls(MARGIN * leg, LONGEST * leg, HIGHEST * leg, WIDEST * leg, INWARD * biped.width)
