"""Stairs, and footsteps up and down them: both feet on every tread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, PlanningError
from tarsus.simulation.argument_kinds import check_finite, check_positive, check_whole, finite_vector
from tarsus.walking.steps.footsteps import MOST_STEPS, Footstep, StepLimits

BEFORE = 0.03
"""Between the toes and the first riser, where a robot stands before it [m]."""


@dataclass(frozen=True)
class Stairs:
    """A flight of stairs along +x; the ground goes on level behind the last tread.

    Attributes
    ----------
    count : int
        Of risers.
    rise : float
        Of each one, negative downwards [m].
    run : float
        Depth of each tread [m].
    start : float
        x of the first riser [m].
    """

    count: int
    rise: float
    run: float
    start: float = 0.5

    def __post_init__(self) -> None:
        check_whole("count of Stairs", self.count, least=1)
        check_finite("rise of Stairs", self.rise, "a finite number other than 0 [m]")
        check_positive("run of Stairs", self.run, "a finite number above 0 [m]")
        check_finite("start of Stairs", self.start, "a finite number [m]")
        if self.rise == 0:
            raise ArgumentError(f"rise of Stairs is {self.rise!r}; expected a finite number other than 0 [m]")

    def tread(self, number: int) -> FloatArray:
        """Middle of a tread, counted from 1, shape (2,): x and height [m]."""
        check_whole("number of a tread", number, least=1)
        if number > self.count:
            raise ArgumentError(f"number of a tread is {number!r}; expected 1 to {self.count}, as many as there are")
        return np.array([self.start + (number - 0.5) * self.run, number * self.rise])

    def footsteps(
        self, width: float, sole: npt.ArrayLike, limits: StepLimits, *, first: str = "left"
    ) -> list[Footstep]:
        """From feet side by side at x = 0 to the foot of the stairs, and up or down them, to the last tread.

        Parameters
        ----------
        width : float
            Between the middles of the feet [m].
        sole : array_like, shape (2,)
            Half length and half width of a sole [m].
        limits : StepLimits
            `length` is the way of a foot in steps before the stairs, `rise` that of risers.
        first : {"left", "right"}
            Foot that goes first, onto every tread.

        Raises
        ------
        PlanningError
            Where soles are longer than treads, or risers higher than steps may be, with both numbers; where the stairs
            have more treads, or are more steps away, than are planned at once.
        """
        check_positive("width", width, "a finite number above 0 [m]")
        half_sizes = finite_vector("sole", sole, 2, "two finite numbers of at least 0 [m]")
        if (half_sizes < 0).any():
            raise ArgumentError(f"sole is {sole!r}; expected two finite numbers of at least 0 [m]")
        if not isinstance(limits, StepLimits):
            raise DtypeError(f"limits is {limits!r}; expected StepLimits")
        half = float(half_sizes[0])
        if first not in ("left", "right"):
            raise ArgumentError(f"first is {first!r}; expected 'left' or 'right'")
        if self.run < 2.0 * half:
            raise PlanningError(f"treads are {self.run:.3g} m deep, and soles {2.0 * half:.3g} m long")
        if abs(self.rise) > limits.rise:
            raise PlanningError(f"risers are {abs(self.rise):.3g} m high; at most {limits.rise:.3g} m are possible")
        if self.count > MOST_STEPS:
            raise PlanningError(f"stairs have {self.count} treads; at most {MOST_STEPS} are planned at once")
        before = self.start - half - BEFORE
        if before < 0.0:
            raise PlanningError(
                f"stairs begin at x = {self.start:.3g} m; feet at x = 0 need {half + BEFORE:.3g} m before them"
            )
        places = [(0.0, 0.0), *self._approach(before, limits.length)]
        places += [(float(x), float(z)) for x, z in (self.tread(k) for k in range(1, self.count + 1))]
        leads = first == "left"
        return [_foot(x, z, left, width) for x, z in places for left in (leads, not leads)]

    def _approach(self, way: float, length: float) -> list[tuple[float, float]]:
        """Places of both feet on the way to the first riser; none where they stand there already."""
        if way > MOST_STEPS * length:
            raise PlanningError(
                f"the first riser is {way:.3g} m ahead, more than {MOST_STEPS} steps of {length:.3g} m, the most that "
                "are planned at once"
            )
        count = math.ceil(way / length - 1e-9) if way else 0
        return [(way * (k + 1) / count, 0.0) for k in range(count)]


def _foot(x: float, z: float, left: bool, width: float) -> Footstep:
    return Footstep(left, np.array([x, width / 2 if left else -width / 2, z]), 0.0)
