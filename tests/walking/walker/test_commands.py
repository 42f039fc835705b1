"""Walks whose command changes on the way."""

import re

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ControlWarning, PlanningError
from tarsus.walking.reference.receding_plan import RecedingPlan
from tarsus.walking.walker.command_schedule import CommandSchedule
from tarsus.walking.walker.walk_record import recorded_walk
from tarsus.walking.walker.walker import AHEAD, MOST_AHEAD

FOLLOWED = 0.04
"""Place at the end beside the plan's: errors of some steps on the ground [m]."""


@pytest.fixture(scope="module")
def walker():
    return ts.walking.Walker(ts.robots.hrp2())


def test_walk_speeds_up_turns_and_stops_as_commanded(walker):
    outcome = walker.walk(command=[(0.0, 0.15, 0.0, 0.0), (2.0, 0.3, 0.0, 0.0), (4.0, 0.1, 0.0, 0.3), (6.0, 0, 0, 0)])
    assert outcome.passed, str(outcome)
    np.testing.assert_allclose(outcome.way, outcome.plan.com[-1, :2] - outcome.plan.com[0, :2], atol=FOLLOWED)
    assert outcome.turned == pytest.approx(outcome.plan.footsteps[-1].yaw, abs=0.05)
    assert outcome.turned > 0.3
    run = outcome.trajectory
    com = ts.center_of_mass(run.model, run.q)
    t = run.time
    ways = [com[np.searchsorted(t, b), 0] - com[np.searchsorted(t, a), 0] for a, b in ((1.4, 2.0), (3.4, 4.0))]
    assert ways[0] < 0.7 * ways[1]  # half the speed
    np.testing.assert_allclose(run.signals["command"][np.searchsorted(t, 3.0)], [0.3, 0.0, 0.0])
    still = np.linalg.norm(run.v[t > t[-1] - 0.3, :3], axis=1)
    assert still.max() < 0.02


def test_robot_that_has_stopped_goes_again(walker):
    outcome = walker.walk(command=[(0.0, 0.2, 0.0, 0.0), (1.6, 0.0, 0.0, 0.0), (4.5, 0.0, 0.08, 0.0), (6.5, 0, 0, 0)])
    assert outcome.passed, str(outcome)
    run = outcome.trajectory
    phase, t = run.signals["phase"], run.time
    stood = (t > 4.2) & (t < 4.5)
    assert (phase[stood] == 0).all()
    assert (phase[t < 4.0] != 0).any() and (phase[t > 5.0] != 0).any()
    assert outcome.way[1] > 0.08


def test_command_that_no_part_of_a_change_leads_to_is_told(walker, monkeypatch):
    monkeypatch.setattr("tarsus.walking.reference.receding_plan.SHARES", (1.0, 0.0))
    told = "soles are too small for a change from 0.3 m/s to -0.3 m/s; the robot walks on"
    with pytest.warns(ControlWarning, match=told):
        outcome = walker.walk(command=[(0.0, 0.3, 0.0, 0.0), (2.0, -0.3, 0.0, 0.0)], duration=4.0)
    assert outcome.passed and outcome.way[0] > 0.5
    assert any(told in note for note in outcome.notes)


def test_function_that_stops_the_simulation_has_not_walked_to_the_end(walker, tmp_path):
    def command(observation):
        if observation.t > 1.2:
            observation.stop("the user is tired")
        return (0.2, 0.0, 0.0)

    outcome = walker.walk(command=command, duration=4.0, record=tmp_path / "walk.h5")
    assert not outcome.passed and outcome.reason == "the user is tired"
    assert not recorded_walk(ts.open_recording(tmp_path / "walk.h5")).passed


