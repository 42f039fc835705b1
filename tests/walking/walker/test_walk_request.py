"""Footsteps that a walk is asked for."""

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import Footstep, Walker
from tarsus.walking.walker.walk_request import checked_footsteps


def feet(yaws, width=0.2):
    """Footsteps on the spot, the left foot first, of these yaws [rad]."""
    return [Footstep(k % 2 == 0, np.array([0.0, width / 2 * (-1) ** k, 0.0]), yaw) for k, yaw in enumerate(yaws)]


@pytest.mark.parametrize(
    ("yaws", "expected"),
    [
        ([0.0, 0.1, -0.2, 2.9], [0.0, 0.1, -0.2, 2.9]),
        ([0.0, 0.0, 2 * math.pi, 2 * math.pi], [0.0, 0.0, 0.0, 0.0]),
        ([3.0, 3.0, -3.0, -2.8], [3.0, 3.0, 2 * math.pi - 3.0, 2 * math.pi - 2.8]),
        ([7.0, 7.1 - 4 * math.pi, 7.2], [7.0, 7.1, 7.2]),
    ],
)
def test_yaws_of_footsteps_go_on_by_the_smallest_turn(yaws, expected):
    np.testing.assert_allclose([foot.yaw for foot in checked_footsteps(feet(yaws), 0.6)], expected, atol=1e-12)


def test_footsteps_that_are_a_whole_turn_on_are_the_same_walk():
    walker = Walker(ts.robots.hrp2())
    plans = [walker.plan(footsteps=feet([0.0, 0.0, yaw, yaw], walker.biped.width))[0] for yaw in (0.0, 2 * math.pi)]
    np.testing.assert_array_equal(plans[0].q, plans[1].q)
