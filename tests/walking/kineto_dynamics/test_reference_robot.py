"""The walking equation (5.91) beside inverse dynamics, and in the axes of the upper body."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.spatial import quaternion_from_rotation_vector, quaternion_product, rotation_z
from tarsus.walking.kineto_dynamics.moment_equation import moment_equation
from tarsus.walking.kineto_dynamics.reference_robot import Nullspace, ReferenceRobot

EXACT = 1e-9
"""Of moments, in m g z: sums of the same terms in another order."""
DT = 1.5e-3


def at_random(biped, seed=0):
    model, rng = biped.lower.model, np.random.default_rng(seed)
    frames = (biped.pelvis, *(leg.sole for leg in biped.legs))
    robot = ReferenceRobot(model, biped.q[biped.lower.q], frames, DT)
    robot.v = 0.1 * rng.normal(size=model.nv)
    return robot, frames, rng


def targets_at(robot, frames, rng):
    X = np.stack([ts.frame_pose(robot.model, robot.q, frame) for frame in frames])
    V = np.stack([ts.frame_velocity(robot.model, robot.q, robot.v, frame) for frame in frames])
    return X, V, rng.normal(size=(3, 6))


def test_moment_equation_is_inverse_dynamics_about_any_point(lola):
    robot, _, rng = at_random(lola)
    model, vdot, point = robot.model, rng.normal(size=robot.model.nv), rng.normal(size=3)
    centroid = robot.look()
    a = (centroid.matrix[:3] @ vdot + centroid.rate[:3]) / centroid.mass
    found = moment_equation(centroid, float(a[2]), point, np.eye(2)).moment(vdot, a[:2])
    tau = ts.inverse_dynamics(model, robot.q, robot.v, vdot)
    X = ts.body_poses(model, robot.q)[0]
    force, moment = X[:3, :3] @ tau[:3], X[:3, :3] @ tau[3:6]
    expected = moment + np.cross(X[:3, 3] - point, force)
    assert np.abs(found - expected[:2]).max() < EXACT * centroid.mass * 9.81


def test_accelerations_have_the_moment_and_the_tasks_that_were_asked_for(lola):
    robot, frames, rng = at_random(lola, 1)
    targets, lift, T, point = targets_at(robot, frames, rng), -0.4, np.array([20.0, -15.0]), np.array([0.1, 0.05, 0.0])
    centroid, heading = robot.look(), robot.heading()
    equation = moment_equation(centroid, lift, point, heading)
    vdot = robot.accelerate(centroid, lift, targets, moment=(equation, T, heading))
    a = (centroid.matrix[:3] @ vdot + centroid.rate[:3]) / centroid.mass
    assert a[2] == pytest.approx(lift)
    assert equation.moment(vdot, heading.T @ a[:2]) == pytest.approx(T, abs=1e-8)
    for k, frame in enumerate(frames):
        found = ts.frame_acceleration(robot.model, robot.q, robot.v, vdot, frame)
        own = slice(3, 6) if k == 0 else slice(0, 6)
        assert found[own] == pytest.approx(targets[2][k, own], abs=1e-8)


@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_upper_body_whose_x_axis_is_upright_has_a_heading_that_turns_with_it(lola, yaw):
    """Files are free to point axes of a pelvis anywhere."""
    robot, _, _ = at_random(lola)
    up = quaternion_from_rotation_vector([0.0, -np.pi / 2, 0.0])
    robot.q[3:7] = quaternion_product(quaternion_from_rotation_vector([0.0, 0.0, yaw]), up)
    found = robot.heading()
    y = ts.frame_pose(robot.model, robot.q, lola.pelvis)[:2, 1]
    assert found[:, 0] == pytest.approx(y, abs=1e-12)
    assert found.T @ found == pytest.approx(np.eye(2), abs=1e-12)


def test_a_robot_that_is_turned_moves_as_the_one_that_is_not(lola):
    """Moments are told in the axes of the upper body: the same numbers give the same joints."""
    T, point, answers = np.array([20.0, -15.0]), np.array([0.1, 0.05, 0.0]), []
    for yaw in (0.0, 1.1):
        robot, frames, rng = at_random(lola, 2)
        R = rotation_z(yaw)
        robot.q[:3] = R @ robot.q[:3]
        robot.q[3:7] = quaternion_product(quaternion_from_rotation_vector([0.0, 0.0, yaw]), robot.q[3:7])
        X, V, A = targets_at(robot, frames, rng)
        A = np.concatenate([A[:, :3] @ R.T, A[:, 3:] @ R.T], axis=1)
        centroid, heading = robot.look(), robot.heading()
        assert heading == pytest.approx(R[:2, :2], abs=1e-12)
        equation = moment_equation(centroid, 0.0, R @ point, heading)
        answers.append(robot.accelerate(centroid, 0.0, (X, V, A), moment=(equation, T, heading)))
    assert np.abs(answers[1] - answers[0]).max() < 1e-8 * np.abs(answers[0]).max()


def test_known_tasks_come_back_and_the_centre_of_mass_is_left_alone(lola):
    """Drift is fed back on w_k only: with the moment that holds it, a robot whose feet are off moves them back."""
    robot, frames, _ = at_random(lola)
    robot.v[:] = 0.0
    X = np.stack([ts.frame_pose(robot.model, robot.q, frame) for frame in frames])
    X[1, 0, 3] += 1e-3
    still = np.zeros((3, 6))
    first = robot.look().com[2]
    for _ in range(100):
        centroid, heading = robot.look(), robot.heading()
        lift = robot.lift(centroid, np.array([first, 0.0, 0.0]))
        point = np.array([*centroid.com[:2], 0.0])  # no moment about the point below: no lever
        equation = moment_equation(centroid, lift, point, heading)
        robot.accelerate(centroid, lift, (X, still, still), moment=(equation, np.zeros(2), heading))
        robot.advance()
    assert robot.missed < 1e-6
    assert robot.look().com[2] == pytest.approx(first, abs=1e-6)


def test_bad_arguments_are_named(lola):
    robot, frames, rng = at_random(lola)
    with pytest.raises(ArgumentError, match="neither a moment nor a centre of mass"):
        robot.accelerate(robot.look(), 0.0, targets_at(robot, frames, rng))
    with pytest.raises(ArgumentError, match="damping"):
        Nullspace(damping=-1.0)
    with pytest.raises(ArgumentError, match="expected a joint of one axis"):
        ReferenceRobot(robot.model, robot.q, frames, DT, held=("base",))
    with pytest.raises(ArgumentError, match="freedoms"):
        ReferenceRobot(robot.model, robot.q, frames, DT, held=(lola.legs[0].joints[0],))
