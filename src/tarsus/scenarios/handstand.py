"""From the feet to the hands, to one hand, and back (Bouyarmane and Kheddar 2012, figs. 3 and 4)."""

from __future__ import annotations

from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import pressed_on, staged
from tarsus.scenarios.stances.handstand import handstand as stances_of
from tarsus.scenarios.stances.hrp2_limbs import palms, soles
from tarsus.scenarios.waypoints import with_waypoints

PARTS = {"left hand off": 4, "two hands again": 4}
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
    stances = with_waypoints(robot.known, found.stances, PARTS)
    told = f"stands on its hands, and on one of them for {HOLD:g} s"
    return staged("handstand", told, robot, pressed_on(stances, limbs), {"one hand": HOLD}, limbs=limbs)
