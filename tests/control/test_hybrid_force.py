"""Hybrid control: an arm presses against a wall with a given force while it slides along it."""

from functools import cache

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.contact import Block, Compliant, ContactPoint, Ground, Plane
from tarsus.control import ForceGains, HybridForce, Selection
from tarsus.control.force_loop import ForceLoop
from tarsus.control.task_inertia import task_inertia
from tarsus.errors import ArgumentError, SimulationError, UnknownNameError
from tarsus.tasks import FramePose, Position, Posture

FORCE = 20.0
"""[N]"""
WALL, RADIUS, FRICTION, GAIN = 1.0, 0.02, 0.2, 20.0
AWAY = np.array([0.0, -0.2, 0.1])
"""Along the wall [m]."""
NORMAL = Selection([True, False, False, False, False, False])
BEGIN, END, DURATION = 0.6, 1.6, 2.0
"""Of the slide, and of the run [s]."""


@cache
def start():
    """The tool points at the wall, 1 cm before it."""
    model = ts.robots.crops9()
    X = np.eye(4)
    X[:3, 3] = [WALL - RADIUS - 0.01, 0.1, 1.0]
    answer = ts.ik.solve(model, FramePose("tool", X), model.reference)
    assert answer.success
    return model, answer.q, X


def sliding(t):
    """Where the tool should be along the wall."""
    s = np.clip((t - BEGIN) / (END - BEGIN), 0.0, 1.0)
    way, rate, push = s**3 * (10 - 15 * s + 6 * s * s), 30 * s**2 * (1 - s) ** 2, 60 * s - 180 * s**2 + 120 * s**3
    X = start()[2].copy()
    X[:3, 3] += way * AWAY
    return FramePose("tool", X, velocity=[*(rate * AWAY), 0, 0, 0], acceleration=[*(push * AWAY), 0, 0, 0], gain=GAIN)


@cache
def slide(method, friction=True, wall=(-1.0, 0.0, 0.0)):
    model, q0, _ = start()
    law = HybridForce(
        model,
        sliding,
        [FORCE, 0, 0, 0, 0, 0],
        NORMAL,
        method=method,
        friction=friction,
        posture=Posture(q0, gain=5.0),
    )
    ground = Ground(Plane(Compliant(friction=FRICTION), point=(WALL, 0.0, 0.0), normal=wall))
    tip = ContactPoint("tip", "tool", (0.0, 0.0, 0.0), RADIUS)
    run = ts.simulate(model, q0, duration=DURATION, controller=law, ground=ground, contacts=[tip], sample_dt=1e-3)
    targets = np.array([sliding(t).pose[:3, 3] for t in run.time])
    tool = ts.frame_pose(model, run.q, "tool")
    path = np.linalg.norm((tool[:, :3, 3] - targets)[:, 1:], axis=1)
    return run, run.contact_force[:, 0], path


@pytest.mark.parametrize("method", ["operational-space", "raibert-craig"])
def test_force_and_path_are_kept_while_the_tool_slides_along_a_wall(method):
    run, force, path = slide(method)
    slides, rests = (run.time > BEGIN) & (run.time < END), run.time > END + 0.2
    assert np.abs(-force[slides, 0] / FORCE - 1).max() < 0.03
    assert np.abs(-force[rests, 0] / FORCE - 1).max() < 0.005
    assert np.linalg.norm(force[slides, 1:], axis=1).max() > 0.9 * FRICTION * FORCE  # it is no frictionless wall
    assert path[run.time > 0.5].max() < 1e-3
    assert path.max() < 2e-3  # also on the way to the wall, where nothing balances the force
    assert (-force[:, 0] > 1.5 * FORCE).sum() < 10  # milliseconds of impact
    assert np.linalg.norm(ts.frame_velocity(start()[0], run.q[-1], run.v[-1], "tool")) < 1e-3


def test_without_compensation_friction_holds_the_tool_back_like_a_spring():
    """Static balance at the end: Lambda gain^2 error = friction, with Lambda of the directions of motion alone."""
    run, force, path = slide("operational-space", friction=False)
    model, q = start()[0], run.q[-1]
    assert path[-1] == pytest.approx(0.0155, abs=1e-3)
    J = ts.jacobian(model, q, "tool")[1:]
    error = sliding(DURATION).error(model, q)[1:]
    held = task_inertia(J, ts.mass_matrix(model, q)).inertia @ (GAIN**2 * error)
    assert np.allclose(held[:2], -force[-1, 1:], rtol=0.05, atol=0.02)
    assert -force[-1, 0] == pytest.approx(FORCE, rel=0.01)


def test_a_sensor_may_take_the_place_of_the_true_wrench():
    model, q0, _ = start()
    off = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    law = HybridForce(
        model,
        sliding,
        [FORCE, 0, 0, 0, 0, 0],
        NORMAL,
        wrench=lambda observation: observation.wrench("tool") - off,  # which reads 1 N too much
    )
    ground = Ground(Plane(Compliant(friction=FRICTION), point=(WALL, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)))
    tip = ContactPoint("tip", "tool", (0.0, 0.0, 0.0), RADIUS)
    run = ts.simulate(model, q0, duration=1.6, controller=law, ground=ground, contacts=[tip])
    assert -run.contact_force[-1, 0, 0] == pytest.approx(FORCE - 1.0, rel=0.03)


