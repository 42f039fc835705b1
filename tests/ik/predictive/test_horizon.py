"""One horizon: motions, costs, adjoints and gradients against the written equations and finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from ik.predictive.predictive_cases import DT, STEPS, case
from ik.predictive.slow_horizon import directional
from loop_models import mechanism
from sample_models import zoo

import tarsus as ts
from tarsus.collision import CollisionModel
from tarsus.ik import predictive
from tarsus.spatial import rotation_matrix_from_rotation_vector
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Posture

ARMS = ("planar4", "crops9", "panda")
KINDS = (None, "quadratic", "cubic", "piecewise")
AGREES = 1e-10  # of numbers of order one after some tens of steps; the oracle inverts matrices
BY_DIFFERENCES = 1e-7  # relative, of a derivative along a random direction
WIDTHS = (1e-3, 3e-4, 1e-4)  # of differences: the best balance of truncation and rounding differs from robot to robot


def evaluated(model, tasks, q0, costs, inputs, level="velocity", u0=None, dt=DT):
    return predictive.optimize(model, tasks, q0, dt=dt, costs=costs, guess=inputs, iterations=0, level=level, u0=u0)


def assert_gradient(model, tasks, q0, costs, level="velocity", steps=STEPS, dt=DT, seed=3):
    rng = np.random.default_rng(seed)
    inputs, way = 0.3 * rng.normal(size=(steps, model.nv)), rng.normal(size=(steps, model.nv))
    u0 = 0.2 * rng.normal(size=model.nv)
    plan = evaluated(model, tasks, q0, costs, inputs, level, u0, dt)
    slope = dt * float((plan.gradient * way).sum())

    def cost(x):
        return evaluated(model, tasks, q0, costs, x, level, u0, dt).cost

    assert abs(slope) > 1e-6
    assert min(abs(directional(cost, inputs, way, h) - slope) for h in WIDTHS) <= BY_DIFFERENCES * abs(slope)
    return plan


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arm", ARMS)
def test_costs_adjoints_and_gradients_are_those_of_the_written_equations(arm, kind):
    c, rng = case(arm), np.random.default_rng(1)
    slow = c.slow(kind)
    inputs, u0 = 0.4 * rng.normal(size=(STEPS, c.model.nv)), 0.3 * rng.normal(size=c.model.nv)
    for level, start in (("velocity", None), ("acceleration", u0)):
        plan = evaluated(c.model, c.task, c.q0, c.costs(kind), inputs, level, u0)
        q, u = slow.states(c.q0, inputs, start)
        g, adjoint = slow.gradient(c.q0, inputs, start)
        assert np.allclose(plan.q, q, rtol=0, atol=AGREES) and np.allclose(plan.u, u, rtol=0, atol=AGREES)
        assert abs(plan.cost - slow.cost(c.q0, inputs, start)) <= AGREES * plan.cost
        assert np.allclose(plan.adjoint, adjoint, rtol=0, atol=AGREES * np.abs(adjoint).max())
        assert np.allclose(plan.gradient, g, rtol=0, atol=AGREES * np.abs(g).max())
        assert (plan.parts["collision"] > 1e-3) == (kind is not None)
        assert plan.parts["limits"] > 1e-6 and plan.parts["posture"] > 1e-6
        assert abs(sum(plan.parts.values()) - plan.cost) <= AGREES * plan.cost


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arm", ARMS)
def test_gradients_are_those_of_finite_differences(arm, kind, level):
    c = case(arm)
    assert_gradient(c.model, c.task, c.q0, c.costs(kind), level)


def turning(model, q0, frame, steps):
    """A pose that moves and turns."""
    s = np.linspace(0.0, 1.0, steps + 1)[:, None]
    X = np.tile(ts.frame_pose(model, q0, frame), (steps + 1, 1, 1))
    X[:, :3, 3] += s * np.array([0.03, -0.03, 0.02])
    X[:, :3, :3] = rotation_matrix_from_rotation_vector(s * np.array([0.3, -0.2, 0.5])) @ X[:, :3, :3]
    return X


def test_gradients_of_poses_with_axes_left_out_and_of_starts_beside_the_path():
    c = case("crops9")
    X = turning(c.model, c.q0, "tool", STEPS)
    beside = c.q0 + 0.05 * np.random.default_rng(0).normal(size=9)
    plan = assert_gradient(
        c.model, FramePose("tool", X, axes=[True, True, True, False, True, True]), beside, c.costs("cubic")
    )
    assert plan.task_error[0] > 0.02
    assert_gradient(c.model, Orientation("tool", X[:, :3, :3]), beside, c.costs(None), "acceleration")


def test_gradients_of_several_tasks_at_once():
    c = case("crops9")
    com = ts.center_of_mass(c.model, c.q0) + np.linspace(0, 1, STEPS + 1)[:, None] * np.array([0.02, 0.03, 0.01])
    tasks = [c.task, CenterOfMass(com, axes=[True, True, False]), Posture(np.tile(c.q0, (STEPS + 1, 1)), joints=["q9"])]
    assert_gradient(c.model, tasks, c.q0, c.costs("piecewise"))


def test_gradients_where_damping_acts_and_changes():
    model = ts.robots.crops9()
    q0 = model.neutral() + 0.03 * np.random.default_rng(1).normal(size=9)  # nearly stretched
    plan = assert_gradient(model, FramePose("tool", turning(model, q0, "tool", 5)), q0, predictive.Costs(), steps=5)
    assert (plan.damping > 0).all() and np.ptp(plan.damping) > 1e-5


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_gradients_of_all_joints_on_every_base(base):
    model = zoo(base=base).build()
    q0 = model.random(np.random.default_rng(1))
    frame = list(model.frames)[-1]
    tasks = [FramePose(frame, turning(model, q0, frame, 12))]
    assert_gradient(model, tasks, q0, predictive.Costs(), steps=12)
    assert_gradient(model, tasks, q0, predictive.Costs(), "acceleration", steps=12)


@pytest.mark.parametrize("name", ["serial four-bars", "ball rod", "walker", "differential"])
def test_gradients_of_robots_with_dependent_joints(name):
    model = mechanism(name)
    q0 = model.reference
    axis = int(np.argmax(np.abs(ts.com_jacobian(model, q0)).sum(axis=1)))
    way = np.linspace(0, 1, 13)[:, None] * 0.01
    com = CenterOfMass(ts.center_of_mass(model, q0) + way, axes=[k == axis for k in range(3)])
    assert_gradient(model, com, q0, predictive.Costs(posture=predictive.PostureCost(0.5)), steps=12)


def test_gradients_of_collisions_of_a_humanoid_on_a_free_base():
    model = ts.robots.hrp2()
    scene = CollisionModel(model)
    costs = predictive.Costs(collision=predictive.CollisionCost(scene, 1.0, 0.1, 5.0))
    hand = FramePose("r_hand", turning(model, model.reference, "r_hand", 12))
    com = CenterOfMass(np.tile(ts.center_of_mass(model, model.reference), (13, 1)))
    plan = assert_gradient(model, [hand, com], model.reference, costs, steps=12)
    assert plan.parts["collision"] > 1e-3


def test_velocities_are_those_of_the_damped_pseudoinverse_of_the_velocity_level():
    model, rng = ts.robots.crops9(), np.random.default_rng(4)
    for q0 in (model.reference, model.neutral() + 0.02 * rng.normal(size=9)):
        X = turning(model, q0, "tool", 1)
        u = rng.normal(size=(1, 9))
        plan = evaluated(model, FramePose("tool", X), q0, None, u, dt=0.1)
        rate = np.r_[X[1, :3, 3] - X[0, :3, 3], [0.3, -0.2, 0.5]] / 0.1
        there = ts.ik.velocity(model, FramePose("tool", X[0], velocity=rate), q0, gradient=-u[0])
        assert np.allclose(plan.v[0], there.v, rtol=0, atol=1e-10)
        assert abs(plan.damping[0] - there.damping) <= 1e-14
    assert there.damping > 0


def test_obstacles_of_many_volumes_push_as_a_few_do():
    c = case("crops9")
    rows = np.linspace(0.0, 0.3, 40)
    many = [[[1.0, 0.4, z]] for z in 1.1 + rows]
    obstacles = [
        ts.collision.Obstacle(name, [ts.collision.SweptSphere(v, 0.05) for v in many[k:end]])
        for name, k, end in (("all", 0, 40), ("low", 0, 14), ("middle", 14, 28), ("high", 28, 40))
    ]
    inputs = np.random.default_rng(2).normal(size=(STEPS, 9))
    dense = CollisionModel(c.model, obstacles=obstacles[:1], include=["all"])
    few = CollisionModel(c.model, obstacles=obstacles[1:], include=["low", "middle", "high"])
    found = []
    for scene in (dense, few):
        costs = predictive.Costs(collision=predictive.CollisionCost(scene, 1.0, 0.3))
        found.append(evaluated(c.model, c.task, c.q0, costs, inputs))
        assert found[-1].parts["collision"] > 0
    # the smallest of three potentials' sums is that of the nearest alone
    assert found[0].parts["collision"] <= found[1].parts["collision"] + 1e-12
    assert_gradient(c.model, c.task, c.q0, predictive.Costs(collision=predictive.CollisionCost(dense, 1.0, 0.3)))


def test_terrains_push_what_is_far_below_them():
    arm = case("planar4")
    roof = ts.collision.Obstacle(
        "roof", ts.contact.HeightField(np.zeros((5, 5)), 1.0, origin=(-2, -2)), ts.pose((0, 0, 9))
    )
    c = replace(arm, scene=CollisionModel(arm.model, arm.scene.volumes, [roof], include=["roof"]))
    inputs = 0.4 * np.random.default_rng(6).normal(size=(STEPS, 4))
    plan, slow = evaluated(c.model, c.task, c.q0, c.costs("quadratic"), inputs), c.slow("quadratic")
    assert plan.parts["collision"] > 100
    assert abs(plan.cost - slow.cost(c.q0, inputs, None)) <= AGREES * plan.cost
    assert_gradient(c.model, c.task, c.q0, c.costs("quadratic"))


def test_positions_of_a_frame_are_followed_to_the_order_of_the_step():
    c = case("crops9")
    errors = []
    for parts in (1, 2, 4):
        targets = c.targets[0] + np.linspace(0, 1, STEPS * parts + 1)[:, None] * (c.targets[-1] - c.targets[0])
        plan = predictive.local(c.model, Position("tool", targets, gain=10.0), c.q0, dt=DT / parts)
        errors.append(plan.task_error.max())
    assert errors[0] < 1e-3
    assert 1.7 < errors[0] / errors[1] < 2.3 and 1.7 < errors[1] / errors[2] < 2.3
