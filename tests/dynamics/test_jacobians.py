"""Jacobians of frames and bodies and their time derivatives."""

import numpy as np
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.random_models import models, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from dynamics.test_kinematics import AXES, twist_of_pose
from hypothesis import given

import tarsus as ts


@PROPERTY
@given(models(), seeds())
def test_jacobian_times_velocity_is_the_frame_velocity(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    for frame in model.frames:
        for axes in AXES:
            assert_close(ts.jacobian(model, q, frame, axes) @ v, ts.frame_velocity(model, q, v, frame, axes))


@PROPERTY
@given(models(), seeds())
def test_columns_of_the_jacobian_are_derivatives_of_the_pose_on_the_manifold(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    frame = f"tool{model.nb - 1}"
    X = ts.frame_pose(model, q, frame)
    for axes in AXES:
        J = ts.jacobian(model, q, frame, axes)
        for k, direction in enumerate(np.eye(model.nv)):
            motion = along(model, q, direction)
            dX = derivative(lambda t, m=motion: ts.frame_pose(model, m(t)[0], frame))
            assert_derivative(J[:, k], twist_of_pose(X, dX, axes))


@PROPERTY
@given(models(), seeds())
def test_jacobian_dot_is_the_derivative_of_the_jacobian_along_the_motion(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    motion = along(model, q, v)
    frame = f"tool{model.nb - 1}"
    for axes in AXES:
        expected = derivative(lambda t, a=axes: ts.jacobian(model, motion(t)[0], frame, a))
        assert_derivative(ts.jacobian_dot(model, q, v, frame, axes), expected)


@PROPERTY
@given(models(), seeds())
def test_acceleration_splits_into_jacobian_and_jacobian_dot(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    for frame in model.frames:
        for axes in AXES:
            rest = ts.jacobian_dot_v(model, q, v, frame, axes)
            assert_close(rest, ts.jacobian_dot(model, q, v, frame, axes) @ v)
            expected = ts.jacobian(model, q, frame, axes) @ vdot + rest
            assert_close(ts.frame_acceleration(model, q, v, vdot, frame, axes), expected)


@PROPERTY
@given(models(), seeds())
def test_body_jacobians_are_the_jacobians_of_the_bodies(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    for J, body in zip(ts.body_jacobians(model, q), model.bodies, strict=True):
        assert_close(J, ts.jacobian(model, q, body))


@PROPERTY
@given(models(), seeds())
def test_jacobian_at_the_world_origin_selects_screws_of_predecessors(model: ts.Model, seed: int) -> None:
    q = random_state(model, seed).q
    screws = ts.joint_screws(model, q)
    for body in model.bodies.values():
        expected, ancestor = np.zeros_like(screws), body
        while ancestor is not None:
            columns = model.joints[ancestor.joint].v_index
            expected[:, columns] = screws[:, columns]
            ancestor = model.bodies[ancestor.parent] if ancestor.parent is not None else None
        found = ts.jacobian(model, q, body.name, "world_origin")
        assert_close(found, expected)
        assert np.all(found[:, ~np.any(expected, axis=0)] == 0.0)
