"""Operational space control: tasks behave as asked, what is beside them does not disturb them."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.control import OperationalSpace, ResolvedAcceleration
from tarsus.errors import ArgumentError
from tarsus.tasks import Orientation, Position, Posture

ROUNDING = 1e-9


def states(count=10):
    model = ts.robots.crops9()
    rng = np.random.default_rng(2)
    return model, model.random(rng, (count,)), 0.3 * rng.normal(size=(count, model.nv))


def reach(model, q, gain=5.0):
    return Position("tool", ts.frame_pose(model, q, "tool")[..., :3, 3] + [0.05, -0.1, 0.05], gain=gain)


def test_law_is_the_inverse_model_of_accelerations_that_are_least_in_the_inertia():
    model, q, v = states()
    task = reach(model, q[0])
    law = OperationalSpace(model, task, damping=3.0)
    expected = ts.ik.acceleration(model, task, q, v, minimise="inertia", damping=3.0).tau
    assert np.abs(law(0.0, q, v) - expected).max() < ROUNDING * np.abs(expected).max()


def test_posture_does_not_accelerate_the_tasks():
    model, q, v = states()
    task = reach(model, q[0])
    with_it = OperationalSpace(model, task, posture=Posture(gain=6.0))(0.0, q, v)
    without = OperationalSpace(model, task, damping=0.0)(0.0, q, v)
    assert np.abs(with_it - without).max() > 1.0
    vdot = [ts.forward_dynamics(model, q, v, tau, passive=True) for tau in (with_it, without)]
    J = task.jacobian(model, q)
    regular = np.linalg.svd(J, compute_uv=False)[:, -1] > 0.05  # no damping
    difference = np.einsum("nij,nj->ni", J, vdot[0] - vdot[1])
    assert regular.sum() > 5
    assert np.abs(difference[regular]).max() < 1e-8


@pytest.mark.parametrize("kind", ["operational space", "resolved acceleration"])
def test_error_in_a_simulation_decays_critically_damped(kind):
    model = ts.robots.crops9()
    q0 = np.array(model.reference)
    task = reach(model, q0, gain=8.0)
    if kind == "operational space":
        law = OperationalSpace(model, task, posture=Posture(q0, gain=4.0))
    else:
        law = ResolvedAcceleration(model, lambda t: task, damping=5.0)
    run = ts.simulate(model, q0, duration=0.5, controller=law)
    error = np.asarray(task.target) - ts.frame_pose(model, run.q, "tool")[:, :3, 3]
    t = run.time[:, None]
    expected = error[0] * (1 + 8.0 * t) * np.exp(-8.0 * t)
    assert np.abs(error - expected).max() < 0.02 * np.abs(error[0]).max()  # first order in the step of 1 ms


def test_arm_of_others_reaches_and_keeps_its_posture_within_its_torques():
    model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    q0 = 0.5 * (model.q_min + model.q_max)
    X = ts.frame_pose(model, q0, "panda_hand")
    tasks = [
        Position("panda_hand", X[:3, 3] + [0.1, 0.1, -0.05], gain=10.0),
        Orientation("panda_hand", X[:3, :3], gain=10.0),
    ]
    law = OperationalSpace(model, tasks, posture=Posture(q0, gain=5.0))
    run = ts.simulate(model, q0, duration=1.5, controller=law, dt=2e-3)
    assert max(np.abs(task.error(model, run.q[-1])).max() for task in tasks) < 2e-4
    assert np.abs(run.v[-1]).max() < 1e-2
    assert (np.abs(law(0.0, q0, np.full(model.nv, 50.0))) <= model.tau_max).all()


def test_robots_with_a_free_base_are_refused_by_name():
    model = ts.robots.hrp2()
    task = Position("r_hand", [0.3, -0.2, 0.9])
    for law in (OperationalSpace, ResolvedAcceleration):
        with pytest.raises(ArgumentError, match="'base'"):
            law(model, lambda t: task)


def test_what_does_not_fit_is_refused_by_name():
    model = ts.robots.crops9()
    task = Position("tool", [0.5, 0.0, 1.0])
    with pytest.raises(ArgumentError, match="damping of OperationalSpace"):
        OperationalSpace(model, task, damping=-1.0)
    with pytest.raises(ArgumentError, match="posture of OperationalSpace"):
        OperationalSpace(model, task, posture=np.zeros(9))
    with pytest.raises(ArgumentError, match="tasks"):
        OperationalSpace(model, [])
    rock = ts.ModelBuilder("rock").add_link("rock").build()
    with pytest.raises(ArgumentError, match="'rock' has no coordinates"):
        OperationalSpace(rock, task)
