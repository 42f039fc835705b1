"""Footsteps that are given: what joints cannot follow is refused, what they can hardly follow is warned of."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ControlWarning, PlanningError
from tarsus.geometry.shapes import Box, Shape
from tarsus.walking import Footstep, Stairs, Walker, climb
from tarsus.walking.obstacles.obstacle_walk import walk_past_obstacles
from tarsus.walking.obstacles.obstruction import Obstruction


def ahead(width, length, count):
    """Steps straight ahead, feet together at both ends."""
    feet = [Footstep(k % 2 == 0, np.array([0.0, (0.5 - k % 2) * width, 0.0]), 0.0) for k in range(2)]
    for k in range(count):
        place = np.array([length * min(k + 1, count - 1), (0.5 - k % 2) * width, 0.0])
        feet.append(Footstep(k % 2 == 0, place, 0.0))
    return feet


@pytest.fixture(name="hasty", scope="module")
def _hasty():
    return Walker(ts.robots.hrp2(), step_time=0.3)


def test_steps_that_need_twice_the_speed_of_a_joint_are_refused_as_commands_are(hasty):
    with pytest.raises(PlanningError, match=r"too slow to step where it is told: .* would need \d{3}% of its speed"):
        hasty.walk(footsteps=ahead(hasty.biped.width, 0.2, 7))
    with pytest.raises(PlanningError, match="too slow to walk"):
        hasty.walk(0.2 / 0.3, steps=6)


def test_steps_beyond_limits_are_warned_of():
    walker = Walker(ts.robots.hrp2(), step_time=0.4)
    with pytest.warns(ControlWarning, match=r"beyond its limits to step where it is told: .* would need 1\d\d% of its"):
        walker.plan(footsteps=ahead(walker.biped.width, 0.2, 7))


def test_stairs_and_obstacles_that_need_twice_the_speed_of_a_joint_are_refused():
    with pytest.raises(PlanningError, match=r"too slow to climb these stairs: .*longer step_time"):
        climb(Walker(ts.robots.hrp2(), step_time=0.35), Stairs(2, rise=0.06, run=0.3))
    box = Obstruction(Shape(Box((0.05, 1.0, 0.07)), ts.spatial.pose([0.6, 0.0, 0.035]), name="box"))
    walker = Walker(ts.robots.hrp2(), step_time=0.4)
    with pytest.raises(PlanningError, match="too (slow|weak) to pass these obstacles"):
        walk_past_obstacles(walker, [box], progress=False)


def test_both_feet_in_one_place_are_refused(hasty):
    half = hasty.biped.width / 2
    places = [(True, half), (False, -half), (True, -half), (False, -3 * half)]
    feet = [Footstep(left, np.array([0.0, y, 0.0]), 0.0) for left, y in places]
    with pytest.raises(ArgumentError, match=r"footsteps\[2\] is 0 mm from footsteps\[1\], where the other foot stands"):
        hasty.walk(footsteps=feet)