@pytest.mark.parametrize(
    "command",
    [
        [(0.0, 0.3, 0.0, 0.0), (3.0, -0.3, 0.0, 0.0), (5.0, 0.0, 0.0, 0.0)],
        [(0.0, 0.2, 0.0, 0.2), (0.6, -0.2, 0.0, -0.2), (1.2, 0.2, 0.0, 0.2), (4.0, 0.0, 0.0, 0.0)],
    ],
)
def test_robot_that_shall_walk_the_other_way_is_not_hurried_while_it_stands_between(walker, command):
    """Its pressure has time to go from foot to foot: hurried, it came 7 to 10 cm off and had to catch itself."""
    outcome = walker.walk(command=command)
    assert outcome.passed, str(outcome)
    signals = outcome.trajectory.signals
    assert np.linalg.norm(signals["divergent_error"], axis=1).max() < 0.02
    assert np.abs(signals["plan_time"] - outcome.trajectory.time).max() < 0.1
    np.testing.assert_allclose(outcome.way, outcome.planned.way, atol=0.02)


def test_function_of_the_observation_commands_like_a_joystick(walker):
    asked = []

    def joystick(observation):
        asked.append(observation.t)
        return (0.2, 0.0, 0.0) if observation.q[0] < 0.25 else (0.0, 0.0, 0.0)

    outcome = walker.walk(command=joystick, duration=4.0)
    assert outcome.passed, str(outcome)
    assert 0.2 < outcome.way[0] < 0.55  # it stops soon after it has come there
    assert len(asked) > 500


def test_command_of_a_function_that_is_no_number_ends_the_walk_with_its_name_and_time(walker):
    outcome = walker.walk(command=lambda o: (np.nan if o.t > 0.5 else 0.1, 0.0, 0.0), duration=3.0)
    assert not outcome.passed
    assert "nan" in outcome.reason and "three finite numbers" in outcome.reason and "0.505 s" in outcome.reason


def test_command_of_a_function_beyond_what_steps_can_walk_is_scaled_and_told(walker):
    with pytest.warns(ControlWarning, match=r"needs longer steps than are possible; 0\.\d+ m/s"):
        outcome = walker.walk(command=lambda o: (2.0 if o.t < 0.01 else 0.0, 0.0, 0.0), duration=0.1)
    assert outcome.passed, str(outcome)


def test_command_of_a_function_beyond_what_joints_can_follow_is_scaled_told_and_noted(walker, tmp_path):
    """At 0.39 m/s with the steps of 0.05 m/s knees went at 129 % of their limit, and nothing was told."""
    with pytest.warns(ControlWarning, match=r"at 0\.00 s the command 0\.39 m/s would need 12\d% of the speed of '.LEG"):
        outcome = walker.walk(0.05, command=lambda o: (0.39, 0.0, 0.0), duration=1.2, record=tmp_path / "walk.h5")
    assert outcome.passed, str(outcome)
    assert outcome.joint_speed[0] < 1.0
    (note,) = outcome.notes
    assert re.search(r"at 0\.00 s the command 0\.39 m/s would need .*; 0\.2\d+ m/s is walked", note), (
        note and note in str(outcome)
    )
    assert recorded_walk(ts.open_recording(tmp_path / "walk.h5")).commands == note


def test_robot_whose_next_plan_is_not_possible_stops_and_says_why(walker, monkeypatch):
    extend = RecedingPlan.extend

    def refusing(plan, time, number, command):
        if number >= 2 and command.any():
            raise PlanningError("a foot is out of reach")
        return extend(plan, time, number, command)

    monkeypatch.setattr(RecedingPlan, "extend", refusing)
    with pytest.warns(ControlWarning, match="a foot is out of reach; the robot stops") as told:
        outcome = walker.walk(command=[(0.0, 0.2, 0.0, 0.0)], duration=5.0)
    assert outcome.passed, str(outcome)
    assert 2 <= outcome.steps <= 4
    notes = "".join(outcome.notes)
    assert "a foot is out of reach; the robot stops" in notes
    assert len(told) == 1 and "more)" not in notes  # it stands, and asks in every cycle


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ([], "expected entries"),
        ([(0.0, 0.3, 0.0)], "expected entries"),
        ([(0.0, np.nan, 0.0, 0.0)], "finite"),
        ([(0.0, 0.1, 0.0, 0.0), (0.0, 0.2, 0.0, 0.0)], "expected them to rise"),
        ([(-1.0, 0.1, 0.0, 0.0)], "from 0 on"),
        ("fast", "expected entries"),
    ],
)
def test_schedules_that_are_none_are_refused(walker, command, named):
    with pytest.raises(ArgumentError, match=named):
        walker.walk(command=command)


