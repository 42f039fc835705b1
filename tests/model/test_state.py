"""Snapshots compute on demand, remember, and agree with the functions."""

import numpy as np
import pytest
from sample_models import double_pendulum, zoo

import tarsus as ts
from tarsus.errors import ArgumentError, NonFiniteError, QuaternionNormError, ShapeError, UnknownNameError

OF_Q = {
    "com": ts.center_of_mass,
    "com_jacobian": ts.com_jacobian,
    "body_poses": ts.body_poses,
    "mass_matrix": ts.mass_matrix,
    "gravity_force": ts.gravity_force,
    "potential_energy": ts.potential_energy,
    "joint_screws": ts.joint_screws,
    "momentum_matrix": ts.momentum_matrix,
}
OF_QV = {
    "momentum": ts.momentum,
    "kinetic_energy": ts.kinetic_energy,
    "bias_force": ts.bias_force,
    "coriolis_matrix": ts.coriolis_matrix,
}
AXES = ("world", "local", "world_origin")


@pytest.fixture(params=[(), (5,), (2, 3)], ids=["one", "five", "grid"])
def sample(request):
    """Model, configurations and velocities of a batch shape."""
    model = zoo().build()
    rng = np.random.default_rng(16)
    return model, model.random(rng, request.param), rng.normal(size=(*request.param, model.nv))


@pytest.mark.parametrize("name", OF_Q)
def test_quantity_of_position_is_that_of_the_function(name, sample):
    model, q, _ = sample
    np.testing.assert_array_equal(getattr(model.state(q), name), OF_Q[name](model, q))


@pytest.mark.parametrize("name", OF_QV)
def test_quantity_of_velocity_is_that_of_the_function(name, sample):
    model, q, v = sample
    np.testing.assert_array_equal(getattr(model.state(q, v), name), OF_QV[name](model, q, v))


@pytest.mark.parametrize("axes", AXES)
def test_quantities_of_frames_are_those_of_the_functions(axes, sample):
    model, q, v = sample
    state = model.state(q, v)
    np.testing.assert_array_equal(state.frame_pose("planar"), ts.frame_pose(model, q, "planar"))
    np.testing.assert_array_equal(state.jacobian("planar", axes), ts.jacobian(model, q, "planar", axes))
    np.testing.assert_array_equal(state.frame_velocity("planar", axes), ts.frame_velocity(model, q, v, "planar", axes))
    np.testing.assert_array_equal(state.jacobian_dot_v("planar", axes), ts.jacobian_dot_v(model, q, v, "planar", axes))


def test_quantities_are_computed_once_and_remembered(sample):
    model, q, v = sample
    state = model.state(q, v)
    for name in (*OF_Q, *OF_QV):
        assert getattr(state, name) is getattr(state, name)
    assert state.jacobian("planar") is state.jacobian("planar", "world")
    assert state.jacobian("planar") is not state.jacobian("planar", "local")


def test_all_arrays_are_read_only(sample):
    model, q, v = sample
    state = model.state(q, v)
    arrays = [state.q, state.v, state.jacobian("planar"), *(getattr(state, name) for name in (*OF_Q, *OF_QV))]
    assert not any(array.flags.writeable for array in arrays)


def test_snapshot_does_not_follow_later_changes_of_the_arguments():
    model = double_pendulum().build()
    q, v = np.array([0.1, 0.2]), np.array([0.3, 0.4])
    state = model.state(q, v)
    q[:], v[:] = 9.0, 9.0
    np.testing.assert_array_equal(state.q, [0.1, 0.2])
    np.testing.assert_array_equal(state.com, ts.center_of_mass(model, [0.1, 0.2]))
    np.testing.assert_array_equal(state.momentum, ts.momentum(model, [0.1, 0.2], [0.3, 0.4]))


def test_attributes_cannot_be_replaced():
    state = double_pendulum().build().state([0.1, 0.2])
    with pytest.raises(AttributeError):
        state.q = np.zeros(2)


def test_bad_configuration_is_refused_at_once():
    model = double_pendulum(base="free").build()
    with pytest.raises(ShapeError):
        model.state(np.zeros(3))
    q = model.neutral()
    q[-1] = np.nan
    with pytest.raises(NonFiniteError):
        model.state(q)
    q = model.neutral()
    q[3] = 1.1
    with pytest.raises(QuaternionNormError):
        model.state(q)


def test_bad_velocity_is_refused_at_once():
    model = double_pendulum().build()
    with pytest.raises(ShapeError):
        model.state([0.1, 0.2], [0.3])
    with pytest.raises(NonFiniteError):
        model.state([0.1, 0.2], [0.3, np.inf])


@pytest.mark.parametrize("name", OF_QV)
def test_quantity_that_needs_a_velocity_says_so(name):
    with pytest.raises(ArgumentError, match="needs a velocity"):
        getattr(double_pendulum().build().state([0.1, 0.2]), name)


def test_unknown_frame_is_told_with_close_names():
    with pytest.raises(UnknownNameError, match=r"'lowr'.*'lower'"):
        double_pendulum().build().state([0.1, 0.2]).jacobian("lowr")
