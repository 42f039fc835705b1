"""Inverse dynamics, its parts, passive forces and the regressor."""

import numpy as np
from dynamics.finite_differences import assert_derivative, gradient
from dynamics.oracle import evaluate
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from hypothesis import given

import tarsus as ts


@PROPERTY
@given(models(), seeds())
def test_inverse_dynamics_is_mass_times_acceleration_plus_bias_minus_wrenches(model: ts.Model, seed: int) -> None:
    q, v, vdot, _, external = random_state(model, seed)
    pushes = np.einsum("bik,bi->k", ts.body_jacobians(model, q), external)
    expected = ts.mass_matrix(model, q) @ vdot + ts.bias_force(model, q, v) - pushes
    assert_close(ts.inverse_dynamics(model, q, v, vdot, external), expected)


@PROPERTY
@given(models(), seeds())
def test_bias_and_gravity_are_inverse_dynamics_without_acceleration_and_velocity(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    zero = np.zeros(model.nv)
    assert_close(ts.bias_force(model, q, v), ts.inverse_dynamics(model, q, v, zero))
    assert_close(ts.gravity_force(model, q), ts.inverse_dynamics(model, q, zero, zero))


@PROPERTY
@given(models(), seeds())
def test_gravity_force_is_the_gradient_of_the_potential_energy(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    assert_derivative(ts.gravity_force(model, q), gradient(model, q, lambda at: ts.potential_energy(model, at)))


@PROPERTY
@given(models(passive=True), seeds())
def test_passive_force_is_damping_friction_and_springs(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    expected = np.zeros(model.nv)
    for joint in model.joints.values():
        rate = v[joint.v_index]
        expected[joint.v_index] = -joint.damping * rate - joint.friction * np.sign(rate)
        if (joint.nq, joint.nv) == (1, 1):
            expected[joint.v_index] -= joint.stiffness * (q[joint.q_index] - joint.rest)
    assert_close(ts.passive_force(model, q, v), expected)
    without = ts.inverse_dynamics(model, q, v, vdot)
    assert_close(ts.inverse_dynamics(model, q, v, vdot, passive=True), without - expected)


def test_friction_vanishes_at_rest() -> None:
    builder = ts.ModelBuilder().add_link("ground").add_link("arm", ts.Inertia.of_sphere(1.0, 0.1))
    model = builder.add_joint("hinge", "revolute", "ground", "arm", friction=3.0, damping=2.0).build()
    np.testing.assert_array_equal(ts.passive_force(model, [0.4], [[-1.0], [0.0], [1.0]]), [[5.0], [0.0], [-5.0]])


@PROPERTY
@given(models(), seeds())
def test_inverse_dynamics_is_linear_in_the_inertial_parameters(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    parameters = np.concatenate([body.inertia.parameters for body in model.bodies.values()])
    armature = np.concatenate([joint.armature for joint in model.joints.values()])
    found = ts.torque_regressor(model, q, v, vdot) @ parameters + armature * vdot + evaluate(model, q, v).rotor_drift
    assert_close(found, ts.inverse_dynamics(model, q, v, vdot))
