"""Coil(n) of Featherstone 1999."""

import numpy as np
import pytest

import tarsus as ts

ROUND_OFF = 1e-12


@pytest.mark.parametrize("n", [1, 7, 4096])
def test_has_n_bodies_of_one_kilogram_together(n):
    model = ts.robots.coil(n)
    assert (model.nv, model.nb) == (n, n + 1)
    assert model.total_mass == pytest.approx(1.0, rel=1e-12)


def test_moments_about_the_body_origin():
    n = 9
    inertia = ts.robots.coil(n).bodies["body4"].inertia
    assert inertia.mass == pytest.approx(1.0 / n, rel=ROUND_OFF)
    np.testing.assert_allclose(inertia.com, [0.5 / n, 0.0, 0.0], atol=ROUND_OFF)
    across = (3e-4 + 4.0 / n**2) / (12.0 * n)
    np.testing.assert_allclose(inertia.moments_about_origin, np.diag([1e-4 / (2.0 * n), across, across]), rtol=1e-12)


def test_every_joint_has_the_denavit_hartenberg_parameters_also_the_first():
    n = 10
    model = ts.robots.coil(n)
    c, s = np.cos(5.0 * np.pi / n), np.sin(5.0 * np.pi / n)
    expected = [[1.0, 0.0, 0.0, 1.0 / n], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
    for i in range(1, n + 1):
        joint = model.joints[f"joint{i}"]
        np.testing.assert_allclose(joint.pose, expected, atol=ROUND_OFF)
        assert joint.axis.tolist() == [0.0, 0.0, 1.0]
    np.testing.assert_allclose(ts.frame_pose(model, model.neutral(), "body1"), expected, atol=ROUND_OFF)


def test_straight_coil_ends_one_shift_and_one_metre_from_the_origin():
    model = ts.robots.coil(16)
    tip = ts.frame_pose(model, model.neutral(), "tool")[:3, 3]
    np.testing.assert_allclose(tip, [1.0 + 1.0 / 16.0, 0.0, 0.0], atol=ROUND_OFF)


def test_less_than_one_body_is_refused():
    with pytest.raises(ts.errors.ArgumentError, match="n = 0 found"):
        ts.robots.coil(0)
