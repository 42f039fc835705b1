"""Limits at second order: kept in every step, named where they are in the way or contradict each other."""

import numpy as np
import pytest
from planar_arm import arm, flat_position
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, KinematicsWarning, ShapeError
from tarsus.ik import SecondOrderLimits
from tarsus.tasks import Position, Posture

ROUNDING = 1e-9


@pytest.mark.parametrize("gain_dt", [0.05, 0.3, 0.6])
def test_positions_and_velocities_stay_within_their_limits_in_every_step(gain_dt):
    model = ts.robots.crops9()
    beyond = model.q_max + 1.0
    limits = SecondOrderLimits(gain=gain_dt / 0.01)
    path = ts.ik.follow_acceleration(
        model, lambda t: Posture(beyond, gain=20.0), model.reference, duration=1.5, dt=0.01, limits=limits
    )
    assert (path.q <= model.q_max + ROUNDING).all()
    assert (np.abs(path.v) <= model.v_max + ROUNDING).all()
    assert path.v.max() > 0.9 * model.v_max.max()
    if gain_dt > 0.1:
        assert (model.q_max - path.q[-1])[-1] < 0.1  # a limit is not felt far off
    assert path.status[1] == "limits in the way"


def test_conflict_names_the_limit_and_the_task():
    model = arm(limits=(-1.0, 1.0))
    answer = ts.ik.acceleration(
        model, Posture([2.0, 0.5], gain=10.0), [1.0, 0.5], [0.0, 0.0], limits=SecondOrderLimits()
    )
    assert answer.status == "limits in the way"
    assert set(answer.conflict) == {"upper limit of 'joint1'", "row 0 of Posture"}
    assert answer.vdot == pytest.approx([0.0, 0.0], abs=ROUNDING)


def test_limits_that_contradict_each_other_are_named_and_missed_as_little_as_possible():
    model = arm(limits=(-1.0, 1.0))
    limits = SecondOrderLimits(acceleration=2.0)
    answer = ts.ik.acceleration(model, flat_position([0.5, 0.3]), [0.95, 0.5], [2.0, 0.0], limits=limits)
    assert answer.status == "limits contradict each other"
    assert set(answer.conflict) == {"upper limit of 'joint1'", "acceleration limit of 'joint1'"}
    wanted = -2 * 10.0 * 2.0 + 100.0 * 0.05  # of the position limit
    assert answer.vdot[0] == pytest.approx(0.5 * (wanted - 2.0), rel=1e-6)  # both are missed by the same


def test_accelerations_and_torques_stay_within_their_limits():
    model = ts.robots.crops9()
    rng = np.random.default_rng(0)
    q, v = model.random(rng, (10,)), np.zeros((10, 9))
    task = Position("tool", [0.0, 0.0, 5.0], gain=20.0)
    limits = SecondOrderLimits(position=False, velocity=False, acceleration=3.0)
    answer = ts.ik.acceleration(model, task, q, v, limits=limits)
    assert set(answer.status) == {"limits in the way"}
    assert np.abs(answer.vdot).max() <= 3.0 + 1e-8
    strong = ts.robots.hrp2(base="fixed")
    asked = Position("r_hand", [3.0, 0.0, 5.0], gain=30.0)
    x = np.array(strong.reference)
    limits = SecondOrderLimits(position=False, velocity=False, torque=True)
    weak = ts.ik.acceleration(strong, asked, x, np.zeros(strong.nv), limits=limits)
    free = ts.ik.acceleration(strong, asked, x, np.zeros(strong.nv))
    assert (np.abs(free.tau) > strong.tau_max).any()
    assert (np.abs(weak.tau) <= strong.tau_max + 1e-7).all()
    assert any("torque limit" in name for name in weak.conflict)


