"""Velocity-level inverse kinematics: the classical laws agree, follow, and say where they cannot."""

import warnings

import numpy as np
import pytest
from planar_arm import arm, flat_position

import tarsus as ts
from tarsus.errors import ArgumentError, KinematicsWarning, ShapeError, SingularityError, UnknownNameError
from tarsus.ik.velocity.pseudoinverse import nullspace_projection, weighted_pseudoinverse
from tarsus.tasks import CenterOfMass, FramePose, Position

ROUNDING = 1e-12


def states(count=50):
    model = ts.robots.crops9()
    rng = np.random.default_rng(6)
    q = model.random(rng, (count,))
    targets = ts.frame_pose(model, model.random(rng, (count,)), "tool")
    return model, q, FramePose("tool", targets, velocity=rng.normal(size=(count, 6))), rng


def test_algorithm_10_equals_the_pseudoinverse():
    model, q, task, rng = states()
    z, W = rng.normal(size=model.nv), rng.uniform(0.5, 2.0, model.nv)
    one, other = (
        ts.ik.velocity(model, task, q, method=method, gradient=z, weights=W)
        for method in ("klein-huang", "pseudoinverse")
    )
    scale = np.abs(one.v).max(axis=-1, keepdims=True)  # large where the arm is nearly singular
    assert (np.abs(one.v - other.v) / scale).max() < ROUNDING * 100  # times the condition of J W^-1 J^T
    assert np.median(np.abs(one.v - other.v) / scale) < ROUNDING


@pytest.mark.parametrize("method", ["damped", "klein-huang", "pseudoinverse"])
def test_tasks_are_followed_with_feed_forward_and_feedback(method):
    model, q, task, _ = states()
    answer = ts.ik.velocity(model, task, q, method=method)
    wanted = task.target_velocity(model) + task.gain * task.error(model, q)
    assert np.allclose(answer.wanted, wanted, atol=ROUNDING)
    regular = answer.damping == 0
    assert regular.mean() > 0.5
    assert answer.missed[regular].max() < 1e-9


def test_of_all_velocities_that_follow_it_is_the_shortest():
    model, q, task, rng = states()
    W = rng.uniform(0.5, 2.0, model.nv)
    v = ts.ik.velocity(model, task, q, method="klein-huang", weights=W).v
    N = nullspace_projection(task.jacobian(model, q), W)
    other = v + (N @ rng.normal(size=(50, model.nv, 1)))[..., 0]
    assert np.abs(np.einsum("...ij,...j->...i", task.jacobian(model, q), other - v)).max() < 1e-9
    assert (np.sum(W * v**2, axis=-1) < np.sum(W * other**2, axis=-1)).all()


def test_pseudoinverse_has_the_properties_of_penrose_and_the_projection_is_one():
    model, q, task, rng = states()
    J, W = task.jacobian(model, q), rng.uniform(0.5, 2.0, model.nv)
    P, N = weighted_pseudoinverse(J, W), nullspace_projection(J, W)
    assert np.abs(J @ P - np.eye(6)).max() < 1e-9
    assert np.abs(N @ N - N).max() < 1e-9
    assert np.abs(J @ N).max() < 1e-9


def test_gradient_falls_in_the_nullspace_without_disturbing_the_task():
    model, q, task, _ = states()
    z = model.difference(np.broadcast_to(model.reference, q.shape), q)  # gradient of half the squared distance
    with_it = ts.ik.velocity(model, task, q, method="klein-huang", gradient=z)
    without = ts.ik.velocity(model, task, q, method="klein-huang")
    assert with_it.missed.max() < 1e-8
    assert (np.sum(z * (with_it.v - without.v), axis=-1) < 0).all()


def test_damped_least_squares_is_the_minimum_of_its_function():
    model, q, task, _ = states()
    q = 0.02 * q  # nearly stretched
    near = ts.ik.velocity(model, task, q)
    k = near.damping
    J, w = task.jacobian(model, q), near.wanted
    gradient = np.einsum("nij,ni->nj", J, w - np.einsum("nij,nj->ni", J, near.v)) - k[:, None] * near.v  # of (5.21)
    assert np.abs(gradient).max() < 1e-9 * np.abs(w).max()
    assert (k > 0).any()


