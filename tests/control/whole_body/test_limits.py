"""Limits of joints and distances in whole-body control: kept where that is possible, told where it is not."""

import numpy as np
import pytest
from tests.control.whole_body.stances import contacts_at, standing_tasks

import tarsus as ts
from tarsus.control import WholeBody
from tarsus.errors import ArgumentError
from tarsus.ik import SecondOrderLimits
from tarsus.tasks import Position, Posture

ROUNDING = 1e-9
MOTION = 1e-8
"""Residual of the equation of motion, relative to its largest term."""


def followed(body, q, duration, dt=0.01):
    """Motion with commanded accelerations, and the statuses on the way."""
    v, states, told = np.zeros(body.model.nv), [(q, np.zeros(body.model.nv))], []
    for _ in range(round(duration / dt)):
        command = body.solve(q, v)
        told.append(command.status)
        v = v + dt * command.vdot
        q = body.model.integrate(q, v, dt)
        states.append((q, v))
    return np.array([s[0] for s in states]), np.array([s[1] for s in states]), set(told)


@pytest.mark.parametrize("strict", [False, True])
def test_joints_of_a_standing_robot_stay_within_their_limits(strict):
    model = ts.robots.hrp2()
    start = np.array(model.reference)
    beyond = np.array(start)
    arm = model.joints["RARM_JOINT3"]
    i, j = arm.q_index.start, arm.v_index.start
    beyond[i] = model.q_min[i] - 1.0
    wish = Posture(beyond, gain=20.0)
    tasks = standing_tasks(model, start)[:2]
    levels = [[*tasks], [wish]] if strict else [*tasks, wish]
    feet = contacts_at(model, start, ["l_sole", "r_sole"])
    q, v, told = followed(WholeBody(model, levels, feet), start, 1.2)
    assert told == {"solved"}
    assert q[:, i].min() > model.q_min[i] - ROUNDING
    assert q[-1, i] < model.q_min[i] + 0.02  # it is used up
    assert 0.9 * model.v_max[j] < np.abs(v[:, j]).max() < model.v_max[j] + ROUNDING
    q, v, told = followed(WholeBody(model, levels, feet, limits=False), start, 0.6)
    assert q[:, i].min() < model.q_min[i] - 0.5 and np.abs(v[:, j]).max() > 1.5 * model.v_max[j]


def test_pairs_keep_their_margin_and_pass_it_without():
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)
    q0 = np.array([0.57, -0.17, 1.0, 0.11, 0.93, 1.51, 0.56, 1.31, -0.6])
    tasks = [Position("tool", [0.29, 0.0, 0.6], gain=5.0), Posture(q0, weight=0.05)]
    limits = SecondOrderLimits(velocity=False, gain=20.0)
    for collision, margin in ((None, 0.0), (scene, 0.01)):
        body = WholeBody(model, tasks, torque_limits=False, limits=limits, collision=collision, margin=margin)
        q, _, told = followed(body, q0, 1.0)
        nearest = scene.clearance(q).min()
        assert told == {"solved"}
        assert nearest < -0.005 if collision is None else nearest > 0.01 - 5e-4  # second order in the step


def falling_arm(tau_max):
    builder = ts.ModelBuilder("arm").add_link("ground", ts.Inertia.of_box(1.0, (0.1, 0.1, 0.1)))
    builder.add_link("arm", ts.Inertia.of_box(2.0, (1.0, 0.1, 0.1), com=(0.5, 0.0, 0.0)))
    builder.add_joint("hinge", "revolute", "ground", "arm", axis=(0, 1, 0), q_min=-1.0, q_max=0.5, tau_max=tau_max)
    return builder.build()


@pytest.mark.parametrize("strict", [False, True])
def test_a_limit_that_torques_cannot_keep_is_missed_by_as_much_as_they_lack(strict):
    """A weak drive cannot brake a falling arm before its stop."""
    model = falling_arm(tau_max=3.0)
    q, v = np.array([0.45]), np.array([2.0])
    tasks = [[Posture([0.0])], [Posture([0.0])]] if strict else [Posture([0.0], weight=5.0)]
    command = WholeBody(model, tasks).solve(q, v)
    inertia, weight = ts.mass_matrix(model, q)[0, 0], ts.bias_force(model, q, v)[0]
    braking = (-3.0 - weight) / inertia
    wanted = -2 * 10.0 * 2.0 + 100.0 * (0.5 - 0.45)
    assert braking > wanted
    assert command.status == "limits-missed" and not command.success
    assert command.vdot == pytest.approx([braking], rel=1e-6)
    assert command.missed == pytest.approx({"upper limit of 'hinge'": braking - wanted}, rel=1e-6)
    assert f"upper limit of 'hinge' by {braking - wanted:.3g}" in command.reason
    assert command.tau == pytest.approx([-3.0])
    assert WholeBody(falling_arm(tau_max=300.0), tasks).solve(q, v).success


@pytest.mark.parametrize("method", ["reduced", "eliminated"])
def test_feet_and_torques_hold_while_limits_are_missed(method):
    """Knees that turn beyond their speed while both feet stand: the base cannot follow at once."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    knee = model.joints["LLEG_JOINT3"]
    q[knee.q_index] = model.q_max[knee.q_index] + 0.3
    v[knee.v_index] = 5.0
    feet = contacts_at(model, q, ["l_sole", "r_sole"])
    command = WholeBody(model, standing_tasks(model, q), feet, method=method).solve(q, v)
    assert command.status == "limits-missed"
    name = max(command.missed, key=command.missed.get)
    assert name.startswith("velocity limit of ")
    k = model.joints[name.split("'")[1]].v_index.start
    expected = 10.0 * (abs(v[k] + command.vdot[k] / 10.0) - model.v_max[k])
    assert command.missed[name] == pytest.approx(expected) and f"{name} by {expected:.3g}" in command.reason
    wrenches = ts.body_wrenches(model, q, command.wrenches)
    needed = ts.inverse_dynamics(model, q, v, command.vdot, external=wrenches, passive=True)
    largest = np.abs(ts.inverse_dynamics(model, q, v, command.vdot)).max()
    assert np.abs(needed - command.tau).max() < MOTION * largest
    assert (np.abs(command.tau) <= model.tau_max).all()
    for foot in feet:
        normal = foot.X_WC(ts.frame_pose(model, q, foot.frame))[:3, 2]
        assert normal @ command.wrenches[foot.frame][:3] > -1e-6 * 9.81 * model.total_mass


def test_limits_that_make_no_sense_are_named():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    tasks, feet, scene = standing_tasks(model, q), contacts_at(model, q, ["l_sole"]), ts.collision.CollisionModel(model)
    for options, word in (
        ({"limits": 3.0}, "limits is 3.0"),
        ({"limits": SecondOrderLimits(torque=True)}, "torque_limits"),
        ({"limits": SecondOrderLimits(scene=scene), "collision": scene}, "twice"),
        ({"collision": "scene"}, "CollisionModel"),
        ({"margin": 0.01}, "margin"),
    ):
        with pytest.raises(ArgumentError, match=word):
            WholeBody(model, tasks, feet, **options)
