"""Bipeds that walk."""

from dataclasses import replace

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.walking.reference.walk_plan import DT
from tarsus.walking.walker.gait.gait_choice import (
    BRIEF_SUPPORT,
    DOUBLE_SUPPORT,
    RESERVE,
    brief_support,
    choose_gait,
)
from tarsus.walking.walker.terrain import kerbs, ramp

ROBOTS = {
    "talos": "talos_data/robots/talos_reduced.urdf",
    "romeo": "romeo_description/urdf/romeo_small.urdf",
    "icub": "icub_description/robots/icub_reduced.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
}
UPRIGHT = np.radians(1.5)
"""Tilt of the pelvis on level ground: all six stay below 1 degree."""


def robot(name):
    if name in ROBOTS:
        return ts.load(robot_data_path(ROBOTS[name]), base="free")
    return getattr(ts.robots, name)()


COURSES = {
    "uphill": ramp(np.radians(5.0)),
    "downhill": ramp(np.radians(-5.0)),
    "up": kerbs(0.03),
    "down": kerbs(-0.03),
}


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("name", ["hrp2", "talos", "lola", "romeo", "icub", "g1"])
def test_biped_walks_where_its_command_says_and_stays_upright(name):
    outcome = ts.walking.Walker(robot(name)).walk(speed=0.3, steps=5)
    assert outcome.passed, str(outcome)
    assert outcome.steps == 6
    wanted = outcome.plan.com[-1, :2] - outcome.plan.com[0, :2]
    np.testing.assert_allclose(outcome.way, wanted, atol=0.03)
    assert outcome.tilt < UPRIGHT
    assert outcome.pressure_margin > 0.0
    assert outcome.torque[0] <= 1.0 + 1e-9


def test_walk_to_the_side_and_turning_goes_where_the_command_says():
    walker = ts.walking.Walker(ts.robots.hrp2())
    aside = walker.walk(0.0, 0.1, steps=4)
    assert aside.passed
    np.testing.assert_allclose(aside.way, aside.plan.com[-1, :2] - aside.plan.com[0, :2], atol=0.03)
    assert aside.way[1] > 0.15
    turned = walker.walk(0.0, 0.0, 0.3, steps=4)
    assert turned.passed
    assert turned.turned == pytest.approx(turned.plan.footsteps[-1].yaw, abs=0.05)
    assert turned.turned > 0.5


def test_walk_on_sensors_goes_where_the_command_says(walker):
    outcome = walker.walk(0.3, steps=5, sensed=True, seed=1)
    assert outcome.passed, str(outcome)
    wanted = outcome.plan.com[-1, :2] - outcome.plan.com[0, :2]
    np.testing.assert_allclose(outcome.way, wanted, atol=0.08)
    assert outcome.tilt < UPRIGHT


def test_step_moves_to_where_a_push_sends_the_robot_and_steps_after_it_follow(walker):
    plan, _ = walker.plan(0.3, steps=6)
    swing = [phase for phase in plan.phases if phase.swing is not None][3]
    assert not swing.swing[1].left
    force = (0.0, -0.45 * walker.biped.model.total_mass / 0.1, 0.0)  # to the right, where the foot swings
    push = ts.simulation.Push("pelvis", force, start=round(swing.start + 0.05, 3), duration=0.1)
    caught = walker.walk(0.3, steps=6, pushes=[push])
    assert caught.passed, str(caught)
    run = caught.trajectory
    shift, error = run.signals["step_shift"], run.signals["divergent_error"]
    assert shift[:, 1].min() < -0.1 and np.abs(error[:, 1]).max() > 0.05
    assert np.abs(error[run.time > swing.start + 2.0]).max() < 0.03
    assert caught.way[1] < -0.03
    stiff = walker.walk(0.3, steps=6, pushes=[push], adapt=False).trajectory
    assert (stiff.signals["step_shift"] == 0.0).all()


@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("ground", [ramp(np.radians(3.0), start=0.5), kerbs(0.03, start=0.5, count=2)])
def test_walker_feels_slopes_and_steps_that_it_is_not_told_of(ground):
    outcome = ts.walking.Walker(ts.robots.hrp2(), clearance=0.06).walk(0.3, duration=5.0, ground=ground)
    assert outcome.passed, str(outcome)
    assert outcome.way[0] > 0.9


@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("degrees", [5.0, -5.0])
@pytest.mark.parametrize("steps", [4, 5, *(pytest.param(n, marks=pytest.mark.long) for n in (6, 7, 8, 9))])
@pytest.mark.parametrize("name", ["hrp2", *(pytest.param(name, marks=pytest.mark.long) for name in ("talos", "lola"))])
def test_walker_stops_and_stands_on_slopes(name, steps, degrees):
    ground = ramp(np.radians(degrees), start=0.5)
    outcome = ts.walking.Walker(robot(name), clearance=0.06).walk(0.3, steps=steps, ground=ground)
    assert outcome.passed, str(outcome)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("name", ["hrp2", "lola", "talos"])
