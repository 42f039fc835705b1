"""Walks past obstacles in simulation: nothing is touched, and the robot stands at the end."""

import numpy as np
import pytest
from robot_data import robot_data_path
from walking.obstacles.scenes import NEAR, SPEED, box, random_box

import tarsus as ts
from tarsus.errors import ArgumentError, ControlWarning, PlanningError
from tarsus.walking.obstacles import obstacle_walk
from tarsus.walking.obstacles.experiments import CYCLE, STEP_TIME, beam, triangle
from tarsus.walking.obstacles.obstacle_walk import walk_past_obstacles

TALOS = "talos_data/robots/talos_reduced.urdf"
DRIFT = 0.03
"""Of feet from where the plan set them, as in `test_walker.py` [m]."""
UPRIGHT = np.radians(2.0)


def walker(model=None, **options):
    given = {"step_time": STEP_TIME, "clearance": 0.05, "control_dt": CYCLE} | options
    return ts.walking.Walker(ts.robots.lola() if model is None else model, **given)


def check(walk):
    assert walk.passed, str(walk)
    assert walk.distance.min() > 0.0
    assert walk.outcome.tilt < UPRIGHT
    model, biped, q = walk.outcome.biped.model, walk.outcome.biped, walk.outcome.trajectory.q[-1]
    for leg, foot in zip(
        biped.legs, sorted(walk.plan.walk.footsteps[-2:], key=lambda foot: not foot.left), strict=True
    ):
        np.testing.assert_allclose(ts.frame_pose(model, q, leg.sole)[:2, 3], foot.position[:2], atol=DRIFT)


def test_lola_walks_over_the_beam():
    walk = walk_past_obstacles(walker(), [beam(NEAR)], SPEED)
    assert walk.plan.walk.footsteps[-1].position[0] > beam(NEAR).box()[1][0] + 0.5 * walk.outcome.biped.leg
    check(walk)
    assert walk.distance.min() > 0.01
    # The obstacle is a part of the ground, and no contact of a foot was on it.
    run = walk.outcome.trajectory
    low, high = beam(NEAR).box()
    loaded = np.linalg.norm(run.contact_force, axis=-1) > 0.0
    at = run.contact_position[loaded]
    assert not np.all((at > low - 1e-3) & (at < high + 1e-3), axis=-1).any()
    assert "right foot over it" in str(walk)


def test_word_that_replaces_inverse_kinematics_is_refused_among_obstacles():
    with pytest.raises(ArgumentError, match="method of the walker is 'ikd'; obstacles are passed by 'clik'"):
        walk_past_obstacles(walker(method="ikd"), [beam(NEAR)], SPEED)


@pytest.mark.parametrize(
    ("velocity", "steps"), [((0.0, 0.0, 0.0), 7), ((-0.1, 0.0, 0.0), 6), ((0.1, 0.0, 0.0), 10), ((0.4, 0.0, 0.0), 4)]
)
def test_robot_goes_on_until_it_has_come_by_obstacles_that_move(monkeypatch, velocity, steps):
    """With 0.3 m/s from 2.2 s on: one at 1 m + v t is met at 0.3 (1 + 2.2 v) / (0.3 - v); a faster one never is."""
    asked = []
    monkeypatch.setattr(
        obstacle_walk, "plan_past_obstacles", lambda biped, obstructions, speed, count, *_, **__: asked.append(count)
    )
    with pytest.raises(AttributeError):
        walk_past_obstacles(walker(), [box((0.05, 0.1, 0.05), (0.975, 0.0), velocity=velocity)], SPEED)
    assert asked == [steps]


@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "heuristic", "reactive"),
    [(beam(), (0.038, 0.0), (0.057, 0.001)), (triangle(), (0.013, 0.073), (0.017, 0.077))],
    ids=["beam", "triangle"],
)
def test_experiments_of_the_paper_as_the_page_tells_them(one, heuristic, reactive):
    walk = walk_past_obstacles(walker(), [one], SPEED, steps=9)
    check(walk)
    situation = walk.plan.situations[0]
    shifts = [abs(how.shift) for how in (situation.left, situation.right)]
    np.testing.assert_allclose(shifts, heuristic, atol=0.0006)  # as printed in millimetres
    np.testing.assert_allclose(walk.plan.shifts, reactive, atol=0.001)
    assert walk.distance.min() > 0.02


@pytest.mark.long
def test_lola_walks_over_both_obstacles_of_the_experiments_in_one_walk():
    check(walk_past_obstacles(walker(), [beam(NEAR), triangle(2.2)], SPEED, steps=9))


@pytest.mark.long
def test_lola_walks_over_a_beam_that_comes_towards_her():
    one = box((0.08, 0.35, 0.1), (1.3, -0.115), velocity=(-0.03, 0.0, 0.0))
    check(walk_past_obstacles(walker(), [one], SPEED, steps=6))


@pytest.mark.long
@pytest.mark.parametrize("seed", [5, 8, 12, 20])
def test_lola_walks_past_random_boxes(seed):
    check(walk_past_obstacles(walker(), [random_box(seed)], SPEED, steps=6))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_hrp2_walks_over_a_beam_of_half_the_size():
    one = box((0.04, 0.17, 0.08), (0.8, -0.06))
    check(walk_past_obstacles(walker(ts.robots.hrp2(), clearance=None), [one], 0.2, steps=6))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_talos_walks_over_a_beam_with_fitted_volumes():
    model = ts.load(robot_data_path(TALOS), base="free")
    legs = [name for name in model.bodies if name.startswith("leg_")]
    model = model.with_volumes(ts.collision.fit(model, links=legs))
    walk = walk_past_obstacles(walker(model, clearance=None), [box((0.06, 0.25, 0.1), (0.9, -0.08))], 0.25, steps=5)
    check(walk)
    assert walk.distance.min() > 0.005  # its ankles are wider than its feet, and count beside the beam


@pytest.mark.long
def test_joints_beyond_their_limits_are_told():
    model = ts.robots.hrp2()
    one = box((0.06, 0.25, 0.11), (0.8, -0.08))
    with pytest.warns(ControlWarning, match="is beyond its limits to pass these obstacles: 'RLEG_JOINT3'"):
        walk_past_obstacles(walker(model, clearance=None), [one], 0.2, steps=5)


def test_too_large_obstacle_is_refused_before_anything_is_simulated():
    with pytest.raises(PlanningError, match="'box' is too large"):
        walk_past_obstacles(walker(), [box((0.3, 1.0, 0.5), (1.0, 0.0))], SPEED, steps=4)


def test_robot_without_volumes_is_refused_with_what_to_do():
    model = ts.robots.lola().with_volumes({})
    with pytest.raises(ArgumentError, match="no collision volumes; make some by"):
        walk_past_obstacles(walker(model), [beam()], SPEED, steps=4)


def test_walker_that_is_none_is_refused():
    with pytest.raises(ArgumentError, match="walker is 'lola'"):
        walk_past_obstacles("lola", [beam()])
