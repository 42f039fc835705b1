"""Hierarchies of velocities: levels never disturb those above, limits hold, conflicts are named."""

import numpy as np
import pytest
from planar_arm import arm, flat_position
from robot_data import robot_data_path
from scipy.optimize import lsq_linear

import tarsus as ts
from tarsus.errors import ArgumentError, KinematicsWarning
from tarsus.ik.velocity.damped import MOST, NEAR
from tarsus.optimization import siciliano

DISTURBANCE = 1e-9
"""That lower levels may cause, in the unit of the task."""
DT = 0.01


def talos():
    return ts.load(str(robot_data_path("talos_data/robots/talos_reduced.urdf")), base="free")


def levels_of(model, q, rng, frames, spread=0.05):
    """A frame each, then the centre of mass, then the posture; targets near where the robot is."""
    levels = [
        [ts.tasks.FramePose(frame, ts.frame_pose(model, q, frame), velocity=rng.normal(size=6) * spread)]
        for frame in frames
    ]
    levels.append([ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + rng.normal(size=3) * spread)])
    return [*levels, [ts.tasks.Posture()]]


ROBOTS = {
    "hrp2": (ts.robots.hrp2, ("l_sole", "r_sole", "r_hand")),
    "crops9": (ts.robots.crops9, ("tool", "link6")),
    "lola": (ts.robots.lola, ("l_sole", "r_sole")),
    "talos": (talos, ("left_sole_link", "right_sole_link", "gripper_left_joint")),
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("limits", [None, ts.ik.Limits(velocity=1.0)])
def test_lower_levels_do_not_disturb_higher_ones(name, limits):
    make, frames = ROBOTS[name]
    model = make()
    rng = np.random.default_rng(3)
    for k in range(4):
        q = model.reference if k == 0 else model.random(rng)
        if k == 3:
            q = model.neutral()  # legs and arms stretched: singular
        levels = levels_of(model, q, rng, frames)
        whole = ts.ik.velocity(model, levels, q, limits=limits, dt=DT)
        for depth in range(1, len(levels)):
            part = ts.ik.velocity(model, levels[:depth], q, limits=limits, dt=DT)
            for (task,) in levels[:depth]:
                moved = task.jacobian(model, q) @ (whole.v - part.v)
                assert np.abs(moved).max() < DISTURBANCE


def damped_recursion(tasks):
    """Oracle: nullspaces by singular values, every level damped along its own small singular directions."""
    n = tasks[0][0].shape[1]
    x, N = np.zeros(n), np.eye(n)
    for J, w in tasks:
        left, s, right = np.linalg.svd(J @ N, full_matrices=False)
        kept = s > 1e-10
        left, s, right = left[:, kept], s[kept], right[kept]
        damping = np.where(s < NEAR, MOST**2 * (1 - (s / NEAR) ** 2), 0.0)
        x = x + right.T @ ((s / (s**2 + damping)) * (left.T @ (w - J @ x)))
        N = N - right.T @ right
    return x


def rows_of(levels, model, q):
    for level in levels:
        J = np.concatenate([task.weights(model)[:, None] * task.jacobian(model, q) for task in level])
        w = np.concatenate(
            [task.weights(model) * (task.target_velocity(model) + task.gain * task.error(model, q)) for task in level]
        )
        yield J, w


@pytest.mark.parametrize("name", ["hrp2", "crops9"])
def test_levels_of_equalities_agree_with_the_recursion_by_nullspaces(name):
    make, frames = ROBOTS[name]
    model = make()
    rng = np.random.default_rng(5)
    damped = 0
    for k in range(6):
        q = model.random(rng) if k else model.neutral()
        levels = levels_of(model, q, rng, frames)
        tasks = list(rows_of(levels, model, q))
        v = ts.ik.velocity(model, levels, q).v
        assert np.allclose(v, damped_recursion(tasks), atol=1e-8 * (1 + np.abs(v).max()))
        plain = siciliano(tasks)
        damped += min(plain.least) < NEAR
        if min(plain.least) >= NEAR:
            assert np.allclose(v, plain.x, atol=1e-8 * (1 + np.abs(v).max()))
    assert damped > 0


def test_one_level_within_bounds_is_the_bounded_least_squares_of_scipy():
    model = ts.robots.crops9()
    rng = np.random.default_rng(7)
    limits = ts.ik.Limits(velocity=0.5)
    bound = 0
    for _ in range(20):
        q = model.random(rng)
        tasks = [
            ts.tasks.FramePose("tool", ts.frame_pose(model, model.random(rng), "tool"), weight=2.0),
            ts.tasks.Posture(weight=0.3),
        ]
        v = ts.ik.velocity(model, tasks, q, limits=limits, dt=DT).v
        ((J, w),) = rows_of([tasks], model, q)
        low, high = limits.bounds(model, q, DT, None)
        other = lsq_linear(J, w, (low, high), tol=1e-14)
        assert np.sum((J @ v - w) ** 2) <= 2 * other.cost * (1 + 1e-9) + 1e-12
        assert (v >= low - 1e-9).all()
        assert (v <= high + 1e-9).all()
        bound += int(((v < low + 1e-9) | (v > high - 1e-9)).sum())
    assert bound > 10


def test_weights_within_a_level_and_the_gradient_below_all_levels():
    model = ts.robots.crops9()
    rng = np.random.default_rng(8)
    q, W, z = model.random(rng), rng.uniform(0.5, 2.0, model.nv), rng.normal(size=model.nv)
    task = ts.tasks.FramePose("tool", ts.frame_pose(model, model.reference, "tool"))
    classical = ts.ik.velocity(model, task, q, method="klein-huang", weights=W, gradient=z)
    ranked = ts.ik.velocity(model, [[task]], q, weights=W, gradient=z)
    assert np.allclose(ranked.v, classical.v, atol=1e-8)
    assert ranked.status == classical.status == "followed"


def test_inequalities_may_stand_on_any_level():
    model = arm((0.5, 0.5, 0.4))
    q = np.array([0.2, 0.5, 0.4])
    tool = flat_position(ts.frame_pose(model, q, "tool")[:2, 3], velocity=[0.3, 0.1, 0.0])
    slow = ts.ik.LinearInequality(np.eye(3)[:1], upper=0.05, name="first joint is slow")
    after = ts.ik.velocity(model, [[tool], [slow], [ts.tasks.Posture([1.5, 0.5, 0.4])]], q)
    before = ts.ik.velocity(model, [[slow], [tool], [ts.tasks.Posture([1.5, 0.5, 0.4])]], q)
    assert after.residuals[0] < DISTURBANCE
    assert after.residuals[1] < DISTURBANCE  # there is room for both
    assert after.v[0] <= 0.05 + DISTURBANCE
    assert before.v[0] == pytest.approx(0.05)
    stop = ts.ik.LinearInequality(np.eye(3), lower=0.0, upper=0.0)
    assert np.abs(ts.ik.velocity(model, [[stop], [tool]], q).v).max() < DISTURBANCE
    assert ts.ik.velocity(model, [[tool], [stop]], q).residuals[0] < DISTURBANCE


def test_a_corridor_holds_the_centre_of_mass_before_all_tasks():
    model = ts.robots.hrp2()
    q = model.reference.copy()
    feet = [ts.tasks.FramePose(f, ts.frame_pose(model, q, f), gain=50.0) for f in ("l_sole", "r_sole")]
    middle = ts.center_of_mass(model, q)
    corridor = ts.ik.Within(ts.tasks.CenterOfMass(middle), [-0.02, -0.02, -np.inf], [0.02, 0.02, np.inf], rate=20.0)
    hand = ts.tasks.Position("r_hand", ts.frame_pose(model, q, "r_hand")[:3, 3] + [0.5, -0.2, 0.0], gain=4.0)
    furthest = 0.0
    for _ in range(60):
        answer = ts.ik.velocity(model, [feet, [hand]], q, limits=True, inequalities=corridor, dt=0.02)
        q = model.integrate(q, answer.v, 0.02)
        furthest = max(furthest, np.abs(ts.center_of_mass(model, q) - middle)[:2].max())
    assert 0.018 < furthest < 0.0205
    assert any("CenterOfMass" in name for name in answer.active)


def test_rows_that_cannot_hold_together_are_named_and_limits_hold_all_the_same():
    model = arm()
    q = np.array([0.2, 0.5])
    one = ts.ik.LinearInequality([[1.0, 1.0]], lower=5.0, name="fast")
    answer = ts.ik.velocity(
        model, flat_position([0.5, 0.2]), q, limits=ts.ik.Limits(velocity=1.0), inequalities=one, dt=DT
    )
    assert answer.status == "infeasible"
    assert answer.conflict == ("limits of 'joint1'", "limits of 'joint2'", "fast 0")
    assert "fast 0" in answer.reason
    assert np.allclose(answer.v, [1.0, 1.0], atol=1e-9)  # as near as the limits allow
    other = ts.ik.LinearInequality([[1.0, 1.0]], upper=-1.0, name="back")
    third = ts.ik.LinearInequality([[1.0, -1.0]], upper=0.1, name="harmless")
    named = ts.ik.velocity(model, flat_position([0.5, 0.2]), q, inequalities=[one, third, other]).conflict
    assert named == ("fast 0", "back 0")


def test_status_tells_whether_the_first_level_moves_as_asked():
    model, q = arm(), np.array([0.2, 0.5])
    tool = flat_position(ts.frame_pose(model, q, "tool")[:2, 3], velocity=[0.0, 0.2, 0.0])
    free = ts.ik.velocity(model, tool, q, limits=ts.ik.Limits(velocity=5.0), dt=DT)
    slow = ts.ik.velocity(model, tool, q, limits=ts.ik.Limits(velocity=0.1), dt=DT)
    assert (free.status, slow.status) == ("followed", "held back")
    assert free.active == ()
    assert set(slow.active) <= {"limits of 'joint1'", "limits of 'joint2'"}
    assert slow.active
    assert slow.residuals[0] > 1e-3


def test_batches_are_the_same_as_one_by_one():
    model = ts.robots.crops9()
    rng = np.random.default_rng(9)
    q, goals = model.random(rng, (2, 3)), ts.frame_pose(model, model.random(rng, (3,)), "tool")
    inside = ts.ik.Within(ts.tasks.Position("link6", [0.0, 0.0, 1.0]), -5.0, 5.0)
    levels = [[ts.tasks.FramePose("tool", goals), inside], [ts.tasks.Posture()]]
    answer = ts.ik.velocity(model, levels, q, limits=True, dt=DT)
    assert answer.v.shape == (2, 3, model.nv)
    assert answer.residuals.shape == (2, 3, 3)
    assert answer.status.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        own = [[ts.tasks.FramePose("tool", goals[j]), inside], [ts.tasks.Posture()]]
        one = ts.ik.velocity(model, own, q[i, j], limits=True, dt=DT)
        assert np.array_equal(one.v, answer.v[i, j])
        assert one.status == answer.status[i, j]


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ([], "tasks is empty"),
        ([[]], "level 0 of the tasks is empty"),
        ([[ts.tasks.Posture()], []], "level 1 of the tasks is empty"),
        ([[ts.tasks.Posture(), 3]], "level 0 of the tasks holds 3"),
        ([[ts.tasks.Posture(weight=0.0)]], "nothing is asked for"),
    ],
)
def test_empty_and_foreign_levels_are_refused_by_name(levels, told):
    with pytest.raises(ArgumentError, match=told):
        ts.ik.velocity(arm(), levels, [0.0, 0.1], limits=True, dt=DT)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"inequalities": [3]}, "inequalities holds 3"),
        ({"collision": 3}, "scene of Avoidance is 3"),
        ({"limits": True, "dt": DT, "method": "klein-huang"}, "'damped'"),
        ({"limits": True, "dt": -1.0}, "dt is -1.0"),
        ({"inequalities": ts.ik.LinearInequality([[1.0]])}, "A of LinearInequality"),
    ],
)
def test_options_that_do_not_fit_are_refused_by_name(options, told):
    with pytest.raises(ArgumentError, match=told):
        ts.ik.velocity(arm(), flat_position([0.5, 0.2]), [0.0, 0.1], **options)


