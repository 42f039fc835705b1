"""RABBIT with both published sets of parameters."""

import numpy as np
import pytest

import tarsus as ts

ROUND_OFF = 1e-12


@pytest.mark.parametrize(("parameters", "mass"), [("book", 32.0), ("hzd", 40.0)])
def test_sizes_and_mass(parameters, mass):
    model = ts.robots.rabbit(parameters)
    assert (model.nq, model.nv, model.nb) == (7, 7, 5)
    assert model.total_mass == pytest.approx(mass, abs=ROUND_OFF)


@pytest.mark.parametrize(
    ("parameters", "body", "mass", "com_z", "moment"),
    [
        ("book", "torso", 12.0, 0.24, 1.33),
        ("book", "r_femur", 6.8, -0.11, 0.47),
        ("book", "l_tibia", 3.2, -0.24, 0.20),
        ("hzd", "torso", 20.0, 0.200, 2.22),
        ("hzd", "l_femur", 6.8, -0.163, 1.08),
        ("hzd", "r_tibia", 3.2, -0.128, 0.93),
    ],
)
def test_link_parameters(parameters, body, mass, com_z, moment):
    inertia = ts.robots.rabbit(parameters).bodies[body].inertia
    assert (inertia.mass, inertia.com.tolist(), inertia.moments[1, 1]) == (mass, [0.0, 0.0, com_z], moment)


@pytest.mark.parametrize("parameters", ["book", "hzd"])
def test_reference_pose_has_both_feet_on_the_ground_and_the_right_one_in_front(parameters):
    model = ts.robots.rabbit(parameters)
    right, left = (ts.frame_pose(model, model.reference, f"{side}_sole")[:3, 3] for side in "rl")
    np.testing.assert_allclose([right[2], left[2]], 0.0, atol=ROUND_OFF)
    assert right[0] > 0.2 > -0.2 > left[0]
    assert left[0] < ts.center_of_mass(model, model.reference)[0] < right[0]


def test_straight_legs_are_0_8_m_long():
    model = ts.robots.rabbit()
    assert ts.frame_pose(model, model.neutral(), "l_sole")[2, 3] == pytest.approx(-0.8, abs=ROUND_OFF)


def test_unknown_parameters_are_refused_by_name():
    with pytest.raises(ts.errors.UnknownNameError, match=r"'boook'.*close: 'book'"):
        ts.robots.rabbit("boook")
