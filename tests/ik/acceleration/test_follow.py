"""Motions by accelerations: errors decay as they should, torques of least norm are unstable, damping helps."""

import numpy as np
import pytest
from planar_arm import arm, flat_position

import tarsus as ts
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.objectives import CollisionPotential, PiecewisePotential, PostureDistance
from tarsus.tasks import FramePose, Position


def test_errors_decay_critically_damped():
    """e(t) = e_0 (1 + g t) exp(-g t), the closed form of (5.19), for an arm that is anything but linear."""
    model = ts.robots.crops9()
    q0, gain = np.array(model.reference), 8.0
    goal = ts.frame_pose(model, q0, "tool")[:3, 3] + [0.1, -0.05, 0.08]
    path = ts.ik.follow_acceleration(model, lambda t: Position("tool", goal, gain=gain), q0, duration=0.5)
    error = goal - ts.frame_pose(model, path.q, "tool")[:, :3, 3]
    expected = error[0] * ((1 + gain * path.t) * np.exp(-gain * path.t))[:, None]
    assert np.abs(error - expected).max() < 1e-2 * np.abs(error[0]).max()  # first order in the step
    coarse = ts.ik.follow_acceleration(model, lambda t: Position("tool", goal, gain=gain), q0, duration=0.5, dt=2e-3)
    off = [np.abs(e[-1]).max() for e in (error - expected, goal - ts.frame_pose(model, coarse.q, "tool")[:, :3, 3])]
    assert off[0] < off[1]


def test_circle_is_followed():
    model = ts.robots.crops9()
    q0 = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])
    X = ts.frame_pose(model, q0, "tool")
    rate, radius = np.pi, 0.05

    def circle(t):
        c, s = np.cos(rate * t), np.sin(rate * t)
        pose = X.copy()
        pose[:3, 3] += radius * np.array([0.0, c - 1, s])
        speed, push = radius * rate * np.array([0.0, -s, c]), -radius * rate**2 * np.array([0.0, c, s])
        return FramePose("tool", pose, velocity=[*speed, 0, 0, 0], acceleration=[*push, 0, 0, 0], gain=100.0)

    v0 = np.linalg.pinv(ts.jacobian(model, q0, "tool")) @ [0.0, 0.0, radius * rate, 0, 0, 0]
    path = ts.ik.follow_acceleration(model, circle, q0, v0, duration=0.5, damping=1.0)
    assert path.error.max() < 1e-6
    assert np.array_equal(path.v[1], path.v[0] + 1e-3 * path.vdot[0])


def test_objectives_fall_beside_the_task():
    model = ts.robots.crops9()
    q0 = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])
    here = FramePose("tool", ts.frame_pose(model, q0, "tool"), gain=20.0)
    scene = ts.collision.CollisionModel(model)
    wishes = [
        PostureDistance(weight=20.0),
        CollisionPotential(scene, PiecewisePotential(0.3), weight=5.0, time_constant=0.05),
    ]
    path = ts.ik.follow_acceleration(model, lambda t: here, q0, duration=1.0, dt=0.01, damping=8.0, objectives=wishes)
    value = sum(wish.value(model, path.q[[0, -1]]) for wish in wishes)
    assert value[1] < 0.8 * value[0]
    assert path.error.max() < 1e-3


def three_links():
    """The arm of Hollerbach and Suh 1987: three links of 1 m and 10 kg, thin rods, in a horizontal plane."""
    builder = ts.ModelBuilder("three links")
    builder.add_link("base")
    parent, offset = "base", 0.0
    for k in range(3):
        name = f"link{k + 1}"
        builder.add_link(name, inertia=ts.Inertia(10.0, [0.5, 0, 0], np.diag([0.01, 10 / 12, 10 / 12])))
        builder.add_joint(f"joint{k + 1}", "revolute", parent, name, pose=ts.pose([offset, 0, 0]), axis=[0, 0, 1])
        parent, offset = name, 1.0
    builder.add_frame("tool", parent, ts.pose([1.0, 0, 0]))
    return builder.build()


def circling(minimise, damping, duration=6.0):
    model, q0 = three_links(), np.radians([180.0, -90.0, 0.0])
    start, rate, radius = ts.frame_pose(model, q0, "tool")[:3, 3], np.pi, 0.2

    def circle(t):
        c, s = np.cos(rate * t), np.sin(rate * t)
        return Position(
            "tool",
            start + radius * np.array([c - 1, s, 0]),
            velocity=radius * rate * np.array([-s, c, 0]),
            acceleration=-radius * rate**2 * np.array([c, s, 0]),
            axes=[True, True, False],
            gain=20.0,
        )

    v0 = np.linalg.pinv(ts.jacobian(model, q0, "tool")[:2]) @ [0.0, radius * rate]
    return ts.ik.follow_acceleration(
        model, circle, q0, v0, duration=duration, dt=0.01, minimise=minimise, damping=damping
    )


def test_least_torques_are_unstable_in_the_nullspace_and_damping_makes_them_least_again():
    """Hollerbach and Suh 1987: least torques now mean whips later."""
    plain, least = circling("acceleration", 0.0), circling("torque", 0.0)
    first = least.t < 1.0
    assert np.linalg.norm(least.tau[0]) < np.linalg.norm(plain.tau[0])
    assert np.abs(least.tau[first]).max() < np.abs(plain.tau[first]).max()
    assert np.abs(least.tau).max() > 50 * np.abs(plain.tau).max()
    assert np.abs(least.v).max() > 10 * np.abs(plain.v).max()
    damped = circling("torque", 2.0)
    assert damped.error.max() < 1e-3
    assert np.abs(damped.tau).max() < 0.7 * np.abs(plain.tau).max()
    assert np.abs(damped.v[-200:]).max() <= np.abs(damped.v[:200]).max()


def test_motions_that_diverge_end_with_a_status():
    path = circling("torque", 0.0, duration=20.0)
    assert path.status[-1] == "diverged"
    assert np.isfinite(path.q).all()
    assert len(path.t) == len(path.q) == len(path.error) < 2001


def test_starts_of_another_shape_and_tasks_that_are_no_function_are_refused():
    model = arm()
    with pytest.raises(ShapeError, match="q0, v0"):
        ts.ik.follow_acceleration(model, lambda t: flat_position([0.5, 0.2]), [[0.3, 0.4]], duration=0.01)
    with pytest.raises(ArgumentError, match="function of time"):
        ts.ik.follow_acceleration(model, flat_position([0.5, 0.2]), [0.3, 0.4], duration=0.01)
    with pytest.raises(ArgumentError, match="multiple of dt"):
        ts.ik.follow_acceleration(model, lambda t: flat_position([0.5, 0.2]), [0.3, 0.4], duration=0.01, dt=0.003)
