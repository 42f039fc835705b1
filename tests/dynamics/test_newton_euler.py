"""The Newton-Euler method with global Jacobians, Buschmann 2014 (3.23)-(3.29), against its equations in NumPy."""

from typing import Any

import numpy as np
import pytest
from dynamics.oracle import Oracle, evaluate
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, SOLVED, assert_close, random_state
from hypothesis import given
from hypothesis import strategies as st

import tarsus as ts
from tarsus.arrays import FloatArray

METHODS = st.sampled_from(("newton-euler", "newton-euler-sparse"))


def projected_wrenches(oracle: Oracle, external: FloatArray) -> FloatArray:
    """Sum over the bodies of J_i^T f_i, with wrenches at the bodies' origins."""
    total = np.zeros(oracle.model.nv)
    for i, wrench in enumerate(external):
        total += oracle.jacobian(i, oracle.poses[i][:3, 3]).T @ wrench
    return total


@PROPERTY
@given(models(), seeds(), METHODS)
def test_accelerations_solve_the_sum_over_all_bodies(model: ts.Model, seed: int, method: Any) -> None:
    q, v, _, tau, external = random_state(model, seed)
    oracle = evaluate(model, q, v)
    vdot = np.linalg.solve(oracle.mass_matrix, tau - oracle.bias_force + projected_wrenches(oracle, external))
    assert_close(ts.forward_dynamics(model, q, v, tau, external, method), vdot, SOLVED)


@PROPERTY
@given(models(), seeds())
def test_inverse_dynamics_are_wrenches_projected_by_jacobians(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    oracle = evaluate(model, q, v)
    tau = oracle.mass_matrix @ vdot + oracle.bias_force - projected_wrenches(oracle, external)
    assert_close(ts.inverse_dynamics(model, q, v, vdot, external, "newton-euler"), tau)


@pytest.mark.parametrize("method", ["newton-euler", "newton-euler-sparse"])
def test_pendulum_swings_like_the_textbook_one(method: Any) -> None:
    mass, length, radius, rotor = 2.0, 0.7, 0.1, 0.03
    builder = ts.ModelBuilder("pendulum").add_link("ground")
    builder.add_link("bob", ts.Inertia.of_sphere(mass, radius, com=(0.0, 0.0, -length)))
    builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0), armature=rotor)
    model = builder.build()
    inertia = mass * length**2 + 0.4 * mass * radius**2 + rotor
    for angle in np.linspace(-3.0, 3.0, 7):
        expected = (1.5 - mass * 9.81 * length * np.sin(angle)) / inertia
        found = ts.forward_dynamics(model, [angle], [0.8], [1.5], method=method)
        assert found[0] == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("method", ["newton-euler", "newton-euler-sparse"])
def test_branches_do_not_feel_each_other_but_through_a_moving_base(method: Any) -> None:
    for base, felt in (("fixed", False), ("free", True)):
        model = ts.robots.hrp2(base=base)
        q, v, _, tau, _ = random_state(model, 60)
        right, left = model.joints["RLEG_JOINT3"].v_index, model.joints["LLEG_JOINT3"].v_index
        more = tau.copy()
        more[right] += 10.0
        change = ts.forward_dynamics(model, q, v, more, method=method) - ts.forward_dynamics(
            model, q, v, tau, method=method
        )
        assert abs(change[right][0]) > 1.0
        assert felt == (abs(change[left][0]) > 1e-9)