def test_singular_arms_are_damped_or_refused_by_name():
    model = arm()
    stretched = [0.3, 0.0]
    task = flat_position([0.2, 0.1])
    v = ts.ik.velocity(model, task, stretched)
    assert np.abs(v.v).max() < 1e3
    assert v.damping > 0
    assert v.missed > 0
    for method in ("klein-huang", "pseudoinverse"):
        with pytest.raises(SingularityError, match="damped"):
            ts.ik.velocity(model, task, stretched, method=method)


def test_more_rows_than_freedoms_take_the_nearest_motion():
    model = arm()
    tasks = [flat_position([0.5, 0.2]), flat_position([0.5, 0.4]), CenterOfMass([0.3, 0.2, 0.0])]
    answer = ts.ik.velocity(model, tasks, [0.3, 0.4])
    assert np.isfinite(answer.v).all()
    assert answer.missed > 0


def test_gains_that_are_too_large_for_the_step_are_warned_of():
    model = arm()
    with pytest.warns(KinematicsWarning, match="gain 3000"):
        ts.ik.velocity(model, flat_position([0.5, 0.2], gain=3000.0), [0.3, 0.4], dt=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.ik.velocity(model, flat_position([0.5, 0.2], gain=1999.0), [0.3, 0.4], dt=1e-3)


def circle(model, q0, period=2.0, radius=0.05, **options):
    """The tool goes round a circle in the plane y-z, from where it is at q0."""
    X = ts.frame_pose(model, q0, "tool")
    rate = 2 * np.pi / period

    def tasks(t):
        c, s = np.cos(rate * t), np.sin(rate * t)
        way, speed = radius * np.array([0.0, c - 1.0, s]), radius * rate * np.array([0.0, -s, c])
        pose = X.copy()
        pose[:3, 3] += way
        return FramePose("tool", pose, velocity=[*speed, 0, 0, 0], **options)

    return tasks


START = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])


def test_circle_at_one_kilohertz_is_followed_to_a_micrometre():
    model = ts.robots.crops9()
    path = ts.ik.follow(model, circle(model, START, gain=500.0), START, duration=0.5)
    assert path.error.max() < 1e-6
    assert np.array_equal(path.q[1], model.integrate(path.q[0], path.v[0], 1e-3))


def test_transposed_jacobian_lags_behind_and_settles_where_the_target_rests():
    model = ts.robots.crops9()
    moving = ts.ik.follow(model, circle(model, START, gain=50.0), START, duration=0.5, method="transposed")
    exact = ts.ik.follow(model, circle(model, START, gain=50.0), START, duration=0.5)
    assert moving.error[-100:].mean() > 100 * exact.error[-100:].mean()
    goal = ts.frame_pose(model, START, "tool")[:3, 3] + [0.03, 0.02, -0.04]
    rest = ts.ik.follow(model, lambda t: Position("tool", goal, gain=50.0), START, duration=1.0, method="transposed")
    assert rest.error[-1] < 1e-3 * rest.error[0]
    distance = np.linalg.norm(ts.frame_pose(model, rest.q, "tool")[:, :3, 3] - goal, axis=-1)
    assert (np.diff(distance) <= 1e-12).all()


