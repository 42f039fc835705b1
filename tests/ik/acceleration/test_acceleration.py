"""Acceleration-level inverse kinematics: tasks are followed, costs are least, statuses and conflicts are told."""

import warnings

import loop_models
import numpy as np
import pytest
from planar_arm import arm, flat_position
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, KinematicsWarning, ShapeError, UnknownNameError
from tarsus.ik.objectives import PostureDistance
from tarsus.tasks import CenterOfMass, FramePose, Position, Posture

COSTS = ("acceleration", "inertia", "torque", "gauss")
ROUNDING = 1e-9
"""Of solutions of linear equations with mass matrices, relative to the accelerations."""


def states(count=20):
    model = ts.robots.crops9()
    rng = np.random.default_rng(6)
    q, v = model.random(rng, (count,)), 0.3 * rng.normal(size=(count, model.nv))
    far = ts.frame_pose(model, model.random(rng, (count,)), "tool")[..., :3, 3]
    task = Position(
        "tool", far, velocity=rng.normal(size=(count, 3)), acceleration=rng.normal(size=(count, 3)), gain=3.0
    )
    return model, q, v, task


@pytest.mark.parametrize("minimise", COSTS)
def test_of_all_accelerations_that_follow_it_is_the_cheapest(minimise):
    """Against the dense equations of the optimum."""
    model, q, v, task = states()
    posture = PostureDistance(weight=2.0)
    answer = ts.ik.acceleration(model, task, q, v, minimise=minimise, damping=3.0, objectives=posture)
    assert set(answer.status) == {"solved"}
    for k in range(len(q)):
        own = task.of_rows((len(q),), np.array([k]))
        J, J_dot_v = own.jacobian(model, q[k]), own.jacobian_dot_v(model, q[k], v[k])
        M, h = ts.mass_matrix(model, q[k]), ts.inverse_dynamics(model, q[k], v[k], np.zeros(9), passive=True)
        wish = -3.0 * v[k] - posture.gradient(model, q[k])
        if minimise in ("torque", "gauss"):
            wish = wish - np.linalg.solve(M, h)
        W = {"acceleration": np.eye(9), "inertia": M, "torque": M @ M, "gauss": M}[minimise]
        e, rate = own.error(model, q[k])[0], J @ v[k]
        b = np.ravel(own.acceleration) + 6.0 * (np.ravel(own.velocity) - rate) + 9.0 * e - J_dot_v
        kkt = np.block([[W, J.T], [J, np.zeros((3, 3))]])
        expected = np.linalg.solve(kkt, np.concatenate([W @ wish, b]))[:9]
        assert np.abs(answer.vdot[k] - expected).max() < ROUNDING * np.abs(expected).max()


def test_accelerations_are_those_of_the_tool():
    model, q, v, task = states()
    answer = ts.ik.acceleration(model, task, q, v)
    h = 1e-5
    ahead, behind = (
        ts.frame_velocity(
            model, model.integrate(q, s * h * v + 0.5 * h * h * answer.vdot), v + s * h * answer.vdot, "tool"
        )
        for s in (1, -1)
    )
    assert np.allclose((ahead - behind)[:, :3] / (2 * h), answer.wanted, rtol=1e-5, atol=1e-5)
    assert answer.missed.max() < 1e-8


def test_torques_are_those_of_the_inverse_model():
    model, q, v, task = states()
    answer = ts.ik.acceleration(model, task, q, v, minimise="torque")
    assert np.allclose(answer.tau, ts.inverse_dynamics(model, q, v, answer.vdot, passive=True), rtol=1e-9, atol=1e-9)
    others = [ts.ik.acceleration(model, task, q, v, minimise=cost).tau for cost in ("acceleration", "inertia", "gauss")]
    for other in others:
        assert (np.linalg.norm(answer.tau, axis=-1) <= np.linalg.norm(other, axis=-1) * (1 + 1e-9)).all()


def test_levels_that_can_all_be_followed_are_as_if_they_were_one():
    model, q, v, task = states(4)
    look = ts.tasks.Orientation("tool", np.eye(3), gain=2.0)
    together = ts.ik.acceleration(model, [task, look], q, v, minimise="inertia")
    one_by_one = ts.ik.acceleration(model, [[task], [look]], q, v, minimise="inertia")
    assert set(one_by_one.status) == {"solved"}
    assert np.allclose(one_by_one.vdot, together.vdot, rtol=1e-6, atol=1e-6)


def test_a_lower_level_does_not_disturb_a_higher_one_and_the_conflict_is_named():
    model, q, v, task = states(4)
    alone = ts.ik.acceleration(model, task, q, v)
    both = ts.ik.acceleration(model, [[task], [Position("tool", [0.0, 0.0, 3.0])]], q, v)
    J = task.jacobian(model, q)
    assert np.abs(np.einsum("nij,nj->ni", J, both.vdot - alone.vdot)).max() < 1e-9
    assert set(both.status) == {"tasks contradict each other"}
    assert all(len(names) == 2 and all("Position of 'tool'" in name for name in names) for names in both.conflict)


def test_a_singular_arm_is_damped_and_says_so():
    model = arm()
    answer = ts.ik.acceleration(model, flat_position([0.2, 0.1]), [0.3, 0.0], [0.0, 0.0])
    assert np.isfinite(answer.vdot).all()
    assert answer.missed > 0
    assert answer.status == "tasks contradict each other"  # the rows of a stretched arm depend on each other
    near = ts.ik.acceleration(model, flat_position([0.2, 0.1]), [0.3, 0.01], [0.0, 0.0])
    assert near.status == "damped"
    assert near.conflict == ()


