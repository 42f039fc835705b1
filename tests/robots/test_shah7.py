"""Planar biped of Shah, Saha and Dutt."""

import numpy as np
import pytest

import tarsus as ts

ROUND_OFF = 1e-12
PRINTED_DIGITS = 5e-8  # moments are known to seven digits

model = ts.robots.shah7()


def test_sizes():
    assert (model.nq, model.nv, model.nb, model.base) == (9, 9, 7, "planar")


def test_total_mass():
    assert model.total_mass == pytest.approx(9.4, abs=ROUND_OFF)


@pytest.mark.parametrize(
    ("body", "mass", "pitch_moment"),
    [("trunk", 5.0, 0.1041667), ("r_thigh", 1.0, 0.0208333), ("l_shank", 1.0, 0.0208333), ("r_foot", 0.2, 0.000375)],
)
def test_masses_and_moments(body, mass, pitch_moment):
    inertia = model.bodies[body].inertia
    assert inertia.mass == mass
    assert inertia.moments[1, 1] == pytest.approx(pitch_moment, abs=PRINTED_DIGITS)


def test_straight_legs_are_one_metre_long_below_a_trunk_of_half_a_metre():
    ankle = ts.frame_pose(model, model.neutral(), "r_sole")[:3, 3]
    assert ankle[2] == pytest.approx(-1.25, abs=ROUND_OFF)


def test_reference_pose_stands_at_the_height_of_the_gait():
    assert ts.frame_pose(model, model.reference, "trunk")[2, 3] == 1.23
    for side in "rl":
        for name, x in (("sole", 0.0), ("toe", 0.075), ("heel", -0.075)):
            X = ts.frame_pose(model, model.reference, f"{side}_{name}")
            np.testing.assert_allclose(X[[0, 2], 3], [x, 0.0], atol=ROUND_OFF)
            np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=ROUND_OFF)


def test_knees_bend_forward_in_the_reference_pose():
    for side in "rl":
        hip, knee = (ts.frame_pose(model, model.reference, f"{side}_{part}")[0, 3] for part in ("thigh", "shank"))
        assert knee - hip == pytest.approx(0.5 * np.sqrt(1.0 - 0.98**2), abs=ROUND_OFF)


def test_centre_of_mass_height_follows_from_the_links():
    # Thigh centres at 0.98 - 0.245, shank centres at 0.245, feet at 0.
    expected = (5.0 * 1.23 + 2.0 * (0.735 + 0.245)) / 9.4
    assert ts.center_of_mass(model, model.reference)[2] == pytest.approx(expected, abs=ROUND_OFF)


def test_positive_base_pitch_leans_forward():
    q = model.neutral()
    q[2] = 0.1
    assert ts.frame_pose(model, q, "r_sole")[0, 3] == pytest.approx(-1.25 * np.sin(0.1), abs=ROUND_OFF)
