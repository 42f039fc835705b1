"""Pushes while walking: steps against ankles alone."""

import math

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.analysis import ankle_limit, recovers_walking, walking_biped, walking_push_start
from tarsus.analysis.walking import PUSHED, SPEED, STEPS, _walker
from tarsus.simulation.push import Push

DURATION = 0.1
RIGHT = 1.5 * math.pi
TALOS = "talos_data/robots/talos_reduced.urdf"


def pushed(robot, angle, speed):
    """A push at the pelvis that would give all of the robot this velocity [m/s]."""
    force = speed * walking_biped(robot).model.total_mass / DURATION
    return Push(
        "pelvis", force * np.array([math.cos(angle), math.sin(angle), 0.0]), walking_push_start(robot), DURATION
    )


def test_ankle_limit_is_the_way_to_the_edge_of_the_sole():
    biped = walking_biped("robot:hrp2")
    a, b = biped.legs[0].half
    w = math.sqrt(9.81 / biped.height)
    assert ankle_limit(biped, 0.0) == pytest.approx(w * a)
    assert ankle_limit(biped, -math.pi / 2) == pytest.approx(w * b)
    assert ankle_limit(biped, math.atan2(b, a)) == pytest.approx(w * math.hypot(a, b))


def test_hrp2_steps_against_twice_what_ankles_give_and_ankles_alone_do_not_hold_it():
    push = pushed("robot:hrp2", RIGHT, 2.0 * ankle_limit(walking_biped("robot:hrp2"), RIGHT))
    assert recovers_walking(push)
    assert not recovers_walking(push, adapt=False)


@pytest.mark.long
@pytest.mark.parametrize(("degrees", "times"), [(0, 2.0), (180, 1.5), (270, 2.0)])
def test_steps_by_the_velocity_of_the_gait_hold_hrp2_where_ankles_do_not(degrees, times):
    angle = math.radians(degrees)
    push = pushed("robot:hrp2", angle, times * ankle_limit(walking_biped("robot:hrp2"), angle))
    assert recovers_walking(push, adapt="periodic")
    assert not recovers_walking(push, adapt=False)


@pytest.mark.long
@pytest.mark.parametrize("degrees", [90, 180])
def test_steps_by_the_capture_point_hold_hrp2_where_those_by_the_velocity_of_the_gait_do_not(degrees):
    angle = math.radians(degrees)
    push = pushed("robot:hrp2", angle, 2.0 * ankle_limit(walking_biped("robot:hrp2"), angle))
    assert recovers_walking(push) and not recovers_walking(push, adapt="periodic")


def test_foot_that_alone_stands_is_not_tipped_over_by_its_ankle():
    """Until the next one is down it tilts by less than 10 degrees; with stiff and damped ankles it were 20."""
    biped, angle, start = walking_biped("robot:hrp2"), math.radians(210.0), walking_push_start("robot:hrp2")
    push = pushed("robot:hrp2", angle, 2.0 * ankle_limit(biped, angle))
    walked = ts.walking.Walker(ts.robots.hrp2()).walk(0.3, steps=4, pushes=[push], progress=False).trajectory
    right = walked.signals["loads"][:, 1]
    down = np.flatnonzero((walked.time > start + DURATION) & (right > 0.0))[0]
    left = ts.frame_pose(biped.model, walked.q[walked.time >= start][: down - np.searchsorted(walked.time, start)],
                         biped.legs[0].sole)  # fmt: skip
    assert len(left) > 20
    assert 2.0 < np.degrees(np.arccos(left[:, 2, 2].min())) < 10.0


def named(name):
    return str(robot_data_path(TALOS)) if name == "talos" else f"robot:{name}"


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("hrp2", tuple(range(0, 360, 15))),
        ("talos", (0, 30, *range(60, 360, 15))),
        ("lola", tuple(range(0, 360, 15))),
    ],
)
def test_steps_hold_robots_against_twice_what_ankles_give(name, degrees):
    """HRP-2 and Lola in all of 24 directions, Talos in all but 15 and 45 degrees: they were looked at for the rules."""
    robot = named(name)
    biped = walking_biped(robot)
    for angle in np.radians(degrees):
        assert recovers_walking(pushed(robot, angle, 2.0 * ankle_limit(biped, angle)), robot), math.degrees(angle)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(("name", "held"), [("hrp2", 47), ("talos", 44), ("lola", 45)])
def test_steps_hold_robots_at_other_moments_of_a_step(name, held):
    """Before the right foot is lifted and in the middle of its swing: no number was fitted to these."""
    robot = named(name)
    biped = walking_biped(robot)
    plan, _ = _walker(robot).plan(SPEED, steps=STEPS)
    swing = [phase for phase in plan.phases if phase.swing is not None][PUSHED]
    recovered = 0
    for part in (-0.25, 0.45):
        start = round(swing.start + part * (swing.end - swing.start), 3)
        for angle in np.radians(range(0, 360, 15)):
            force = pushed(robot, angle, 2.0 * ankle_limit(biped, angle)).force
            recovered += recovers_walking(Push("pelvis", force, start, DURATION), robot)
    assert recovered >= held


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_long_steps_of_lola_hold_her_against_what_ankles_give():
    """Steps of 0.8 legs, at the height of their own plan: told that they were too long, she was hurried, and fell."""
    walker = ts.walking.Walker(ts.robots.lola(), step_time=0.8)
    plan, _ = walker.plan(0.85, steps=8)
    start = plan.phases[7].start + 0.05
    for angle in np.radians(range(0, 360, 45)):
        force = ankle_limit(walker.biped, angle) * walker.biped.model.total_mass / DURATION
        push = Push("pelvis", (force * math.cos(angle), force * math.sin(angle), 0.0), start, DURATION)
        assert walker.walk(0.85, steps=8, pushes=[push], progress=False).passed, math.degrees(angle)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_walk_that_was_caught_tells_joints_that_were_too_fast_and_soles_that_crossed():
    robot, angle = named("talos"), math.radians(150.0)
    push = pushed(robot, angle, 2.0 * ankle_limit(walking_biped(robot), angle))
    outcome = _walker(robot).walk(SPEED, steps=STEPS, pushes=[push], progress=False)
    assert outcome.passed and np.degrees(outcome.tilt) < 8.0
    assert any("of its speed at" in note for note in outcome.notes)
    assert any("soles pass through each other" in note for note in outcome.notes)
