"""Mass matrix and Coriolis matrix."""

import numpy as np
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.oracle import evaluate
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from hypothesis import given

import tarsus as ts


@PROPERTY
@given(models(), seeds())
def test_mass_matrix_is_symmetric_and_positive_definite(model: ts.Model, seed: int) -> None:
    M = ts.mass_matrix(model, random_state(model, seed).q)
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


@PROPERTY
@given(models(), seeds())
def test_mass_matrix_is_the_sum_over_bodies_of_jacobian_inertia_jacobian(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    assert_close(ts.mass_matrix(model, q), evaluate(model, q, v).mass_matrix)


@PROPERTY
@given(models(), seeds())
def test_columns_of_mass_matrix_equal_inverse_dynamics_of_unit_accelerations(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    columns = ts.inverse_dynamics(model, q, v, np.eye(model.nv)) - ts.bias_force(model, q, v)
    assert_close(columns.T, ts.mass_matrix(model, q))


@PROPERTY
@given(models(), seeds())
def test_coriolis_matrix_and_gravity_make_the_bias_force(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    assert_close(ts.coriolis_matrix(model, q, v) @ v + ts.gravity_force(model, q), ts.bias_force(model, q, v))


@PROPERTY
@given(models(), seeds())
def test_rate_of_the_mass_matrix_is_twice_the_symmetric_part_of_the_coriolis_matrix(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    motion = along(model, q, v)
    C = ts.coriolis_matrix(model, q, v)
    assert_derivative(C + C.T, derivative(lambda t: ts.mass_matrix(model, motion(t)[0])))
