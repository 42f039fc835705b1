"""Planar 4R arm."""

import numpy as np
import pytest

import tarsus as ts

ROUND_OFF = 1e-12

model = ts.robots.planar4()


def test_sizes():
    assert (model.nq, model.nv, model.total_mass) == (4, 4, pytest.approx(4.0, abs=ROUND_OFF))


def test_tool_follows_the_sum_of_four_planar_links():
    q = np.random.default_rng(3).uniform(-2.0, 2.0, 4)
    angles = np.cumsum(q)
    expected = 0.5 * np.array([np.cos(angles).sum(), np.sin(angles).sum()])
    X = ts.frame_pose(model, q, "tool")
    np.testing.assert_allclose(X[:2, 3], expected, atol=ROUND_OFF)
    assert X[2, 3] == pytest.approx(ts.frame_pose(model, q, "link1")[2, 3], abs=ROUND_OFF)


def test_stretched_arm_has_the_moment_of_a_rod_of_two_metres():
    # M[0, 0] is the moment of the whole arm about the first axis: m l^2 / 3.
    assert ts.mass_matrix(model, model.neutral())[0, 0] == pytest.approx(4.0 * 2.0**2 / 3.0, abs=1e-10)


def test_gravity_does_no_work_in_the_plane():
    np.testing.assert_allclose(ts.gravity_force(model, model.reference), 0.0, atol=ROUND_OFF)


def test_limits():
    np.testing.assert_allclose(np.degrees([model.q_min, model.q_max]), [[-150.0] * 4, [150.0] * 4], atol=1e-12)
