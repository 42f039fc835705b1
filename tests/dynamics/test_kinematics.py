"""Poses, velocities and accelerations of frames."""

import numpy as np
import pytest
from dynamics.finite_differences import along, assert_derivative, derivative
from dynamics.oracle import adjoint, evaluate, transform
from dynamics.random_models import KINDS, models, random_model, seeds
from dynamics.states import PROPERTY, assert_close, random_state
from hypothesis import given

import tarsus as ts
from tarsus.arrays import FloatArray

AXES = ("world", "local", "world_origin")


def twist_of_pose(X: FloatArray, dX: FloatArray, expressed_in: str) -> FloatArray:
    """Twist from a pose and its derivative by definition: R^T dR and R dR^T are the angular velocities."""
    R, p, dR, dp = X[:3, :3], X[:3, 3], dX[:3, :3], dX[:3, 3]
    W = dR @ R.T
    angular = 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])
    twist = np.concatenate([dp, angular])
    if expressed_in == "local":
        return np.concatenate([R.T @ dp, R.T @ angular])
    return adjoint(transform(np.eye(3), p)) @ twist if expressed_in == "world_origin" else twist


@PROPERTY
@given(models(), seeds())
def test_body_poses_equal_the_product_of_joint_transformations(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    assert_close(ts.body_poses(model, q), evaluate(model, q, v).poses)


@PROPERTY
@given(models(), seeds())
def test_frames_move_with_their_bodies(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    X_WB = ts.body_poses(model, q)
    names = list(model.frames)
    poses = ts.frame_poses(model, q, names)
    for name, X_WF in zip(names, poses, strict=True):
        frame = model.frames[name]
        assert_close(X_WF, X_WB[model.bodies[frame.body].index] @ frame.pose)
        np.testing.assert_array_equal(ts.frame_pose(model, q, name), X_WF)
        at_origin = ts.frame_velocity(model, q, v, name, "world_origin")
        assert_close(at_origin, ts.frame_velocity(model, q, v, frame.body, "world_origin"))


@PROPERTY
@given(models(), seeds())
def test_velocity_is_the_derivative_of_the_pose(model: ts.Model, seed: int) -> None:
    q, v, *_ = random_state(model, seed)
    motion = along(model, q, v)
    for frame in (f"tool{model.nb - 1}", "body0"):
        X = ts.frame_pose(model, q, frame)
        dX = derivative(lambda t, f=frame: ts.frame_pose(model, motion(t)[0], f))
        for axes in AXES:
            assert_derivative(ts.frame_velocity(model, q, v, frame, axes), twist_of_pose(X, dX, axes))


@PROPERTY
@given(models(), seeds())
def test_acceleration_is_the_derivative_of_the_velocity(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    motion = along(model, q, v, vdot)
    frame = f"tool{model.nb - 1}"
    for axes in AXES:
        expected = derivative(lambda t, a=axes: ts.frame_velocity(model, *motion(t), frame, a))
        assert_derivative(ts.frame_acceleration(model, q, v, vdot, frame, axes), expected)


@PROPERTY
@given(models(), seeds())
def test_motions_of_several_frames_are_those_of_each_of_them(model: ts.Model, seed: int) -> None:
    q, v, vdot, *_ = random_state(model, seed)
    names = list(model.frames)
    found = ts.frame_motions(model, q, v, vdot, names)
    for k, name in enumerate(names):
        assert_close(found.X_WF[k], ts.frame_pose(model, q, name))
        assert_close(found.V_WF[k], ts.frame_velocity(model, q, v, name))
        assert_close(found.A_WF[k], ts.frame_acceleration(model, q, v, vdot, name))
    many = ts.frame_motions(model, *(np.tile(x, (11, 1)) for x in (q, v, vdot)), names, threads=2)
    for several, one in zip(many, found, strict=True):
        assert_close(several, np.broadcast_to(one, (11, *one.shape)))


@pytest.mark.parametrize("kind", KINDS)
def test_neutral_configuration_has_every_child_at_its_zero_pose(kind: str) -> None:
    model = random_model([kind] * 3, "fixed", seed=4)
    X_WB = ts.body_poses(model, model.neutral())
    for joint in list(model.joints.values())[1:]:
        parent = X_WB[model.bodies[joint.parent].index]
        assert_close(X_WB[joint.index], parent @ joint.pose @ joint.child_pose)


def test_coordinate_axes_move_as_documented() -> None:
    """Free base: body-frame twist, linear first; planar base: x, z and pitch about +y."""
    free = ts.ModelBuilder(base="free").add_link("box", ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3))).build()
    half = np.sqrt(0.5)
    q = np.array([1.0, 2.0, 3.0, half, 0.0, 0.0, half])  # turned by 90 degrees about z
    assert_close(ts.frame_pose(free, q, "box")[:3], np.array([[0, -1, 0, 1.0], [1, 0, 0, 2], [0, 0, 1, 3]]))
    assert_close(ts.frame_velocity(free, q, np.array([1.0, 0, 0, 0, 2.0, 0]), "box"), np.array([0, 1.0, 0, -2.0, 0, 0]))
    planar = ts.ModelBuilder(base="planar").add_link("box", ts.Inertia.of_box(1.0, (0.1, 0.2, 0.3))).build()
    q = np.array([1.0, 2.0, 0.5 * np.pi])  # pitched forward: its x axis points down
    assert_close(ts.frame_pose(planar, q, "box")[:3], np.array([[0, 0, 1, 1.0], [0, 1, 0, 0], [-1, 0, 0, 2.0]]))
    assert_close(ts.frame_velocity(planar, q, np.array([1.0, 0.0, 3.0]), "box"), np.array([0, 0, -1.0, 0, 3.0, 0]))
