"""Walkers whose joints come from inverse kineto-dynamics, by a word."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import PlanningError, UnknownNameError
from tarsus.scenarios.model_errors import heavier
from tarsus.walking import Walker
from tarsus.walking.kineto_dynamics.kineto_walk_plan import METHODS, kineto_walk_plan
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Gait

GROWING = (0.2, 0.4, 0.4, 0.45, 0.5, *[0.55] * 33, 0.4, 0.2)
"""Steps of the text's experiments, 0.40 m growing to 0.55 m, for 20 m [m]."""
SIMILAR = 1.1
"""Inclination of the upper body by inverse kineto-dynamics, in that by inverse kinematics."""


def stepped(biped, lengths):
    """Footsteps straight ahead; the last one brings the feet together."""
    half = biped.width / 2
    feet = [Footstep(True, np.array([0.0, half, 0.0]), 0.0), Footstep(False, np.array([0.0, -half, 0.0]), 0.0)]
    for x in (*np.cumsum(lengths), sum(lengths)):
        left = not feet[-1].left
        feet.append(Footstep(left, np.array([x, half if left else -half, 0.0]), 0.0))
    return feet


def inclination(outcome, frame="torso"):
    """Root mean square of the upper body's inclination, forward and sideways [rad]."""
    model = outcome.biped.model
    up = ts.frame_pose(model, outcome.biped.q, frame)[:3, :3].T[:, 2]
    n = ts.frame_pose(model, outcome.trajectory.q, frame)[:, :3, :3] @ up
    return np.sqrt(np.mean(n[:, :2] ** 2, axis=0))


def test_lola_walks_by_inverse_kineto_dynamics_and_has_the_pressure_she_planned():
    walker = Walker(ts.robots.lola(), method="ikd")
    done = walker.walk(speed=0.3, steps=2)
    assert done.passed, done.reason
    assert np.abs(done.plan.pressure_error).max() < 1e-9
    assert done.distance > 0.3


@pytest.mark.parametrize("method", [name for name in METHODS if name != "ikd"])
def test_every_word_plans_a_walk_on_the_same_feet(method):
    walker = Walker(ts.robots.lola(), step_time=0.8, method=method)
    feet = stepped(walker.biped, (0.15,))
    plan, _ = walker.plan(footsteps=feet)
    assert plan.footsteps == tuple(feet)
    sole = ts.frame_pose(plan.biped.model, plan.q[-1], plan.biped.legs[0].sole)
    assert sole[:3, 3] == pytest.approx([0.15, plan.biped.width / 2, 0.0], abs=1e-3)
    exact = method.startswith("ikd")
    assert (np.abs(plan.pressure_error).max() < 1e-9) == exact


def test_unknown_words_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="ikd"):
        Walker(ts.robots.lola(), method="idk")
    walker = Walker(ts.robots.lola())
    with pytest.raises(UnknownNameError, match="preview"):
        kineto_walk_plan(walker.biped, stepped(walker.biped, (0.1,)), Gait(0.8), 0.05, "preveiw")


def test_joints_that_would_leave_their_limits_are_named():
    """An upper body that is stiff cannot help ankles over steps of half a metre."""
    walker = Walker(ts.robots.lola())
    low = walker.biped.bent(0.12)
    half = low.legs[0].half
    gait = Gait(0.8, 0.2, (float(half[0]), float(half[1])), settling=0.8)
    with pytest.raises(PlanningError, match="beyond its limit|off by|from the plan"):
        kineto_walk_plan(low, stepped(low, (0.3, 0.6, 0.6)), gait, 0.05, "ikd", ratio=0.055)


@pytest.mark.long
def test_hrp2_walks_a_curve_by_inverse_kineto_dynamics():
    done = Walker(ts.robots.hrp2(), method="ikd").walk(speed=0.1, turn=0.2, steps=3)
    assert done.passed, done.reason
    assert np.abs(done.plan.pressure_error).max() < 1e-9 and done.turned > 0.2


def walked(method, error, **options):
    """Inclination of Lola on twenty metres of growing steps, of another mass than the walker knows [rad]."""
    walker = Walker(ts.robots.lola(), step_time=0.8, clearance=0.05, method=method)
    feet = stepped(walker.biped, GROWING)
    done = walker.walk(footsteps=feet, simulated=heavier(walker.biped.model, error), **options)
    assert done.passed, done.reason
    assert done.distance > 20.0
    return inclination(done)


@pytest.mark.long
def test_lola_walks_twenty_metres_of_growing_steps_heavier_than_known_and_leans_no_more_than_by_clik():
    assert (walked("ikd", 0.05) < SIMILAR * walked("clik", 0.05)).all()


@pytest.mark.long
def test_lola_walks_twenty_metres_on_noisy_sensors_and_leans_less_than_by_clik():
    """Noise of sensors and a mass that is 5 % off, either way; with one seed clik can be the better one by chance."""
    runs = (0, 0.05), (1, -0.05)
    by_ikd, by_clik = (
        np.mean([walked(method, error, sensed=True, seed=seed) for seed, error in runs], axis=0)
        for method in ("ikd", "clik")
    )
    assert (by_ikd < 0.9 * by_clik).all()