def test_a_model_without_freedoms_is_refused_by_name():
    builder = ts.ModelBuilder("stone")
    builder.add_link("stone", inertia=ts.Inertia(1.0, [0, 0, 0], np.eye(3)))
    with pytest.raises(ArgumentError, match="'stone' has no freedoms"):
        ts.ik.velocity(builder.build(), ts.tasks.Position("stone", [0, 0, 1.0]), [], limits=True, dt=DT)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: ts.ik.Within(3, -1, 1), "task of Within"),
        (lambda: ts.ik.Within(ts.tasks.Posture(), -1, 1, rate=0.0), "rate of Within"),
        (lambda: ts.ik.LinearInequality([[1.0]], lower=1.0, upper=0.0), "lower of LinearInequality"),
        (lambda: ts.ik.LinearInequality([[1.0]], lower=np.nan), "lower of LinearInequality"),
        (lambda: ts.ik.LinearInequality([[np.nan]]), "A of LinearInequality"),
    ],
)
def test_inequalities_of_bad_numbers_are_refused_by_name(make, told):
    with pytest.raises(ArgumentError, match=told):
        make()


def test_gains_of_levels_that_are_too_large_for_the_step_are_warned_of():
    with pytest.warns(KinematicsWarning, match="gain 300"):
        ts.ik.velocity(arm(), [[flat_position([0.5, 0.2], gain=300.0)]], [0.3, 0.4], dt=DT)
