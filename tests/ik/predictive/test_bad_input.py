"""What cannot be done is told: by an error that names it, or by status and reason."""

import numpy as np
import pytest
from ik.predictive.predictive_cases import DT, STEPS, ball, case, rods
from loop_models import mechanism

import tarsus as ts
from tarsus.collision import CollisionModel
from tarsus.errors import (
    ArgumentError,
    ClosureError,
    KinematicsWarning,
    NonFiniteError,
    ShapeError,
    TarsusError,
    UnknownNameError,
)
from tarsus.ik import predictive
from tarsus.tasks import CenterOfMass, LookAt, Position


def finite(plan):
    return all(np.isfinite(x).all() for x in (plan.q, plan.v, plan.u, plan.task_error, plan.damping, plan.cost))


def line(start, end, steps=STEPS, **keywords):
    way = np.linspace(0.0, 1.0, steps + 1)[:, None] * (np.asarray(end) - start)
    return Position("tool", start + way, axes=[True, True, False], **keywords)


@pytest.mark.parametrize("make", ["optimize", "follow", "local"])
def test_a_path_out_of_reach_is_told_with_the_damping(make):
    c = case("planar4")
    start = ts.frame_pose(c.model, c.q0, "tool")[:3, 3]
    task = line(start, [4.0, 0.0, 0.1], 100)  # the arm is 2 m long
    more = {"horizon": 0.4} if make == "follow" else {}
    motion = getattr(predictive, make)(c.model, task, c.q0, dt=DT, **more)
    assert finite(motion) and not motion.success
    assert motion.task_error[-1] > 1.9
    assert motion.damping.max() > 0
    assert "tasks are missed by" in motion.reason and "singularity" in motion.reason


def test_a_singular_start_is_damped():
    c = case("planar4")
    q0 = np.zeros(4)
    plan = predictive.optimize(c.model, line(np.array([2.0, 0.0, 0.1]), [1.6, 0.3, 0.1]), q0, dt=DT, iterations=50)
    assert finite(plan) and plan.damping[0] > 0


def test_a_start_in_collision_is_told():
    c = case("planar4")
    volumes = rods("link1", "link2", "link3", "link4", length=(0.5, 0.0, 0.0), radius=0.045)
    scene = CollisionModel(
        c.model, volumes, [ball(*ts.frame_pose(c.model, c.q0, "link3")[:3, 3], 0.1)], include=["ball"]
    )
    costs = predictive.Costs(collision=predictive.CollisionCost(scene, 10.0))
    plan = predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs)
    assert finite(plan) and not plan.success
    assert "the start is in collision" in plan.reason and "ball" in plan.reason


def test_a_collision_on_the_way_is_told():
    c = case("planar4")
    start = c.targets[0]
    volumes = rods("link1", "link2", "link3", "link4", length=(0.5, 0.0, 0.0), radius=0.045)
    scene = CollisionModel(c.model, volumes, [ball(*(start - np.array([0.0, 0.4, 0.0])), 0.1)], include=["ball"])
    costs = predictive.Costs(collision=predictive.CollisionCost(scene, 1e-3))
    plan = predictive.optimize(c.model, line(start, start - np.array([0.0, 0.5, 0.0])), c.q0, dt=DT, costs=costs)
    assert not plan.success and "collision by" in plan.reason and "at t =" in plan.reason


def test_limits_that_are_passed_are_told():
    c = case("planar4")
    q0 = c.model.q_max * np.array([0.0, 0.0, 0.0, 0.99])
    start = ts.frame_pose(c.model, q0, "tool")[:3, 3]
    plan = predictive.local(c.model, line(start, start - np.array([0.4, 0.0, 0.0])), q0, dt=DT)
    assert plan.beyond_limits > 0 and "beyond its limit" in plan.reason