@pytest.mark.parametrize("ground", COURSES.values(), ids=COURSES)
def test_walk_on_sensors_over_slopes_of_five_degrees_and_kerbs_of_three_centimetres(name, ground):
    walker = ts.walking.Walker(robot(name), clearance=0.06)
    outcome = walker.walk(0.3, duration=9.0, ground=ground, sensed=True, seed=3)
    assert outcome.passed, str(outcome)
    assert outcome.way[0] > 2.0


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "course"),
    [(name, course) for name in ("hrp2", "lola", "talos") for course in COURSES if (name, course) != ("talos", "up")],
)
def test_slopes_and_kerbs_are_walked_on_sensors_with_all_defaults(name, course):
    """Talos falls at the kerbs up, as the page tells."""
    outcome = ts.walking.Walker(robot(name)).walk(0.3, duration=9.0, ground=COURSES[course], sensed=True, seed=3)
    assert outcome.passed, str(outcome)
    assert outcome.way[0] > 2.0
    assert not any("feet rise by" in note for note in outcome.notes)


@pytest.mark.parametrize("name", ["hrp2", "talos", "lola"])
def test_feet_rise_enough_for_kerbs_of_three_centimetres_by_default_with_a_reserve(name):
    walker = ts.walking.Walker(robot(name))
    choice, demand = choose_gait(walker.biped, np.array([0.3, 0.0, 0.0]))
    assert demand.worst <= 1.0 - RESERVE
    assert kerbs(0.03).too_high(choice.clearance) == ""


def test_both_feet_stand_more_briefly_where_the_knees_are_too_slow_to_raise_feet_in_the_rest(walker):
    command = np.array([0.3, 0.0, 0.0])
    choice, _ = choose_gait(walker.biped, command)
    assert choice.double_support == brief_support(choice.step_time) < DOUBLE_SUPPORT
    usual = replace(choice, double_support=DOUBLE_SUPPORT)
    assert choose_gait(walker.biped, command, usual)[1].speed > 1.0
    slow, _ = choose_gait(walker.biped, np.array([0.1, 0.0, 0.0]))
    assert slow.double_support == DOUBLE_SUPPORT and slow.clearance == choice.clearance


@pytest.mark.parametrize("time", [0.3, 0.45, 0.6, 0.65, 0.75])
def test_brief_support_has_whole_knots(time):
    knots = brief_support(time) * time / DT
    assert knots == pytest.approx(round(knots), abs=1e-9) and BRIEF_SUPPORT * time - DT < knots * DT
    assert brief_support(time) <= BRIEF_SUPPORT + 1e-12


def test_walk_beyond_the_limits_of_joints_is_warned_of_with_the_numbers():
    walker = ts.walking.Walker(ts.robots.hrp2(), clearance=0.06)
    with pytest.warns(ts.errors.ControlWarning, match=r"would need 1\d\d% of its speed"):
        walker.choose(np.array([0.3, 0.0, 0.0]))


def test_top_speed_is_the_fastest_that_joints_can_follow(walker):
    speed = walker.top_speed
    assert choose_gait(walker.biped, np.array([speed, 0.0, 0.0]))[1].worst <= 1.0
    assert choose_gait(walker.biped, np.array([speed + 0.05, 0.0, 0.0]))[1].worst > 1.0


def test_fall_ends_a_walk_with_time_reason_and_what_was_violated_first():
    walker = ts.walking.Walker(ts.robots.hrp2())
    push = ts.simulation.Push("pelvis", (0.0, 2000.0, 0.0), start=2.0, duration=0.1)
    outcome = walker.walk(steps=4, pushes=[push])
    assert not outcome.passed
    assert 2.0 < outcome.time < 4.0
    assert "pelvis" in outcome.reason
    assert outcome.first is not None and 2.0 < outcome.first[0] <= outcome.time
    assert f"failed at {outcome.time:.2f} s" in str(outcome)


@pytest.mark.parametrize(
    ("argument", "named"),
    [
        ({"speed": np.nan}, "finite"),
        ({"speed": 3.0}, "forward needs steps of"),
        ({"side": 2.0}, "sideways needs steps of"),
        ({"turn": 5.0}, "turning needs steps of"),
        ({"steps": -1}, "steps"),
        ({"duration": 0.0}, "duration"),
        ({"steps": 3, "duration": 3.0}, "expected one of them"),
    ],
)
def test_command_that_cannot_be_walked_is_refused_with_the_limiting_quantity(walker, argument, named):
    with pytest.raises((ts.errors.ArgumentError, ts.errors.PlanningError), match=named):
        walker.walk(**argument)


@pytest.fixture(scope="module")
def walker():
    return ts.walking.Walker(ts.robots.hrp2())
