"""Paths of the joints, and the step that its own impact maps onto its start."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, LAW, PATH

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError
from tarsus.walking import GaitPath, PendulumGait, PolynomialPath, SpeedMap, falling_step

DIFFERENCE = 1e-5
"""Step of central differences; their error is its square times third and fourth derivatives below 1e3."""


@pytest.mark.parametrize("path", [PATH, GaitPath(PendulumGait(period=0.6))], ids=["polynomial", "gait"])
def test_slope_and_curvature_are_derivatives(path):
    s = np.linspace(0.05, 0.95, 7)
    plus, at, minus = path.at(s + DIFFERENCE), path.at(s), path.at(s - DIFFERENCE)
    assert np.abs((plus.theta - minus.theta) / (2 * DIFFERENCE) - at.slope).max() < 1e-6
    assert np.abs((plus.slope - minus.slope) / (2 * DIFFERENCE) - at.curvature).max() < 1e-6


def test_polynomials_pass_through_what_they_are_given():
    rng = np.random.default_rng(1)
    given = rng.normal(size=(5, 4))
    path = PolynomialPath(*given)
    start, middle, end = (path.at(s) for s in (0.0, 0.5, 1.0))
    found = [start.theta, start.slope, middle.theta, end.theta, end.slope]
    assert np.abs(np.array(found) - given).max() < 1e-12
    with pytest.raises(ShapeError, match="expected the same"):
        PolynomialPath(given[0], given[1], given[2], given[3], given[4][:2])


def test_a_falling_step_ends_as_told_with_a_foot_that_is_level_above_the_ground_until_it_lands():
    s = np.linspace(0.0, 1.0, 101)
    q = BIPED.placed(PATH.at(s).theta)
    X = ts.frame_pose(BIPED.model, q, "l_sole")
    assert np.abs(X[[0, -1], 0, 3] - [-0.3, 0.3]).max() < 1e-9
    assert np.abs(X[[0, -1], 2, 3]).max() < 1e-9
    assert np.abs(X[[0, 50, 100], 2, 0]).max() < 1e-12
    ends = X[:, 2, 3, None] + np.array(BIPED.sole) * X[:, 2, 0, None]
    assert ends[1:-1].min() > 0.0
    assert X[50, 2, 3] == pytest.approx(0.05, abs=1e-9)
    assert np.abs(q[[0, 50, 100], 2]).max() < 1e-12
    assert 0.5 < np.degrees(np.ptp(q[:, 2])) < 3.0  # the impact turns the trunk
    v = BIPED.velocity(q[-1], PATH.at(1.0).slope)
    assert np.abs(ts.frame_velocity(BIPED.model, q[-1], v, "l_sole")[[0, 2, 4]] - [0.0, -0.2, 0.0]).max() < 1e-9
    assert np.abs(v[:2] - [0.3, -0.06]).max() < 1e-9


def test_impact_maps_the_end_of_a_falling_step_onto_its_start_and_lifts_the_other_foot():
    end = PATH.at(1.0)
    q = BIPED.placed(end.theta)
    after = BIPED.impact(q, BIPED.velocity(q, 2.0 * end.slope)).v
    assert np.abs(after[BIPED.exchanged][3:] - 2.0 * PATH.at(0.0).slope).max() < 1e-12
    rear = BIPED.foot_jacobian(q) @ after
    assert (rear[1] - np.array(BIPED.sole) * rear[2]).min() > 0.01


def test_unfit_steps_are_refused_by_name():
    with pytest.raises(ArgumentError, match="fall is -0.1"):
        falling_step(BIPED, fall=-0.1)
    with pytest.raises(ArgumentError, match="step_length is 0"):
        falling_step(BIPED, step_length=0.0)
    with pytest.raises(ArgumentError, match=r"thighs of 0.45 m.* the second sole of 'shah7' is at"):
        falling_step(BIPED, thigh=0.45, shank=0.55)
    with pytest.raises(ArgumentError, match="expected a PendulumGait"):
        GaitPath(PATH)


def test_paths_that_their_impact_leaves_have_no_speed_map():
    bent = replace(PATH, start_slope=PATH.start_slope + 0.01)
    with pytest.raises(ArgumentError, match="off the path's start"):
        _ = SpeedMap(replace(LAW, path=bent)).impact_factor
    with pytest.raises(ArgumentError, match="turns the path back"):
        _ = SpeedMap(replace(LAW, path=replace(PATH, start_slope=-PATH.start_slope))).impact_factor
    moved = replace(PATH, start=PATH.start + 0.01)
    with pytest.raises(ArgumentError, match="does not begin as it ends"):
        _ = SpeedMap(replace(LAW, path=moved)).impact_factor