@pytest.mark.parametrize("gain", [20.0, 40.0])
def test_lag_of_the_transposed_jacobian_is_that_of_its_closed_loop(gain):
    """c J J^T (w_d + K e) = w_d, (5.25); with u = (J J^T)^-1 w_d the lag is K e = u |w_d|^2 / (u . w_d) - w_d."""
    model, start = arm(), np.array([0.3, 1.8])
    begin, speed = ts.frame_pose(model, start, "tool")[:2, 3], np.array([0.01, 0.004])

    def line(t):
        return flat_position(begin + speed * t, velocity=[*speed, 0.0], gain=gain)

    path = ts.ik.follow(model, line, start, duration=2.0, method="transposed", dt=5e-3)
    e = np.array([line(t).error(model, q) for t, q in zip(path.t, path.q, strict=True)])
    J = line(0.0).jacobian(model, path.q[-1])
    u = np.linalg.solve(J @ J.T, speed)
    lag = (u * (speed @ speed) / (u @ speed) - speed) / gain
    assert np.linalg.norm(lag) > 5e-5
    assert np.linalg.norm(e[-1] - lag) < 0.02 * np.linalg.norm(lag)  # it changes slowly along the way
    assert abs(e[-1] @ speed) < 0.02 * np.linalg.norm(e[-1]) * np.linalg.norm(speed)  # the step makes it go across


def test_liegeois_and_algorithm_10_agree_to_rounding_at_regular_configurations():
    model, q, task, rng = states(200)
    J = task.jacobian(model, q)
    regular = np.linalg.cond(J @ np.swapaxes(J, -1, -2)) < 1e3
    assert regular.sum() > 20
    z, W = rng.normal(size=model.nv), rng.uniform(0.5, 2.0, model.nv)
    one, other = (
        ts.ik.velocity(model, task, q, method=method, gradient=z, weights=W).v[regular]
        for method in ("klein-huang", "pseudoinverse")
    )
    assert (np.abs(one - other) / np.abs(one).max(axis=-1, keepdims=True)).max() < ROUNDING


def test_damping_grows_from_nothing_towards_a_singularity():
    model = arm()
    task = flat_position([0.2, 0.1])
    bends = np.array([0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0])
    answers = [ts.ik.velocity(model, task, [0.3, bend]) for bend in bends]
    k = np.array([answer.damping for answer in answers])
    assert k[0] == 0
    assert (np.diff(k) >= 0).all()
    assert k[-1] == pytest.approx(0.05**2)
    assert max(np.abs(answer.v).max() for answer in answers) < 2 * np.abs(answers[0].wanted).max() / 0.05


def test_steps_are_divided_until_the_error_grows_no_more_than_allowed():
    model = ts.robots.crops9()
    tasks = circle(model, START, period=0.5, radius=0.15, gain=0.0)  # nothing takes errors back
    plain = ts.ik.follow(model, tasks, START, duration=0.25, dt=0.05)
    careful = ts.ik.follow(model, tasks, START, duration=0.25, dt=0.05, tolerance=1e-3)
    assert careful.parts.max() > 1
    assert (np.diff(careful.error) <= 1e-3).all()
    assert careful.error.max() < 0.2 * plain.error.max()


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"method": "dampd"}, UnknownNameError, "damped"),
        ({"weights": [1.0, 0.0]}, ArgumentError, "weights"),
        ({"weights": [1.0]}, ShapeError, "weights"),
        ({"gradient": [1.0]}, ShapeError, "gradient"),
        ({"gradient": [np.nan, 1.0]}, ArgumentError, "gradient"),
        ({"gradient": [1.0, 1.0], "method": "transposed"}, ArgumentError, "gradient"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(options, error, told):
    with pytest.raises(error, match=told):
        ts.ik.velocity(arm(), flat_position([0.5, 0.2]), [0.3, 0.4], **options)


def test_no_tasks_are_refused():
    with pytest.raises(ArgumentError, match="tasks is empty"):
        ts.ik.velocity(arm(), [], [0.3, 0.4])


def test_durations_are_multiples_of_the_step_and_tasks_a_function():
    model = arm()
    with pytest.raises(ArgumentError, match="multiple of dt"):
        ts.ik.follow(model, lambda t: flat_position([0.5, 0.2]), [0.3, 0.4], duration=0.0105, dt=0.002)
    with pytest.raises(ArgumentError, match="function of time"):
        ts.ik.follow(model, flat_position([0.5, 0.2]), [0.3, 0.4], duration=0.01)
