"""From the feet to the hands, to one hand, and back (Bouyarmane and Kheddar 2012, figs. 3 and 4)."""

from __future__ import annotations

from dataclasses import replace

from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import FRICTION, Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import staged
from tarsus.scenarios.stances.handstand import handstand as stances_of
from tarsus.scenarios.stances.hrp2_limbs import palms, soles

WITHIN = 0.95
"""Part of the length and width of soles and hands that is pressed on; stances were planned on less."""
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
        for stance in found.stances
    ]
    told = f"stands on its hands, and on one of them for {HOLD:g} s"
    return staged("handstand", told, robot, stances, {"one hand": HOLD}, limbs=limbs)
