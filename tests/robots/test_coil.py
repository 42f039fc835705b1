"""Coil(n) of Featherstone 1999."""

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from dynamics.states import SOLVED, assert_close, random_state
from robots.projection import projected_bias_force, projected_mass_matrix

import tarsus as ts

ROUND_OFF = 1e-12
ENERGY_DRIFT = 2e-8  # share of the energy exchanged; what the finest step of order four loses


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


@pytest.mark.parametrize("n", [1, 7, 512])
def test_drives_double_the_bodies_and_keep_the_degrees_of_freedom(n):
    model = ts.robots.coil(n, drives=True)
    assert (model.nq, model.nv, model.nb) == (n, n, 2 * n + 1)
    assert model.total_mass == pytest.approx(1.1, rel=1e-12)
    np.testing.assert_array_equal(model.reference, ts.robots.coil(n).reference)


def test_rotors_turn_on_the_segment_before_their_joint_and_about_its_axis():
    model = ts.robots.coil(6, drives=True)
    for i in range(1, 7):
        motor, joint = model.joints[f"motor{i}"], model.joints[f"joint{i}"]
        assert motor.parent == joint.parent == (f"body{i - 1}" if i > 1 else "ground")
        np.testing.assert_array_equal(motor.pose, joint.pose)
        np.testing.assert_array_equal(motor.axis, joint.axis)
    q = model.random(np.random.default_rng(1))
    angles = dict(zip(list(model.joints)[1:], model.joint_positions(q), strict=True))
    for i in range(1, 7):
        assert angles[f"motor{i}"] == pytest.approx(100.0 * angles[f"joint{i}"], rel=ROUND_OFF)


def test_dynamics_with_drives_are_those_of_all_bodies_projected_by_the_couplings():
    model = ts.robots.coil(9, drives=True)
    q, v, *_ = random_state(model, 2)
    assert_close(ts.mass_matrix(model, q), projected_mass_matrix(model, q))
    assert_close(ts.bias_force(model, q, v), projected_bias_force(model, q, v))


def test_one_driven_segment_has_the_reflected_inertia_of_its_rotor():
    # About z of the first joint: the rotor of 0.1 kg and 4 mm adds 100^2 m r^2 / 2.
    plain, driven = (ts.mass_matrix(ts.robots.coil(1, drives), [0.3])[0, 0] for drives in (False, True))
    assert driven - plain == pytest.approx(1e4 * 0.5 * 0.1 * 0.004**2, rel=1e-12)


@pytest.mark.parametrize("method", ["articulated-body", "composite-body"])
def test_forward_dynamics_with_drives_undo_inverse_dynamics(method):
    model = ts.robots.coil(24, drives=True)
    q, v, vdot, _, external = random_state(model, 3, (3,))
    tau = ts.inverse_dynamics(model, q, v, vdot, external)
    assert_close(ts.forward_dynamics(model, q, v, tau, external, method), vdot, SOLVED)


def test_falling_driven_coil_keeps_its_energy_up_to_the_fourth_order_of_the_step():
    model = ts.robots.coil(6, drives=True)
    start = ts.potential_energy(model, model.reference)
    drifts = []
    for steps in (50, 100, 200):
        q, v = model.reference, np.zeros(model.nv)
        exchanged, drift = 0.0, 0.0
        for _ in range(steps):
            q, v = runge_kutta_step(model, q, v, 0.5 / steps)
            kinetic = ts.kinetic_energy(model, q, v)
            exchanged = max(exchanged, kinetic)
            drift = max(drift, abs(kinetic + ts.potential_energy(model, q) - start))
        drifts.append(drift / exchanged)
        assert exchanged > 1.0
    np.testing.assert_allclose(np.array(drifts[:-1]) / drifts[1:], 16.0, rtol=0.1)
    assert drifts[-1] < ENERGY_DRIFT
