"""Dill(L) of Featherstone 1999."""

import numpy as np
import pytest
from dynamics.states import SOLVED, assert_close, random_state
from robots.projection import projected_mass_matrix

import tarsus as ts

ROUND_OFF = 1e-12


@pytest.mark.parametrize("level", [0, 1, 2, 5, 12])
def test_has_two_to_the_level_bodies(level):
    model = ts.robots.dill(level)
    assert (model.nv, model.nb) == (2**level, 2**level + 1)


def test_mass_follows_the_recursion():
    mass = []
    for level in range(7):
        mass.append(0.1 * max(level, 1) ** 3 + sum(mass))
        assert ts.robots.dill(level).total_mass == pytest.approx(mass[level], rel=1e-12)


def test_parents_are_those_of_dill_3():
    parents = {name: body.parent for name, body in ts.robots.dill(3).bodies.items()}
    # body1 carries Dill(0), Dill(1), Dill(2); a Dill(i) is numbered before its brothers to the right.
    numbers = {1: 0, 2: 1, 3: 1, 4: 3, 5: 1, 6: 5, 7: 5, 8: 7}
    assert parents == {"ground": None} | {f"body{i}": f"body{p}" if p else "ground" for i, p in numbers.items()}


def test_subtrees_sit_at_their_denavit_hartenberg_parameters():
    model = ts.robots.dill(3)
    for body, i in (("body2", 1), ("body3", 2), ("body5", 3), ("body7", 2)):
        c, s = np.cos(i * np.pi / 3.0), np.sin(i * np.pi / 3.0)
        expected = [[1.0, 0.0, 0.0, 0.1 * i], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
        np.testing.assert_allclose(model.joints[model.bodies[body].joint].pose, expected, atol=ROUND_OFF)
    np.testing.assert_allclose(model.joints["joint1"].pose, np.eye(4), atol=ROUND_OFF)


def test_moments_about_the_body_origin():
    for level in (1, 2, 4):
        inertia = ts.robots.dill(level).bodies["body1"].inertia
        assert inertia.mass == pytest.approx(0.1 * level**3, rel=ROUND_OFF)
        np.testing.assert_allclose(inertia.com, [0.05 * level, 0.0, 0.0], atol=ROUND_OFF)
        across = level**5 * 403.0 / 1.2e6
        expected = np.diag([level**5 / 0.2e6, across, across])
        np.testing.assert_allclose(inertia.moments_about_origin, expected, rtol=1e-12)


def test_negative_level_is_refused():
    with pytest.raises(ts.errors.ArgumentError, match="level = -1 found"):
        ts.robots.dill(-1)


@pytest.mark.parametrize("level", [0, 3, 7])
def test_drives_double_the_bodies_and_keep_the_degrees_of_freedom(level):
    model, plain = ts.robots.dill(level, drives=True), ts.robots.dill(level)
    assert (model.nq, model.nv, model.nb) == (2**level, 2**level, 2 ** (level + 1) + 1)
    assert model.total_mass == pytest.approx(1.1 * plain.total_mass, rel=1e-12)
    np.testing.assert_array_equal(model.reference, plain.reference)


def test_rotors_turn_on_the_segment_before_their_joint_and_about_its_axis():
    model = ts.robots.dill(3, drives=True)
    for i in range(1, 9):
        motor, joint = model.joints[f"motor{i}"], model.joints[f"joint{i}"]
        assert motor.parent == joint.parent
        np.testing.assert_array_equal(motor.pose, joint.pose)


@pytest.mark.parametrize("method", ["articulated-body", "composite-body"])
def test_dynamics_with_drives_are_those_of_all_bodies_projected_by_the_couplings(method):
    model = ts.robots.dill(4, drives=True)
    q, v, vdot, *_ = random_state(model, 4)
    assert_close(ts.mass_matrix(model, q), projected_mass_matrix(model, q))
    tau = ts.inverse_dynamics(model, q, v, vdot)
    assert_close(ts.forward_dynamics(model, q, v, tau, method=method), vdot, SOLVED)
