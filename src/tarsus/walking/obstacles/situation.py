"""Which of three situations an obstacle makes, and what each foot does about it (Buschmann 2014, 5.4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import PlanningError
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.passing_limits import PassingLimits

Kind = Literal["clear", "beside", "over"]
"""No foot meets the obstacle; one foot can be set next to it; both feet have to be set before and behind it."""
Way = Literal["straight", "over", "around"]


class Manoeuvre(NamedTuple):
    """What one foot does where it passes an obstacle.

    Attributes
    ----------
    way : {"straight", "over", "around"}
    raised : float
        Height of the sole above the ground, 0 where it is not raised [m].
    shift : float
        To the left, to the right where negative [m].
    """

    way: Way
    raised: float = 0.0
    shift: float = 0.0


@dataclass(frozen=True)
class Situation:
    """An obstacle, seen by a robot that walks along x.

    Attributes
    ----------
    name : str
    low, high : ndarray, shape (3,)
        Box around it [m].
    kind : {"clear", "beside", "over"}
    left, right : Manoeuvre
        Of the feet.
    """

    name: str
    low: FloatArray
    high: FloatArray
    kind: Kind
    left: Manoeuvre
    right: Manoeuvre

    def of(self, left: bool) -> Manoeuvre:
        """Of one foot."""
        return self.left if left else self.right

    def forbidden(self, left: bool, feet: FootExtent, margin: float) -> tuple[float, float] | None:
        """Between which x no footstep of a foot may be; None where its lane is free."""
        if self.of(left).way == "straight":
            return None
        return float(self.low[0]) - margin - feet.front, float(self.high[0]) + margin + feet.back

    def __str__(self) -> str:
        """In words."""
        words = {
            "clear": "no foot meets it",
            "beside": "one foot is set next to it",
            "over": "both feet are set before and behind it",
        }
        lines = [f"{self.name}: {words[self.kind]}"]
        for side, how in (("left", self.left), ("right", self.right)):
            if how.way == "over":
                lines.append(f"  {side} foot over it, raised to {100 * how.raised:.1f} cm")
            elif how.way == "around":
                lines.append(f"  {side} foot around it, by {100 * abs(how.shift):.1f} cm")
        return "\n".join(lines)


def situation(
    name: str,
    box: tuple[FloatArray, FloatArray],
    width: float,
    feet: FootExtent,
    limits: PassingLimits,
    clearance: float,
    step: float,
    middle: float = 0.0,
    height: float = np.inf,
) -> Situation:
    """Classify an obstacle by the box around it, and choose for each foot the less severe modification.

    A foot whose lane the box reaches into, margins included, is raised above the box, or swung around it by the
    overlap, whichever changes its path less.

    Parameters
    ----------
    name : str
        For messages.
    box : pair of ndarray, shape (3,)
        Lowest and highest coordinates [m].
    width : float
        Between the middles of the feet [m].
    feet : FootExtent
    limits : PassingLimits
    clearance : float
        Of feet in ordinary swings [m].
    step : float
        Ordinary length of steps [m].
    middle : float
        y of the line along which the robot walks [m].
    height : float
        Up to where the robot reaches: what hangs higher, by the margin, is clear [m].

    Raises
    ------
    PlanningError
        Where the obstacle is too large, with the reason.
    """
    low, high = box
    if low[2] > height + limits.margin:
        return Situation(name, np.array(low), np.array(high), "clear", Manoeuvre("straight"), Manoeuvre("straight"))
    found = [
        _manoeuvre(name, low, high, middle + side * width / 2, side, feet, limits, clearance) for side in (1.0, -1.0)
    ]
    met = sum(how.way != "straight" for how in found)
    kind: Kind = ("clear", "beside", "over")[met]
    needed = float(high[0] - low[0]) + 2 * limits.margin + feet.front + feet.back
    most = limits.longest if kind == "over" else limits.longest + step
    if met and needed > most:
        raise PlanningError(
            f"obstacle {name!r} is too large: to set feet before and behind it takes a "
            f"{'step' if kind == 'over' else 'stride'} of {needed:.3g} m, and at most {most:.3g} m are possible"
        )
    return Situation(name, np.array(low), np.array(high), kind, found[0], found[1])


def _manoeuvre(
    name: str,
    low: FloatArray,
    high: FloatArray,
    lane: float,
    side: float,
    feet: FootExtent,
    limits: PassingLimits,
    clearance: float,
) -> Manoeuvre:
    """Of the foot whose middle goes along y = lane; `side` is 1 for the left one."""
    # Outwards, the inner edge of the foot passes the far side of the box; inwards, its outer edge the near side.
    far, near = (high[1], low[1]) if side > 0 else (-low[1], -high[1])
    outward = float(far) + limits.margin + feet.inside - side * lane
    inward = side * lane + feet.outside + limits.margin - float(near)
    if outward <= 0.0 or inward <= 0.0:
        return Manoeuvre("straight")
    if high[2] <= 0.0:
        return Manoeuvre("straight")
    raised = float(high[2]) + limits.margin
    choices = []
    if raised <= limits.highest:
        choices.append((max(0.0, raised - clearance), Manoeuvre("over", raised=max(raised, clearance))))
    if outward <= limits.outward:
        choices.append((outward, Manoeuvre("around", shift=side * outward)))
    if inward <= limits.inward:
        choices.append((inward, Manoeuvre("around", shift=-side * inward)))
    if not choices:
        raise PlanningError(
            f"obstacle {name!r} is too large: to step over it takes a raise of {raised:.3g} m, and at most "
            f"{limits.highest:.3g} m are possible; around it takes the {'left' if side > 0 else 'right'} foot "
            f"{outward:.3g} m outwards or {inward:.3g} m inwards, and at most {limits.outward:.3g} m or "
            f"{limits.inward:.3g} m are possible"
        )
    return min(choices, key=lambda choice: choice[0])[1]