def test_robots_of_a_batch_press_as_if_alone():
    model, q0, _ = start()
    ground = Ground(Plane(Compliant(friction=FRICTION), point=(WALL, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)))
    tip = ContactPoint("tip", "tool", (0.0, 0.0, 0.0), RADIUS)
    runs = [
        ts.simulate(
            model,
            q,
            duration=0.2,
            controller=HybridForce(model, sliding, [FORCE, 0, 0, 0, 0, 0], NORMAL),
            ground=ground,
            contacts=[tip],
        )
        for q in (np.array([q0, q0 + 0.01]), q0, q0 + 0.01)
    ]
    for k in (0, 1):
        assert np.allclose(runs[0].q[:, k], runs[1 + k].q, atol=1e-9)


def test_arm_of_others_slides_on_a_slanted_box():
    model, frame = ts.load(robot_data_path("panda_description/urdf/panda.urdf")), "panda_hand_tcp"
    c, s = np.cos(0.4), np.sin(0.4)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    X, normal, away = np.eye(4), R[:, 0], R @ [0.0, 0.1, 0.06]
    X[:3, :3] = np.column_stack([[0.0, 0.0, -1.0], np.cross(normal, [0.0, 0.0, -1.0]), normal])
    X[:3, 3] = R @ [0.5, 0.0, 0.5]
    q0 = ts.ik.solve(model, FramePose(frame, X), 0.5 * (model.q_min + model.q_max)).q
    box = np.eye(4)
    box[:3, :3], box[:3, 3] = R, X[:3, 3] + normal * (RADIUS + 0.003 + 0.05)

    def pose(t):
        x = np.clip((t - 0.5) / 0.8, 0.0, 1.0)
        way, rate, push = x**3 * (10 - 15 * x + 6 * x * x), 30 * x**2 * (1 - x) ** 2, 60 * x - 180 * x**2 + 120 * x**3
        Y = X.copy()
        Y[:3, 3] += way * away
        speed, pushed = [*(rate / 0.8 * away), 0, 0, 0], [*(push / 0.64 * away), 0, 0, 0]
        return FramePose(frame, Y, velocity=speed, acceleration=pushed, gain=GAIN)

    run = ts.simulate(
        model,
        q0,
        duration=1.5,
        controller=HybridForce(model, pose, [FORCE, 0, 0, 0, 0, 0], Selection(NORMAL.force, R)),
        ground=Ground(Block((0.1, 1.0, 1.0), box, law=Compliant(friction=0.5), name="box")),
        contacts=[ContactPoint("tip", frame, (0.0, 0.0, 0.0), RADIUS)],
    )
    late = run.time > 0.5
    assert np.abs(-run.contact_force[late, 0] @ normal / FORCE - 1).max() < 0.03
    along = [R.T @ pose(t).error(model, q)[:3] for t, q in zip(run.time[late], run.q[late], strict=True)]
    assert np.abs(np.array(along)[:, 1:]).max() < 1e-3


def test_directions_of_force_are_those_of_the_surface():
    """A slanted wall: the same laws in turned axes."""
    c, s = np.cos(0.4), np.sin(0.4)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    selection = Selection([True, False, False, False, False, False], R)
    wrench = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    expected = np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])
    assert np.allclose(selection.components(wrench), expected, atol=1e-14)
    rows = np.arange(24.0).reshape(6, 4)
    assert np.allclose(selection.turned(rows)[:, 2], selection.components(rows[:, 2]), atol=1e-13)


def test_force_loop_integrates_what_is_missing_up_to_its_bound_while_something_is_felt():
    loop = ForceLoop(ForceGains(proportional=0.5, rate=10.0, most=1.0))
    wanted, nothing, half = np.array([20.0, 0.0]), np.zeros(2), np.array([10.0, 0.0])
    assert np.allclose(loop.command(0.0, wanted, nothing), [30.0, 0.0])
    assert np.allclose(loop.command(1.0, wanted, nothing), [30.0, 0.0])  # in the air
    assert np.allclose(loop.command(1.05, wanted, half), [30.0, 0.0])  # 5 N of 10 N in 50 ms at 10/s
    assert np.allclose(loop.command(5.0, wanted, half), [45.0, 0.0])  # no more than what is wanted
    assert np.allclose(loop.command(0.0, wanted, half), [25.0, 0.0])  # another run


def test_what_does_not_fit_is_refused_by_name():
    model = start()[0]
    force = [FORCE, 0, 0, 0, 0, 0]
    with pytest.raises(ArgumentError, match="pose of HybridForce"):
        HybridForce(model, sliding(0.0), force, NORMAL)
    with pytest.raises(ArgumentError, match="force of HybridForce"):
        HybridForce(model, sliding, [FORCE], NORMAL)
    with pytest.raises(ArgumentError, match="selection of HybridForce"):
        HybridForce(model, sliding, force, [True])
    with pytest.raises(UnknownNameError, match="raibert-craig"):
        HybridForce(model, sliding, force, NORMAL, method="raibert")
    with pytest.raises(ArgumentError, match="'base'"):
        HybridForce(ts.robots.hrp2(), sliding, force, NORMAL)
    with pytest.raises(ArgumentError, match="force of Selection"):
        Selection([True, False])
    with pytest.raises(ArgumentError, match="axes of Selection"):
        Selection([True] * 6, 2 * np.eye(3))
    with pytest.raises(ArgumentError, match="rate of ForceGains"):
        ForceGains(rate=-1.0)
    law = HybridForce(model, lambda t: Position("tool", [1.0, 0.0, 1.0]), force, NORMAL)
    with pytest.raises(SimulationError, match="expected a FramePose"):
        ts.simulate(model, start()[1], duration=0.01, controller=law)
