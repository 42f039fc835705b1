"""Feet that ankles turn until their soles are level."""

import numpy as np
import pytest
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.ik.feet import find_feet
from tarsus.ik.level_feet import with_level_feet
from tarsus.ik.stance import stretched

SOLVED = 1e-5
"""Of angles that Newton's method found to 1e-6 [rad]."""


@pytest.mark.parametrize("foot", ["box", "spheres", "capsules"])
@pytest.mark.parametrize("slope", [12.0, -25.0])
def test_ankles_turn_by_the_slope_of_the_soles(foot, slope):
    model = made_biped(foot=foot, slope=slope)
    q = stretched(model)
    assert not any(found.flat for found in find_feet(model, q))
    level = with_level_feet(model, q)
    feet = find_feet(model, level)
    assert [found.body for found in feet] == ["left_foot", "right_foot"] and all(found.flat for found in feet)
    moved = np.zeros(model.nq)
    for side in ("left", "right"):
        moved[model.joints[f"{side}_ankle_pitch"].q_index] = np.radians(slope)
    np.testing.assert_allclose(level - q, moved, atol=SOLVED)


def test_feet_that_are_level_stay_as_they_are():
    model = made_biped()
    q = stretched(model)
    assert with_level_feet(model, q) is q


def test_feet_that_no_ankle_can_level_and_feet_that_are_points_stay_as_they_are():
    steep = made_biped(slope=50.0)
    q = stretched(steep)
    assert with_level_feet(steep, q) is q
    quadruped = ts.robots.quadruped()
    q = stretched(quadruped)
    assert with_level_feet(quadruped, q) is q
