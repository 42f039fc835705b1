"""From the feet to the hands, to one hand, and back (Bouyarmane and Kheddar 2012, figs. 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from tarsus.control.stances.stance import Stance
from tarsus.control.stances.transfer import transfer
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import FRICTION, Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import staged
from tarsus.scenarios.stances.handstand import handstand as stances_of
from tarsus.scenarios.stances.hrp2_limbs import palms, soles

WITHIN = 0.85
"""Part of the length and width of soles and hands that is pressed on; stances were planned on less."""
BENT, WAYPOINTS = ("left hand off", "two hands again"), 4
"""Stances to which the straight way leads across joint limits, and into how many parts it is divided."""
HOLD = 2.0
"""Time on one hand [s]."""


def handstand(model: Model, *, back: bool = True) -> Scenario:
    """HRP-2 puts its hands on the floor, takes its feet off and stretches; one hand is lifted, held and put down.

    Parameters
    ----------
    model : Model
        With the frames of `ts.robots.hrp2`.
    back : bool
        Whether it returns to its feet; otherwise it ends on two hands.
    """
    robot = Robot.of(model)
    found = stances_of(robot.known, back=back)
    if not found.success:
        raise ArgumentError(f"{model.name!r} has no stances for a handstand: {found.reason}")
    limbs = (*soles(), *palms())
    wide = {limb.frame: WITHIN * limb.corners for limb in limbs}
    stances = [
        replace(stance, contacts=tuple(replace(c, points=wide[c.frame], friction=FRICTION) for c in stance.contacts))
        for stance in _with_waypoints(robot.known, found.stances)
    ]
    told = f"stands on its hands, and on one of them for {HOLD:g} s"
    return staged("handstand", told, robot, stances, {"one hand": HOLD}, limbs=limbs)


def _with_waypoints(model: Model, stances: Sequence[Stance]) -> list[Stance]:
    """The stances, with postures in between where the straight way between two of them leads across joint limits."""
    found = [stances[0]]
    for before, after in pairwise(stances):
        if after.name in BENT:
            way = transfer(model, before, after, points=WAYPOINTS, load=1.0)
            if not way.success:
                raise ArgumentError(f"{model.name!r} finds no way of stances for a handstand: {way.reason}")
            found += [
                replace(before, name=f"{after.name}, {k} of {WAYPOINTS}", q=q, moved="")
                for k, q in enumerate(way.q[1:-1], start=1)
            ]
        found.append(after)
    return found
