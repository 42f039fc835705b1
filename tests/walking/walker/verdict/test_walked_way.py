"""How long ways are that robots walk, and how fast they are on them."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.simulation import Push
from tarsus.walking import Walker
from tarsus.walking.walker.verdict.walked_way import WalkedWay, way_length

SWAY = 0.04
"""Of the pelvis to each side [m]."""
CORNERS = 0.02
"""By which a way in steps of 12 degrees that goes on straight at its ends is shorter than the arc, at most."""


def swaying(angles, radius):
    """Places on a circle, to its left and its right in turn, shape (n, 2)."""
    r = radius + SWAY * (-1.0) ** np.arange(len(angles))
    return np.stack([r * np.sin(angles), r * np.cos(angles)], axis=1)


def test_straight_way_that_sways_is_as_long_as_the_line_between_its_ends():
    for count in (2, 3, 8, 9):
        x = 0.18 * np.arange(count)
        places = np.stack([x, SWAY * (-1.0) ** np.arange(count)], axis=1)
        assert way_length(places) == pytest.approx(np.linalg.norm(places[-1] - places[0]), rel=1e-12)


@pytest.mark.parametrize("turns", [0.5, 1.0, 2.0])
def test_way_around_a_circle_is_as_long_as_its_arc(turns):
    arc = 2 * np.pi * turns
    places = swaying(np.linspace(0.0, arc, round(30 * turns) + 1), 1.0)
    assert way_length(places) == pytest.approx(arc, rel=CORNERS)


def test_both_numbers_are_told_where_they_differ():
    assert str(WalkedWay(np.array([0.6, 0.8]), 1.03, 0.3)) == "1.00 m"
    assert str(WalkedWay(np.array([0.1, 0.0]), 0.12, 0.1)) == "0.10 m"
    assert str(WalkedWay(np.array([0.06, 0.08]), 2.0, 0.3)) == "2.00 m, ending 0.10 m from the start"


def test_speed_of_a_curve_is_that_along_it_and_there_is_none_on_the_spot():
    walker = Walker(ts.robots.hrp2())
    curve = walker.walk(0.2, turn=0.6, steps=9)
    straight = curve.distance / curve.walked.length
    assert straight < 0.9 and curve.walked.length == pytest.approx(curve.planned.length, rel=0.05)
    assert 0.17 < curve.speed < 0.2  # the first of these steps and the last one are shorter; 0.15 by the line
    spot = walker.walk(0.0, turn=0.3, steps=3)
    assert np.isnan(spot.speed) and "m/s" not in str(spot) and "ending" not in str(spot)


def test_way_speed_and_tilt_of_a_fall_end_with_it():
    walker = Walker(ts.robots.hrp2())
    push = Push("pelvis", (0.0, 3000.0, 0.0), start=3.0, duration=0.1)
    fall = walker.walk(0.3, steps=4, pushes=[push])
    run = fall.trajectory
    assert not fall.passed and run.time[-1] > fall.time + 0.2
    k = np.flatnonzero(run.time <= fall.time + 1e-9)[-1]
    pelvis = ts.frame_pose(run.model, run.q[[0, k, -1]], fall.biped.pelvis)[:, :2, 3]
    np.testing.assert_allclose(fall.way, pelvis[1] - pelvis[0], atol=1e-12)
    assert np.linalg.norm(pelvis[2] - pelvis[1]) > 0.05  # it went on
    assert np.degrees(fall.tilt) < 45.0


def test_speed_of_sidesteps_is_that_of_whole_strides():
    """Feet move on with every second step: four steps were told to be a fifth slower than three or five."""
    walker = Walker(ts.robots.hrp2())
    told = [walker.walk(0.0, 0.1, steps=steps).speed for steps in (5, 6, 7)]
    assert min(told) > 0.09 and max(told) < 0.102