def test_a_cost_that_does_not_fall_ends_the_search():
    c = case("planar4")
    still = Position("tool", np.tile(c.targets[0], (STEPS + 1, 1)), axes=[True, True, False])
    plan = predictive.optimize(c.model, still, c.q0, dt=DT)  # nothing is better than rest
    assert plan.status == "converged" and plan.iterations == 0 and plan.cost < 1e-20
    assert plan.success


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"dt": 0.0}, ArgumentError, "dt is"),
        ({"dt": np.nan}, ArgumentError, "dt is"),
        ({"duration": 0.001}, ArgumentError, "shorter than a step"),
        ({"duration": 5.0}, ArgumentError, "duration is 5.0"),
        ({"q0": [0.0, np.nan, 0.0, 0.0]}, NonFiniteError, "q"),
        ({"q0": np.zeros((2, 4))}, ShapeError, "q0: found shape"),
        ({"level": "jerk"}, UnknownNameError, "level 'jerk'"),
        ({"method": "newton"}, UnknownNameError, "method 'newton'"),
        ({"step": -1.0}, ArgumentError, "step is"),
        ({"bound": 0.0}, ArgumentError, "bound is"),
        ({"bound": [1.0, 2.0]}, ArgumentError, "bound is"),
        ({"iterations": -1}, ArgumentError, "iterations is"),
        ({"iterations": 2.5}, ArgumentError, "iterations is"),
        ({"tolerance": np.inf}, ArgumentError, "tolerance is"),
        ({"guess": np.zeros((3, 4))}, ShapeError, "guess: found shape"),
        ({"guess": np.full((STEPS, 4), np.inf)}, NonFiniteError, "guess"),
        ({"u0": np.zeros(3)}, ShapeError, "u0: found shape"),
        ({"costs": 3.0}, ArgumentError, "costs is"),
        ({"costs": predictive.Costs(velocity_scale=[1.0, 1.0])}, ShapeError, "velocity_scale"),
        ({"costs": predictive.Costs(posture=predictive.PostureCost(joints="q9"))}, UnknownNameError, "'q9'"),
        ({"tasks": LookAt("tool", np.zeros(3), axis=(1, 0, 0))}, ArgumentError, "LookAt"),
        ({"tasks": Position("tool", np.zeros((5, 3)), reference="link1")}, ArgumentError, "Position"),
        ({"tasks": Position("tool", np.zeros(3))}, ShapeError, "batch shape"),
        ({"tasks": Position("tool", np.zeros((1, 3)))}, ShapeError, "batch shape"),
        ({"tasks": lambda t: Position("tool", np.zeros(3))}, ArgumentError, "duration is None"),
        ({"tasks": Position("tool", np.zeros((5, 3)), weight=0.0)}, ArgumentError, "weights"),
        ({"tasks": Position("tool", np.zeros((5, 3)), weight=[1.0, 1.0, 0.0])}, ArgumentError, "weights"),
        ({"tasks": []}, ArgumentError, "tasks is empty"),
        ({"tasks": Position("hand", np.zeros((5, 3)))}, UnknownNameError, "'hand'"),
    ],
)
def test_wrong_arguments_are_named(keywords, error, words):
    c = case("planar4")
    given = {"tasks": c.task, "q0": c.q0, "dt": DT, **keywords}
    with pytest.raises(error, match=words):
        predictive.optimize(c.model, given.pop("tasks"), given.pop("q0"), **given)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda c: predictive.Costs(velocity=0.0), "velocity of Costs"),
        (lambda c: predictive.Costs(velocity=np.nan), "velocity of Costs"),
        (lambda c: predictive.Costs(limits=1.0), "limits of Costs"),
        (lambda c: predictive.LimitCost(activation=0.7), "activation of LimitCost"),
        (lambda c: predictive.LimitCost(kind="linear"), "kind 'linear'"),
        (lambda c: predictive.CollisionCost(c.scene, activation=0.0), "activation of CollisionCost"),
        (lambda c: predictive.CollisionCost(c.scene, switch=1.0), "switch of CollisionCost"),
        (lambda c: predictive.CollisionCost("scene"), "scene of CollisionCost"),
        (lambda c: predictive.PostureCost(-1.0), "weight of PostureCost"),
    ],
)
def test_wrong_costs_are_named(make, words):
    with pytest.raises(TarsusError, match=words):
        make(case("planar4"))


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"horizon": 0.001}, "horizon is 0.001 s, shorter than a step"),
        ({"horizon": 0.033}, "multiple of dt"),
        ({"horizon": np.nan}, "horizon is nan"),
        ({"horizon": "long"}, "horizon is 'long'"),
        ({"horizon": 0.1, "cycle": 0.2}, "longer than the horizon"),
        ({"horizon": 0.1, "iterations": 0}, "iterations is 0"),
    ],
)
def test_wrong_horizons_are_named(keywords, words):
    c = case("planar4")
    with pytest.raises(ArgumentError, match=words):
        predictive.follow(c.model, c.task, c.q0, dt=DT, **keywords)


