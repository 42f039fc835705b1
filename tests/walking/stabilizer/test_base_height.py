"""How high the base is carried."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.dynamics import frame_pose
from tarsus.spatial import rotation_z
from tarsus.walking import Biped
from tarsus.walking.biped.standing_pose import BENT
from tarsus.walking.stabilizer.base_height import PUSHING, STRETCHED, BaseHeight

DT = 0.005
ROUNDING = 1e-9
UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])
SETTLED = 1e-4
"""Of a height after a second [m]: it nears what is wanted with a time of 0.06 s."""


@pytest.fixture(scope="module")
def biped():
    return Biped.of(ts.robots.hrp2())


def feet(biped, apart):
    """Where both feet are below a robot at the origin, each moved outward [m]."""
    places = [frame_pose(biped.model, biped.q, leg.sole)[:2, 3] - biped.q[:2] for leg in biped.legs]
    return [place + np.array([0.0, side * apart]) for place, side in zip(places, (1.0, -1.0), strict=True)]


def led(height, places, count, turned=UNTURNED):
    return np.array([height.lowered(np.zeros(2), turned, places) for _ in range(count)])


def test_base_stays_where_feet_are_below_their_hips(biped):
    assert (led(BaseHeight(biped, DT), feet(biped, 0.0), 10) == 0.0).all()


@pytest.mark.parametrize("yaw", [0.5, np.pi / 2, -np.pi / 2, np.pi])
def test_base_is_carried_alike_wherever_the_robot_looks(biped, yaw):
    """A robot that had turned was taken to have its feet far from below its hips, sank and fell."""
    R, turned = rotation_z(yaw)[:2, :2], np.array([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
    for apart in (0.0, 0.4 * biped.leg):
        straight = led(BaseHeight(biped, DT), feet(biped, apart), 20)
        found = led(BaseHeight(biped, DT), [R @ place for place in feet(biped, apart)], 20, turned)
        np.testing.assert_allclose(found, straight, atol=1e-12)


def test_base_is_lowered_until_legs_that_are_not_quite_straight_reach_the_feet(biped):
    apart = 0.4 * biped.leg
    low = led(BaseHeight(biped, DT), feet(biped, apart), 200)
    wanted = (1.0 - BENT) * biped.leg - np.sqrt((STRETCHED * biped.leg) ** 2 - apart**2)
    assert low[-1] == pytest.approx(wanted, abs=SETTLED) and low.max() < wanted + SETTLED


def test_acceleration_of_the_base_is_bounded_down_and_up_again(biped):
    height = BaseHeight(biped, DT)
    wide, close = feet(biped, 0.4 * biped.leg), feet(biped, 0.0)
    low = np.concatenate([[0.0, 0.0], led(height, wide, 60), led(height, close, 200)])
    change = np.abs(np.diff(low, 2)) / DT**2
    most = PUSHING * biped.gravity
    assert change.max() <= most * (1 + ROUNDING) and change.max() > 0.99 * most
    assert abs(low[-1]) < SETTLED


def test_base_that_is_caught_goes_on_from_where_it_is_and_how_fast(biped):
    height, low, rate = BaseHeight(biped, DT), 0.03, 0.2
    height.take(low, rate)
    first = led(height, feet(biped, 0.0), 2)
    brake = PUSHING * biped.gravity * DT
    assert first == pytest.approx([low + DT * (rate - brake), low + DT * (2 * rate - 3 * brake)])