def test_robots_in_the_air_with_all_limits_are_always_solved():
    """Few rows of tasks among hundreds of limits: states in which one solver alone ran into its cap on iterations."""
    model = ts.load(robot_data_path("centauro_description/urdf/centauro.urdf"), base="free")
    rng = np.random.default_rng(0)
    frame, limits = list(model.frames)[-1], SecondOrderLimits(acceleration=100.0, torque=True)
    for _ in range(3):
        q, v = model.random(rng), 0.1 * rng.normal(size=model.nv)
        task = Position(frame, ts.frame_pose(model, q, frame)[:3, 3] + 0.05)
        answer = ts.ik.acceleration(model, task, q, v, limits=limits)
        assert answer.status == "solved"
        assert answer.missed < 1e-6
        assert (np.abs(answer.tau) <= np.where(model.actuated, model.tau_max, 0.0) + 1e-6).all()


def test_of_what_limits_leave_the_nearest_to_the_task_is_taken():
    """Against a quadratic program that knows nothing of hierarchies: bounds first, then least squares."""
    from tarsus.optimization import QP

    model = ts.robots.crops9()
    q, v = np.array(model.reference), np.zeros(9)
    task = Position("tool", [0.0, 0.0, 5.0], gain=20.0)
    limits = SecondOrderLimits(position=False, velocity=False, acceleration=3.0)
    answer = ts.ik.acceleration(model, task, q, v, limits=limits)
    J = task.jacobian(model, q)
    b = answer.wanted - task.jacobian_dot_v(model, q, v)
    best = QP(J.T @ J + 1e-12 * np.eye(9), -J.T @ b, x_min=-3.0, x_max=3.0).solve("native").x
    assert np.linalg.norm(J @ answer.vdot - b) == pytest.approx(np.linalg.norm(J @ best - b), rel=1e-8)


def test_pairs_of_a_scene_keep_their_margin():
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)
    q0 = np.array([0.57, -0.17, 1.0, 0.11, 0.93, 1.51, 0.56, 1.31, -0.6])
    begin, goal = ts.frame_pose(model, q0, "tool")[:3, 3], np.array([0.29, 0.0, 0.6])

    def line(t):
        x = t / 1.5
        way, rate = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / 1.5
        push = (60 * x - 180 * x * x + 120 * x**3) / 1.5**2
        d = goal - begin
        return Position("tool", begin + way * d, velocity=rate * d, acceleration=push * d, gain=20.0)

    runs = {}
    for name, limits in (
        ("free", None),
        ("kept", SecondOrderLimits(velocity=False, scene=scene, margin=0.01, gain=20.0)),
    ):
        runs[name] = ts.ik.follow_acceleration(model, line, q0, duration=1.5, dt=0.01, damping=5.0, limits=limits)
    assert scene.clearance(runs["free"].q).min() < 0
    assert scene.clearance(runs["kept"].q).min() > 0.01 - 5e-4  # second order in the step
    assert runs["kept"].error.max() < 2 * runs["free"].error.max()
    assert set(runs["kept"].status) == {"solved"}


def test_gains_of_limits_that_are_too_large_for_the_step_are_warned_of():
    model = arm(limits=(-1.0, 1.0))
    with pytest.warns(KinematicsWarning, match="SecondOrderLimits: gain 100"):
        ts.ik.follow_acceleration(
            model,
            lambda t: Posture([0.0, 0.0]),
            [0.0, 0.0],
            duration=0.01,
            dt=0.01,
            limits=SecondOrderLimits(gain=100.0),
        )


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"gain": 0.0}, ArgumentError, "gain of SecondOrderLimits"),
        ({"acceleration": -1.0}, ArgumentError, "acceleration of SecondOrderLimits"),
        ({"reach": 0.0}, ArgumentError, "reach"),
        ({"scene": "s"}, ArgumentError, "scene of Distance"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, error, told):
    with pytest.raises(error, match=told):
        SecondOrderLimits(**options)


def test_bounds_of_another_size_are_refused_by_name():
    with pytest.raises(ShapeError, match="acceleration of SecondOrderLimits"):
        ts.ik.acceleration(arm(), Posture(), [0.1, 0.2], [0, 0], limits=SecondOrderLimits(acceleration=[1.0, 2.0, 3.0]))
