"""Objectives in the nullspace of tasks: they fall, tasks stay, and weights of low rank equal dense ones."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.ik.objectives import (
    AngularMomentum,
    CollisionPotential,
    JointLimits,
    Manipulability,
    PiecewisePotential,
    PostureDistance,
)
from tarsus.ik.velocity.weighting import LowRankWeights, divided, divided_rows
from tarsus.tasks import CenterOfMass, FramePose, Momentum, Orientation, Position, Posture

ROUNDING = 1e-12
START = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])
X_START = ts.frame_pose(ts.robots.crops9(), START, "tool")


def circle(t):
    """The tool goes round a circle in the plane y-z in 2 s, with its axes as they are."""
    pose = X_START.copy()
    pose[:3, 3] += 0.05 * np.array([0.0, np.cos(np.pi * t) - 1.0, np.sin(np.pi * t)])
    speed = 0.05 * np.pi * np.array([0.0, -np.sin(np.pi * t), np.cos(np.pi * t)])
    return FramePose("tool", pose, velocity=[*speed, 0, 0, 0], gain=20.0)


def low_rank(k=3, seed=0):
    rng = np.random.default_rng(seed)
    W = LowRankWeights(rng.uniform(0.5, 2.0, 9), rng.normal(size=(4, k, 9)))
    dense = np.diag(W.diagonal) + np.swapaxes(W.rows, -1, -2) @ W.rows
    return W, dense, rng


@pytest.mark.parametrize("k", [1, 3, 6])
def test_woodbury_is_the_inverse_of_the_dense_matrix(k):
    W, dense, rng = low_rank(k)
    J, z = rng.normal(size=(4, 5, 9)), rng.normal(size=(4, 9))
    inverse = np.linalg.inv(dense)
    assert np.abs(divided_rows(J, W) - J @ inverse).max() < ROUNDING
    assert np.abs(divided(z, W) - (inverse @ z[..., None])[..., 0]).max() < ROUNDING


def standing_tasks(model, sway=0.0):
    """Feet stay, the centre of mass moves, the head does not turn: arms are left to the nullspace."""
    feet = [FramePose(name, ts.frame_pose(model, model.reference, name)) for name in ("l_sole", "r_sole")]
    return [*feet, ts.tasks.CenterOfMass(ts.center_of_mass(model, model.reference), velocity=[sway, 0.0, 0.0])]


@pytest.mark.parametrize("method", ["damped", "klein-huang", "pseudoinverse"])
def test_velocities_of_least_angular_momentum_equal_the_dense_result(method):
    model = ts.robots.hrp2()
    rng = np.random.default_rng(7)
    q = model.integrate(model.reference, 0.1 * rng.normal(size=(5, model.nv)))
    tasks = standing_tasks(model, sway=0.3)
    D, z = rng.uniform(0.2, 0.7, model.nv), rng.normal(size=model.nv)
    objective = AngularMomentum(axes=(True, True, True), gamma=0.05, weight=3.0, target=(0.5, -0.2, 1.0))
    answer = ts.ik.velocity(model, tasks, q, method=method, weights=D, gradient=z, objectives=objective)
    assert (answer.damping == 0).all()
    for k in range(5):
        A = ts.momentum_matrix(model, q[k])[3:]
        W = 3.0 * (0.05 * np.diag(D) + A.T @ A)
        J = np.vstack([task.jacobian(model, q[k]) for task in tasks])
        b = np.concatenate([task.target_velocity(model) + task.gain * task.error(model, q[k]) for task in tasks])
        linear = z - 3.0 * A.T @ np.array([0.5, -0.2, 1.0])
        m = len(b)
        optimal = np.linalg.solve(np.block([[W, J.T], [J, np.zeros((m, m))]]), np.concatenate([-linear, b]))
        expected = optimal[: model.nv]
        assert np.abs(answer.v[k] - expected).max() < ROUNDING * 100 * np.abs(expected).max()  # times the condition


def test_weight_of_angular_momentum_is_the_value_it_minimises():
    model = ts.robots.hrp2()
    q, objective = np.array(model.reference), AngularMomentum(gamma=0.1)
    hand = ts.frame_pose(model, q, "r_hand")[:3, 3]
    task = Position("r_hand", hand, velocity=[0.5, 0.0, 0.0])
    tasks = [*standing_tasks(model)[:2], task]
    best = ts.ik.velocity(model, tasks, q, objectives=objective, method="klein-huang").v
    plain = ts.ik.velocity(model, tasks, q, method="klein-huang").v
    rng = np.random.default_rng(0)
    J = np.vstack([t.jacobian(model, q) for t in tasks])
    N = np.eye(model.nv) - np.linalg.pinv(J) @ J
    least = objective.value(model, q, best)
    assert least < 0.5 * objective.value(model, q, plain)
    for _ in range(20):
        assert least < objective.value(model, q, best + 0.1 * N @ rng.normal(size=model.nv))


@pytest.mark.parametrize(("name", "chest"), [("hrp2", "CHEST_LINK1"), ("lola", "torso")])
def test_arms_swing_so_that_the_vertical_angular_momentum_of_a_step_is_at_most_half(name, chest):
    model = getattr(ts.robots, name)()
    q0, length, duration = model.reference, 0.25, 0.6
    left, right = (ts.frame_pose(model, q0, foot) for foot in ("l_sole", "r_sole"))
    com, R = ts.center_of_mass(model, q0), ts.frame_pose(model, q0, chest)[:3, :3]
    half = np.array([0.5 * length, 0.0, 0.0])

    def step(t):
        x = t / duration
        way, rate = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / duration
        X = right.copy()
        X[:3, 3] += [length * way, 0.0, 0.06 * np.sin(np.pi * way)]
        V = [length * rate, 0.0, 0.06 * np.pi * np.cos(np.pi * way) * rate, 0.0, 0.0, 0.0]
        return [
            FramePose("l_sole", left, gain=20.0),
            FramePose("r_sole", X, velocity=V, gain=20.0),
            CenterOfMass(com + way * half, velocity=rate * half, gain=20.0),
            Orientation(chest, R, gain=20.0),
        ]

    plain, least = (
        ts.ik.follow(model, step, q0, duration=duration, dt=0.02, objectives=wish)
        for wish in ([], [AngularMomentum(gamma=0.008)])
    )
    peaks = [np.abs(ts.momentum(model, path.q, path.v)[:, 5]).max() for path in (plain, least)]
    assert peaks[0] > 0.2  # [kg m^2/s]
    assert peaks[1] < 0.5 * peaks[0]
    assert least.error.max() < 1.5 * plain.error.max()


def test_a_wanted_angular_momentum_is_tracked_as_a_task_and_approached_as_an_objective():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    feet = standing_tasks(model)
    spin = (False, False, False, False, False, True)
    wanted = [0.0, 0.0, 0.0, 0.0, 0.0, 1.5]
    exact = ts.ik.velocity(model, [*feet, Momentum(wanted, axes=spin)], q, method="klein-huang").v
    assert ts.momentum(model, q, exact)[5] == pytest.approx(1.5, abs=1e-9)
    near = ts.ik.velocity(model, feet, q, objectives=AngularMomentum(gamma=1e-4, target=(0, 0, 1.5))).v
    assert ts.momentum(model, q, near)[5] == pytest.approx(1.5, rel=0.02)


def test_objectives_are_added_to_the_gradient():
    model = ts.robots.crops9()
    q = model.random(np.random.default_rng(1), (6,))
    task = FramePose("tool", ts.frame_pose(model, q, "tool"))
    parts = [JointLimits(), PostureDistance(weight=0.3)]
    z = parts[0].gradient(model, q) + parts[1].gradient(model, q)
    given = ts.ik.velocity(model, task, q, gradient=z)
    assert np.allclose(ts.ik.velocity(model, task, q, objectives=parts).v, given.v, rtol=1e-12, atol=1e-14)
    assert np.allclose(
        ts.ik.velocity(model, task, q, objectives=parts[0] + parts[1]).v, given.v, rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize(
    "objective",
    [
        PostureDistance(weight=3.0),
        Manipulability("tool", weight=2.0),
        JointLimits(PiecewisePotential(1.0), weight=2.0),
    ],
    ids=["posture", "manipulability", "limits"],
)
def test_tool_stays_while_an_objective_falls_from_step_to_step(objective):
    model = ts.robots.crops9()
    here = FramePose("tool", ts.frame_pose(model, START, "tool"), gain=20.0)
    path = ts.ik.follow(model, lambda t: here, START, duration=1.0, dt=0.01, objectives=[objective])
    value = objective.value(model, path.q)
    assert (np.diff(value) < 0).all()
    assert value[-1] < value[0] - 0.01
    assert path.error.max() < 1e-3  # second order in the step


def test_filtered_gradients_are_used_once_a_sample():
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)
    asked = []

    class Told(CollisionPotential):
        def along(self, dt):
            gradient = super().along(dt)

            def told(model, q):
                asked.append(q)
                return gradient(model, q)

            return told

    objective = Told(scene, PiecewisePotential(0.3), time_constant=0.05)
    path = ts.ik.follow(model, circle, START, duration=0.1, dt=0.01, objectives=objective)
    assert np.array_equal(asked, path.q)


@pytest.mark.parametrize(
    ("objectives", "told"),
    [
        ([3.0], "objectives holds 3.0"),
        (3.0, "objectives is 3.0"),
        ([AngularMomentum(), AngularMomentum()], "more than once"),
    ],
)
def test_what_are_no_objectives_is_refused_by_name(objectives, told):
    model = ts.robots.hrp2()
    with pytest.raises(ArgumentError, match=told):
        ts.ik.velocity(model, Posture(), model.reference, objectives=objectives)
    with pytest.raises(ArgumentError, match="'transposed'"):
        ts.ik.velocity(model, Posture(), model.reference, objectives=JointLimits(), method="transposed")
