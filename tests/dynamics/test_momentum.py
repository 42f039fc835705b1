"""Centre of mass, momentum and energies."""

import numpy as np
import pytest
from dynamics.finite_differences import along, assert_derivative, derivative, gradient
from dynamics.oracle import adjoint, evaluate, transform
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from hypothesis import given

import tarsus as ts
from tarsus.errors import MasslessJointError


@PROPERTY
@given(models(), seeds())
def test_center_of_mass_is_the_weighted_mean_of_the_bodies(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    center = evaluate(model, q, v).center_of_mass
    assert_close(ts.center_of_mass(model, q), center)
    assert_close(ts.potential_energy(model, q), np.array(-model.total_mass * model.gravity @ center))


@PROPERTY
@given(models(), seeds())
def test_columns_of_the_com_jacobian_are_derivatives_of_the_center_of_mass(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    assert_derivative(ts.com_jacobian(model, q), gradient(model, q, lambda at: ts.center_of_mass(model, at)))


@PROPERTY
@given(models(), seeds())
def test_momentum_is_the_sum_over_the_bodies(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    oracle = evaluate(model, q, v)
    at_center = adjoint(transform(np.eye(3), oracle.center_of_mass)).T @ oracle.momentum_at_origin
    assert_close(ts.momentum(model, q, v), at_center)
    assert_close(ts.momentum_matrix(model, q) @ v, ts.momentum(model, q, v))
    assert_close(ts.momentum(model, q, v)[:3], model.total_mass * ts.com_jacobian(model, q) @ v)


@PROPERTY
@given(models(bases=("free",), rotors=False), seeds())
def test_rate_of_momentum_of_a_free_robot_is_gravity_and_external_wrenches(model: ts.Model, seed: int) -> None:
    """Euler's laws about the centre of mass: no force between the bodies changes the momentum."""
    q, v, _, tau, external = random_state(model, seed)
    tau[:6] = 0.0
    motion = along(model, q, v)
    rate = derivative(lambda t: ts.momentum(model, *motion(t)))
    rate += ts.momentum_matrix(model, q) @ ts.forward_dynamics(model, q, v, tau, external)
    arms = ts.body_poses(model, q)[:, :3, 3] - ts.center_of_mass(model, q)
    force = external[:, :3].sum(axis=0) + model.total_mass * model.gravity
    moment = (external[:, 3:] + np.cross(arms, external[:, :3])).sum(axis=0)
    assert_derivative(rate, np.concatenate([force, moment]))


@PROPERTY
@given(models(), seeds())
def test_kinetic_energy_is_half_of_v_m_v(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    assert_close(ts.kinetic_energy(model, q, v), np.array(0.5 * v @ ts.mass_matrix(model, q) @ v))


@pytest.mark.parametrize("function", [ts.center_of_mass, ts.com_jacobian, ts.momentum_matrix])
def test_model_without_mass_has_no_center_of_mass(function: object) -> None:
    builder = ts.ModelBuilder().add_link("ground").add_link("arm")
    model = builder.add_joint("hinge", "revolute", "ground", "arm").build()
    with pytest.raises(MasslessJointError, match="no mass"):
        function(model, model.neutral())  # type: ignore[operator]
