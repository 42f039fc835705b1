"""From knees and hands to the feet."""

from __future__ import annotations

from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import pressed_on, staged
from tarsus.scenarios.stances.hrp2_limbs import knees, palms, soles
from tarsus.scenarios.stances.kneeling import kneeling as stances_of
from tarsus.scenarios.waypoints import with_waypoints

PARTS: dict[str, int] = {}


def kneeling(model: Model) -> Scenario:
    """HRP-2 lifts its knees, brings its hands nearer, rolls from its toes to its soles, and stands up.

    Parameters
    ----------
    model : Model
        With the frames of `ts.robots.hrp2`.
    """
    robot = Robot.of(model)
    found = stances_of(robot.known)
    if not found.success:
        raise ArgumentError(f"{model.name!r} has no stances for rising from its knees: {found.reason}")
    limbs = (*soles(), *palms(), *knees())
    stances = pressed_on(with_waypoints(robot.known, found.stances, PARTS), limbs)
    return staged("kneeling", "rises from its knees and hands to its feet", robot, stances, limbs=limbs)
