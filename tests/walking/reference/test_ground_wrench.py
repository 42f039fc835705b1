"""Torques of planned motions."""

import numpy as np
import pytest
from robot_data import robot_data_path
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.reference.ground_wrench import ground_wrench

DAMPING = 0.1
"""Of the joints of the made biped [N m s/rad]."""


def test_torques_of_a_motion_make_good_what_dampers_take():
    biped = Biped.of(made_biped())
    model = biped.model
    rng = np.random.default_rng(2)
    v, vdot = rng.normal(size=(2, 5, model.nv))
    q = np.tile(biped.q, (5, 1))
    found = ground_wrench(biped, q, v, vdot)
    expected = ts.inverse_dynamics(model, q, v, vdot)
    expected[:, 6:] += DAMPING * v[:, 6:]
    np.testing.assert_allclose(found.tau, expected, atol=1e-9)
    assert ts.passive_force(model, q, v)[:, 6:] == pytest.approx(-DAMPING * v[:, 6:])


def test_torques_of_a_motion_leave_coulomb_friction_to_the_position_loops():
    """Some joints of Talos have dampers and friction."""
    biped = Biped.of(ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free"))
    model = biped.model
    damping, friction = np.zeros((2, model.nv))
    for joint in model.joints.values():
        damping[joint.v_index], friction[joint.v_index] = joint.damping, joint.friction
    v = np.random.default_rng(3).normal(size=(1, model.nv))
    q, still = biped.q[None], np.zeros((1, model.nv))
    lost = ground_wrench(biped, q, v, still).tau - ts.inverse_dynamics(model, q, v, still)
    assert friction[6:].any() and damping[6:].any()
    np.testing.assert_allclose(lost[:, 6:], (damping * v)[:, 6:], atol=1e-9)
    passive = -(damping * v + friction * np.sign(v))
    np.testing.assert_allclose(ts.passive_force(model, q, v)[:, 6:], passive[:, 6:], atol=1e-9)