def test_joints_without_drive_get_no_torque_where_torques_matter():
    """A robot in the air: whatever it does, its centre of mass falls."""
    model = ts.robots.hrp2()
    rng = np.random.default_rng(1)
    q = model.integrate(model.reference, 0.1 * rng.normal(size=model.nv))
    v = 0.2 * rng.normal(size=model.nv)
    hand = Position("r_hand", [0.4, -0.2, 0.9], reference="CHEST_LINK1")
    answer = ts.ik.acceleration(model, hand, q, v, minimise="torque", damping=2.0)
    assert answer.status == "solved"
    assert np.abs(answer.tau[:6]).max() < 1e-8
    fall = ts.com_jacobian(model, q) @ answer.vdot + CenterOfMass([0.0, 0.0, 0.0]).jacobian_dot_v(model, q, v)
    assert np.allclose(fall, [0.0, 0.0, -9.81], atol=1e-9)
    above = ts.ik.acceleration(model, [[CenterOfMass([0.0, 0.0, 2.0])]], q, v, minimise="torque")
    assert above.status == "tasks contradict each other"
    assert any("no drive of 'base." in name for name in above.conflict)


def test_loops_follow_with_their_independent_coordinates():
    model = loop_models.four_bar().build()
    q = model.random(np.random.default_rng(0))
    frame = max(model.bodies, key=lambda body: np.abs(ts.jacobian(model, q, body)[:3]).max())
    place = ts.frame_pose(model, q, frame)[:3, 3]
    axis = int(np.argmax(np.abs(ts.jacobian(model, q, frame)[:3, 0])))
    task = Position(frame, place, acceleration=np.eye(3)[axis], axes=[k == axis for k in range(3)])
    v = np.array([0.4])
    answer = ts.ik.acceleration(model, task, q, v)
    assert answer.missed < 1e-8
    assert np.allclose(answer.tau, ts.inverse_dynamics(model, q, v, answer.vdot, passive=True))


def test_a_frame_that_nothing_moves_is_told_and_nothing_else_breaks():
    model = arm()
    for options in ({}, {"limits": ts.ik.SecondOrderLimits()}):
        answer = ts.ik.acceleration(model, Position("base", [1.0, 0.0, 0.0]), [0.3, 0.4], [0.0, 0.0], **options)
        assert answer.status == "tasks contradict each other"
        assert answer.conflict == ("row 0 of Position of 'base'",)
        assert np.abs(answer.vdot).max() < 1e-12


def test_arm_of_others_follows_within_its_limits():
    model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    q = 0.5 * (model.q_min + model.q_max)
    goal = ts.frame_pose(model, q, "panda_hand")[:3, 3] + [0.05, 0.0, 0.0]
    limits = ts.ik.SecondOrderLimits(torque=True)
    for cost in COSTS:
        answer = ts.ik.acceleration(
            model, Position("panda_hand", goal), q, np.zeros(model.nv), minimise=cost, limits=limits
        )
        assert answer.status == "solved"
        assert (np.abs(answer.tau) <= model.tau_max + 1e-9).all()


def test_members_of_a_batch_are_as_if_alone():
    model, q, v, task = states(6)
    limits = ts.ik.SecondOrderLimits(acceleration=5.0)
    for options in ({}, {"limits": limits, "minimise": "inertia"}):
        whole = ts.ik.acceleration(model, task, q, v, **options)
        for k in range(6):
            alone = ts.ik.acceleration(model, task.of_rows((6,), np.array([k])), q[k : k + 1], v[k : k + 1], **options)
            assert np.allclose(alone.vdot[0], whole.vdot[k], rtol=1e-9, atol=1e-9)
            assert alone.status[0] == whole.status[k]


def test_gains_that_are_too_large_for_the_step_are_warned_of():
    model = arm()
    with pytest.warns(KinematicsWarning, match="gain 1000"):
        ts.ik.acceleration(model, flat_position([0.5, 0.2], gain=1000.0), [0.3, 0.4], [0.0, 0.0], dt=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.ik.acceleration(model, flat_position([0.5, 0.2], gain=900.0), [0.3, 0.4], [0.0, 0.0], dt=1e-3)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"minimise": "torqe"}, UnknownNameError, "torque"),
        ({"damping": -1.0}, ArgumentError, "damping"),
        ({"limits": 3.0}, ArgumentError, "limits is 3.0"),
        ({"dt": 0.0}, ArgumentError, "dt"),
        ({"gradient": [0.0]}, ShapeError, "gradient"),
        ({"v": [0.0]}, ShapeError, "v"),
        ({"v": [np.nan, 0.0]}, ArgumentError, "v"),
        ({"tasks": []}, ArgumentError, "tasks is empty"),
        ({"tasks": [[]]}, ArgumentError, "tasks is empty"),
        ({"objectives": [2.0]}, ArgumentError, "Sum holds 2.0"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, error, told):
    given = {"tasks": flat_position([0.5, 0.2]), "q": [0.3, 0.4], "v": [0.0, 0.0], **options}
    with pytest.raises(error, match=told):
        ts.ik.acceleration(arm(), **given)


def test_a_model_without_coordinates_is_refused_by_name():
    model = ts.ModelBuilder("rock").add_link("rock").build()
    with pytest.raises(ArgumentError, match="'rock' has no coordinates"):
        ts.ik.acceleration(model, FramePose("rock", np.eye(4)), [], [])


def test_postures_are_reached_exactly_where_there_is_nothing_else():
    model, q, v, _ = states(3)
    answer = ts.ik.acceleration(model, Posture(gain=4.0), q, v)
    expected = 16.0 * model.difference(q, np.broadcast_to(model.reference, q.shape)) - 8.0 * v
    assert np.allclose(answer.vdot, expected, atol=1e-9)
