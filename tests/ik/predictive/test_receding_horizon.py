"""Horizons that move along with the robot."""

from itertools import pairwise

import numpy as np
import pytest
from ik.predictive.predictive_cases import DT, STEPS, case

import tarsus as ts
from tarsus.ik import predictive
from tarsus.tasks import Position

CONTINUOUS = 1e-9  # [rad/s] between the end of a cycle and the start of the next one


def long_case(arm="planar4", parts=4):
    """The same line, further."""
    c = case(arm)
    s = np.linspace(0.0, parts, parts * STEPS + 1)[:, None]
    targets = c.targets[0] + s * (c.targets[-1] - c.targets[0])
    return c, Position(c.frame, targets, axes=[k in c.axes for k in range(3)])


def test_a_horizon_as_long_as_the_path_gives_the_optimum_of_the_path():
    c = case("planar4")
    costs = c.costs("cubic")
    best = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs, iterations=1000, tolerance=1e-13)
    motion = predictive.follow(
        c.model, c.task, c.q0, dt=DT, costs=costs, horizon=STEPS * DT, iterations=50, first_iterations=1000
    )
    assert abs(motion.parts["velocity"] - best.parts["velocity"]) <= 1e-3 * best.parts["velocity"]
    assert abs(motion.cost - best.cost) <= 1e-6 * best.cost
    assert np.allclose(motion.q, best.q, rtol=0, atol=1e-2)


@pytest.mark.parametrize("taken", [1, 5])
def test_velocities_are_continuous_with_the_augmented_state(taken):
    c, task = long_case()
    costs = c.costs("cubic")
    jumps = {}
    for level in ("velocity", "acceleration"):
        motion = predictive.follow(
            c.model, task, c.q0, dt=DT, costs=costs, horizon=0.3, cycle=taken * DT, level=level, iterations=2, keep=True
        )
        plans = motion.plans
        jumps[level] = max(
            np.abs(after.v[0] - before.v[taken]).max() for before, after in pairwise(plans) if len(before.v) > taken
        )
        for before, after in pairwise(plans):
            assert np.array_equal(before.q[taken], after.q[0])
    assert jumps["acceleration"] <= CONTINUOUS
    assert jumps["velocity"] > 1e-3  # what the augmented state is there for


def test_what_is_carried_out_are_the_first_steps_of_the_plans():
    c, task = long_case("crops9", 2)
    motion = predictive.follow(
        c.model, task, c.q0, dt=DT, costs=c.costs("cubic"), horizon=0.4, cycle=3 * DT, iterations=3, keep=True
    )
    assert motion.status == "followed" and len(motion.q) == 2 * STEPS + 1
    for k, plan in enumerate(motion.plans):
        part = motion.q[3 * k : 3 * k + 4]
        assert np.allclose(plan.q[: len(part)], part, rtol=0, atol=1e-9)
        assert plan.t[0] == pytest.approx(motion.t[3 * k])
    assert (motion.iterations <= 3).all() and len(motion.iterations) == len(motion.plans)
    assert motion.task_error.max() < 1e-3


def test_a_warm_start_costs_no_more_than_what_it_begins_with():
    c, task = long_case("crops9")
    path = predictive.task_path(c.model, task, DT, None)
    receding = predictive.RecedingHorizon(c.model, c.costs("cubic"), iterations=4)
    q = c.q0
    for k in range(10):
        plan = receding.cycle(path.window(k, 30), q)
        assert plan.history[-1] <= plan.history[0]
        cold = predictive.optimize(
            c.model,
            Position("tool", path.target[k : k + 31]),
            q,
            dt=DT,
            costs=c.costs("cubic"),
            iterations=0,
        )
        if k > 0:
            assert plan.history[0] < cold.cost  # than without anything known
        q = plan.q[1]


def test_robots_on_floating_bases_follow_too():
    model = ts.robots.hrp2()
    p = ts.frame_pose(model, model.reference, "r_hand")[:3, 3] + np.linspace(0, 1, 21)[:, None] * [0.05, 0.0, 0.05]
    com = np.tile(ts.center_of_mass(model, model.reference), (21, 1))
    motion = predictive.follow(
        model, [Position("r_hand", p), ts.tasks.CenterOfMass(com)], model.reference, dt=0.02, horizon=0.2
    )
    assert motion.task_error.max() < 1e-3
    assert np.allclose(np.linalg.norm(motion.q[:, 3:7], axis=1), 1.0, rtol=0, atol=1e-12)
