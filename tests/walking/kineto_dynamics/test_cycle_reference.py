"""Inverse kineto-dynamics in the cycle of the controller."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.simulation.push import Push
from tarsus.walking import Walker
from tarsus.walking.kineto_dynamics.cycle_reference import CycleReference
from tarsus.walking.kineto_dynamics.kineto_walk_plan import holding_gain
from tarsus.walking.kineto_dynamics.moment_feedback import MomentFeedback
from tarsus.walking.reference.posture_path import sole_poses
from tarsus.walking.stabilizer.base_reference import CycleGoal

EXACT = 1e-9
"""Of the pressure by inverse dynamics [m]."""
NEAR = 0.01
"""Of the base from that of a plan by inverse kinematics, whose contact moment is another one [m]."""


@pytest.fixture(scope="module")
def walk():
    return Walker(ts.robots.lola()).plan(0.3, steps=2)[0]


def goals(plan, moved=0.0):
    """A plan as the controller tells it, on feet that stand a way further to the left [m]."""
    soles = [np.array(sole_poses(plan.biped, plan.feet, side)) for side in (0, 1)]
    way = np.array([0.0, moved])
    rate = plan.omega * (plan.divergent - plan.com[:, :2])
    for k, q in enumerate(plan.q):
        own = [X[k].copy() for X in soles]
        for X in own:
            X[:2, 3] += way
        base = q[:7].copy()
        base[:2] += way
        yield CycleGoal(base, q, plan.v[k], own, list(plan.feet.standing[k]), plan.pressure[k] + way,
                        plan.com[k, :2] + way, rate[k], float(plan.com[k, 2]), False)  # fmt: skip


def pressure_of(robot):
    """By inverse dynamics of the robot that exists as numbers, shape (2,) [m]."""
    wrench = ts.inverse_dynamics(robot.model, robot.q, robot.v, robot.vdot)[:6]
    X = ts.frame_pose(robot.model, robot.q, next(iter(robot.model.bodies)))
    force, moment = X[:3, :3] @ wrench[:3], X[:3, :3] @ wrench[3:]
    moment = moment + np.cross(X[:3, 3], force)
    return np.array([-moment[1], moment[0]]) / force[2]


def test_base_follows_a_plan_and_its_pressure_is_that_which_was_told(walk):
    reference, asked = CycleReference(walk.biped, walk.q[0], walk.dt), []
    robot = reference.robot
    advance = robot.advance

    def watched():
        assert np.abs(pressure_of(robot) - reference.pressure).max() < EXACT
        asked.append(reference.pressure)
        advance()

    robot.advance = watched
    found = np.array([reference.base(goal) for goal in goals(walk)])
    assert reference.restarts == 0
    assert np.abs(found[:, :3] - walk.q[:, :3]).max() < NEAR
    change = np.array(asked) - walk.pressure
    assert np.abs(change).max() > 1e-3  # feedback has something to do
    for k, p in enumerate(asked):
        corners = np.concatenate(
            [
                (leg.corners + walk.feet.place[k, side, :3])[:, :2]
                for side, leg in enumerate(walk.biped.legs)
                if walk.feet.standing[k, side]
            ]
        )
        assert (p > corners.min(axis=0) - EXACT).all() and (p < corners.max(axis=0) + EXACT).all()


def test_feet_that_stand_elsewhere_move_the_base_with_them(walk):
    both = []
    for moved in (0.0, 0.02):
        reference = CycleReference(walk.biped, walk.q[0] + [0.0, moved, *[0.0] * (walk.q.shape[1] - 2)], walk.dt)
        both.append([reference.base(goal) for goal in goals(walk, moved)][-1])
    np.testing.assert_allclose(both[1][:3] - both[0][:3], [0.0, 0.02, 0.0], atol=1e-6)


def test_what_legs_cannot_reach_is_counted_and_the_plan_is_taken(walk):
    reference = CycleReference(walk.biped, walk.q[0], walk.dt)
    goal = next(iter(goals(walk)))
    far = [X + np.array([[0, 0, 0, 1.0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]) for X in goal.soles]
    np.testing.assert_array_equal(reference.base(goal._replace(soles=far)), goal.base)
    assert reference.restarts == 1
    assert np.abs(reference.base(goal)[:3] - goal.base[:3]).max() < 1e-3


@pytest.mark.parametrize(("rate", "kp"), [(10.9, 27.2), (33.0, 82.5)])
def test_gain_that_holds_alone_is_above_the_pendulum_whatever_its_height(rate, kp):
    found = MomentFeedback.holding(rate)
    assert found.kp == pytest.approx(kp, rel=0.01) and found.kp > rate
    assert found.kd == pytest.approx(2 * 0.85 * np.sqrt(found.kp))


def test_gain_that_holds_alone_is_that_of_the_text_for_lola(plan):
    assert holding_gain(plan) == pytest.approx(1e-3, rel=0.1)


def test_lola_follows_commands_by_inverse_kineto_dynamics():
    commands = [(0.0, 0.3, 0.0, 0.0), (2.0, 0.1, 0.0, 0.3), (4.0, 0.0, 0.0, 0.0)]
    done = Walker(ts.robots.lola(), method="ikd").walk(command=commands)
    assert done.passed, done.reason
    assert done.turned > 0.3
    assert done.trajectory.signals["reference_restarts"].max() == 0


@pytest.mark.long
@pytest.mark.parametrize("force", [(0.0, 160.0, 0.0), (0.0, -200.0, 0.0), (250.0, 0.0, 0.0)])
def test_lola_is_pushed_while_she_walks_by_inverse_kineto_dynamics(force):
    """Steps are moved to catch her, and the reference goes with them. From 200 N to the left she falls."""
    done = Walker(ts.robots.lola(), method="ikd").walk(0.3, steps=6, pushes=[Push("pelvis", force, 4.0, 0.1)])
    assert done.passed, done.reason