def test_scenes_of_other_models_and_models_without_freedoms_are_refused():
    c = case("planar4")
    costs = predictive.Costs(collision=predictive.CollisionCost(case("crops9").scene))
    with pytest.raises(ArgumentError, match="crops9"):
        predictive.optimize(c.model, c.task, c.q0, dt=DT, costs=costs)
    stiff = c.model.locked({f"q{k}": 0.0 for k in range(1, 5)})
    with pytest.raises(ArgumentError, match="nv = 0"):
        predictive.optimize(stiff, c.task, stiff.neutral(), dt=DT)


def test_gains_that_do_not_settle_are_warned_of():
    c = case("planar4")
    with pytest.warns(KinematicsWarning, match="gain 200"):
        predictive.local(c.model, line(c.targets[0], c.targets[-1], gain=200.0), c.q0, dt=DT)


def test_numbers_that_overflow_are_told():
    c = case("planar4")
    guess = np.full((STEPS, 4), 1e160)
    for level in ("velocity", "acceleration"):
        with pytest.raises(ArgumentError, match="numbers overflow"):
            predictive.optimize(c.model, c.task, c.q0, dt=DT, guess=guess, level=level)


def test_a_path_of_one_step_is_a_path():
    c = case("crops9")
    one = Position("tool", c.targets[:2])
    for level in ("velocity", "acceleration"):
        motion = predictive.follow(c.model, one, c.q0, dt=DT, horizon=DT, costs=c.costs("cubic"), level=level)
        assert motion.success and len(motion.q) == 2


def far(name):
    """A mechanism whose centre of mass shall go to where it cannot be."""
    model = mechanism(name)
    axis = int(np.argmax(np.abs(ts.com_jacobian(model, model.reference)).sum(axis=1)))
    way = np.linspace(0, 1, 40)[:, None] * 20.0
    task = CenterOfMass(ts.center_of_mass(model, model.reference) + way, axes=[k == axis for k in range(3)])
    return model, task, model.reference


def test_a_loop_that_does_not_close_on_the_way_is_told():
    model, task, q0 = far("ankle")
    motion = predictive.follow(model, task, q0, dt=0.05, horizon=0.5)
    assert motion.status == "stopped" and 1 < len(motion.q) < 40
    assert finite(motion) and not motion.success and "does not close" in motion.reason
    model, task, q0 = far("ball rod")
    for make, more in ((predictive.follow, {"horizon": 0.5}), (predictive.optimize, {}), (predictive.local, {})):
        with pytest.raises(ClosureError, match="a loop does not close"):
            make(model, task, q0, dt=0.05, **more)


@pytest.mark.parametrize("make", ["optimize", "follow", "local"])
def test_tasks_with_unequal_numbers_of_samples_are_refused(make):
    c = case("planar4")
    start = ts.frame_pose(c.model, c.q0, "tool")[:3, 3]
    tasks = [line(start, start, 9), line(start, start, 6)]
    more = {"horizon": 0.1} if make == "follow" else {}
    with pytest.raises(ShapeError, match=r"batch shapes \(10,\) and \(7,\); expected as many samples of each"):
        getattr(predictive, make)(c.model, tasks, c.q0, dt=DT, **more)
    with pytest.raises(ArgumentError, match="dt is 'fast'"):
        getattr(predictive, make)(c.model, tasks[0], c.q0, dt="fast", **more)
