"""Robots whose joints follow a gait exactly."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import PseudoCoulomb
from tarsus.errors import ArgumentError
from tarsus.walking import PendulumGait, drive_joints

SHAH = PseudoCoulomb(stiffness=2000.0, damping=2742.26, friction=0.7, viscosity=1000.0)
GAIT = PendulumGait()
DURATION = 0.4
BALANCE = 1e-9
"""Of generalised forces around 100 N and N m: residual of equations that are solved directly, relative."""
INTEGRATED = 2e-4
"""Agreement of positions [m], [rad] of two integrations with the relative tolerances 1e-6 and 1e-8."""


@pytest.fixture(scope="module")
def model():
    return ts.robots.shah7()


@pytest.fixture(scope="module")
def walk(model):
    return drive_joints(model, GAIT, SHAH, duration=DURATION)


def test_joints_follow_the_gait_exactly(walk):
    planned = GAIT.motion(walk.time)
    assert np.array_equal(walk.q[:, 3:], planned.q[:, 3:])
    assert np.array_equal(walk.v[:, 3:], planned.v[:, 3:])
    assert np.array_equal(walk.tau[:, :3], np.zeros_like(walk.tau[:, :3]))
    assert walk.finished


def test_torques_and_ground_forces_give_the_planned_joint_accelerations(model, walk):
    # Forward dynamics is the second source: it knows nothing of the equations (21).
    for k in range(0, len(walk.time), 40):
        wrenches = {name: np.r_[f, 0.0, 0.0, 0.0] for name, f in zip(walk.contacts, walk.contact_force[k], strict=True)}
        external = ts.body_wrenches(model, walk.q[k], wrenches)
        vdot = ts.forward_dynamics(model, walk.q[k], walk.v[k], walk.tau[k], external)
        planned = GAIT.motion(walk.time[k]).vdot[3:]
        assert np.abs(vdot[3:] - planned).max() < BALANCE * 100.0


def test_ground_forces_are_the_law_at_the_contact_points(model, walk):
    loaded = 0
    for k in range(0, len(walk.time), 10):
        for i, name in enumerate(walk.contacts):
            z = ts.frame_pose(model, walk.q[k], name)[2, 3]
            u = ts.frame_velocity(model, walk.q[k], walk.v[k], name)
            normal = max(0.0, -2000.0 * z - 2742.26 * u[2]) if z < 0.0 else 0.0
            along = -np.clip(1000.0 * u[0], -0.7 * normal, 0.7 * normal)
            assert np.abs(walk.contact_force[k, i] - [along, 0.0, normal]).max() < BALANCE * 100.0
            loaded += normal > 0.0
    assert loaded > 40


def test_base_moves_as_newton_and_euler_say(model, walk):
    # Momentum of the whole robot grows by weight and ground force: independent of how the base was found.
    weight = np.array([0.0, 0.0, -9.81 * model.total_mass])
    total = walk.contact_force.sum(axis=1) + weight
    impulse = np.sum(0.5 * (total[1:] + total[:-1]) * np.diff(walk.time)[:, None], axis=0)
    momentum = ts.momentum(model, walk.q, walk.v)[:, :3]
    gained = momentum[-1] - momentum[0]
    TRAPEZOIDS = 0.05  # [N s]: a force that jumps by some 100 N is sampled every millisecond
    assert np.abs(impulse - gained)[[0, 2]].max() < TRAPEZOIDS


def test_result_converges_with_the_tolerance(model, walk):
    fine = drive_joints(model, GAIT, SHAH, duration=DURATION, rtol=1e-8)
    assert np.abs(walk.q - fine.q).max() < INTEGRATED


def test_steps_need_not_be_multiples_of_the_samples(model):
    gait = PendulumGait(period=0.1499, step_length=0.01, foot_height=0.005)
    coarse = drive_joints(model, gait, SHAH, duration=0.18, sample=0.03, rtol=1e-4)
    fine = drive_joints(model, gait, SHAH, duration=0.18, sample=0.01, rtol=1e-4)
    assert np.abs(coarse.q - fine.q[::3]).max() < BALANCE


def test_a_robot_far_off_balance_is_told_to_have_fallen(model):
    walk = drive_joints(model, GAIT, SHAH, duration=3.0, base_velocity=(2.0, 0.0, 1.0))
    assert not walk.finished
    assert len(walk.time) == len(walk.q) == len(walk.tau) < 3001
    assert abs(walk.q[-1, 2]) < 1.0


def test_a_robot_may_fall_before_the_first_sample(model):
    walk = drive_joints(
        model, GAIT, SHAH, duration=1.0, sample=0.1, base=(0.0, 1.2, 0.99), base_velocity=(0.0, 0.0, 5.0)
    )
    assert not walk.finished
    assert len(walk.time) == len(walk.q) == 1


def test_bad_input_is_named(model):
    with pytest.raises(ArgumentError, match="'rabbit' has .* expected a planar base and two legs of"):
        drive_joints(ts.robots.rabbit(), GAIT, SHAH, duration=1.0)
    with pytest.raises(ArgumentError, match="duration is -1.0"):
        drive_joints(model, GAIT, SHAH, duration=-1.0)
    with pytest.raises(ArgumentError, match=r"base_velocity is \(1.0, 2.0\); expected three finite numbers"):
        drive_joints(model, GAIT, SHAH, duration=1.0, base_velocity=(1.0, 2.0))
    with pytest.raises(ArgumentError, match="sample is 2.0; expected a time above 0 and at most the duration"):
        drive_joints(model, GAIT, SHAH, duration=1.0, sample=2.0)
