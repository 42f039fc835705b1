"""Up a stair with a hand on a rail."""

from __future__ import annotations

import numpy as np

from tarsus.contact import Block, ContactLaw, Ground, Plane
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import Limb, Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import pressed_on, staged
from tarsus.scenarios.stances.hrp2_limbs import soles
from tarsus.scenarios.stances.stair import RAIL_POSE, RAIL_SIZE, STAIR_POSE, STAIR_SIZE, around
from tarsus.scenarios.stances.stair import stair as stances_of
from tarsus.scenarios.waypoints import with_waypoints

PARTS = {"hand on the rail": 4, "left foot on the stair": 4, "right foot on the stair": 4}
"""Into how many parts the ways of limbs are divided: they go up first, then across."""
LIFT = 0.06
"""Height of these ways above rail and stair [m]."""


def stair(model: Model) -> Scenario:
    """HRP-2 puts its right hand on a rail, steps on a stair of 15 cm with both feet and lets go.

    Parameters
    ----------
    model : Model
        With the frames of `ts.robots.hrp2`.
    """
    robot = Robot.of(model)
    found = stances_of(robot.known)
    if not found.success:
        raise ArgumentError(f"{model.name!r} has no stances for a stair: {found.reason}")
    limbs = (*soles(), Limb("r_palm", np.zeros((1, 3)), bare=True))
    stances = with_waypoints(robot.known, found.stances, PARTS, collision=around(robot.known), lift=LIFT)
    told = "climbs a stair of 15 cm with a hand on a rail"
    return staged("stair", told, robot, pressed_on(stances, limbs), limbs=limbs, ground=with_rail)


def with_rail(law: ContactLaw) -> Ground:
    """The floor, a stair and a rail beside it, of a contact law."""
    return Ground(
        Plane(law, name="floor"),
        Block(STAIR_SIZE, STAIR_POSE, law, name="stair"),
        Block(RAIL_SIZE, RAIL_POSE, law, name="rail"),
    )