def test_entry_that_cannot_be_walked_is_named_by_its_time(walker):
    with pytest.raises(PlanningError, match=r"the command at 3 s cannot be walked: sideways needs steps of"):
        walker.walk(command=[(0.0, 0.1, 0.0, 0.0), (3.0, 0.0, 2.0, 0.0)])
    with pytest.raises(ArgumentError, match="expected duration in place of it"):
        walker.walk(command=[(0.0, 0.1, 0.0, 0.0)], steps=3)


def test_schedule_holds_entries_from_their_times_on_and_stands_before():
    schedule = CommandSchedule.of([(1.0, 0.3, 0.0, 0.0), (2.0, 0.0, 0.1, 0.2)])
    assert not schedule.at(0.5).any()
    np.testing.assert_allclose(schedule.at(1.0), [0.3, 0.0, 0.0])
    np.testing.assert_allclose(schedule.at(9.0), [0.0, 0.1, 0.2])


def test_walk_of_any_length_begins_at_once_and_ctrl_c_leaves_a_readable_recording(walker, tmp_path):
    """A plan of a thousand million seconds would never end: the walk is planned while it is walked."""
    begun = []

    def interrupting(observation):
        begun.append(observation.t)
        if observation.t > 1.0:
            raise KeyboardInterrupt
        return np.array([0.1, 0.0, 0.0])

    outcome = walker.walk(command=interrupting, duration=1e9, record=tmp_path / "walk.h5")
    assert not outcome.passed and "interrupted" in outcome.reason
    assert begun[0] == 0.0
    run = ts.open_recording(tmp_path / "walk.h5")
    np.testing.assert_array_equal(run.q, outcome.trajectory.q)
    walk = recorded_walk(run)
    assert not walk.passed and walk.reason == "the walk was not over"
    assert len(walk.foot) == 1  # the step that was under way


def test_constant_command_for_longer_than_is_planned_ahead_is_planned_step_by_step(walker, monkeypatch):
    assert (AHEAD, MOST_AHEAD) == (100, 1000)  # as docs tell
    monkeypatch.setattr("tarsus.walking.walker.walker.AHEAD", 2)
    outcome = walker.walk(0.3, steps=4)
    assert outcome.passed, str(outcome)
    assert "command" in outcome.trajectory.signals
    assert 5 <= outcome.steps <= 8  # told to stop after four, it slows down
    monkeypatch.setattr("tarsus.walking.walker.walker.MOST_AHEAD", 3)
    long_steps = ts.walking.Walker(ts.robots.hrp2(), step_time=1.2)
    with pytest.raises(ArgumentError, match=r"a walk of 4 steps of 0\.36 m by 'clik' is asked for"):
        long_steps.walk(0.3, steps=4)


@pytest.mark.long
@pytest.mark.parametrize("name", ["hrp2", "lola"])
def test_commands_at_random_are_walked(name):
    rng = np.random.default_rng(5)
    walker = ts.walking.Walker(getattr(ts.robots, name)())
    entries = [(2.0 * k, *(rng.uniform(-1, 1, 3) * [0.3, 0.08, 0.3])) for k in range(10)]
    outcome = walker.walk(command=[*entries, (20.0, 0.0, 0.0, 0.0)])
    assert outcome.passed, str(outcome)
    assert outcome.steps > 25
