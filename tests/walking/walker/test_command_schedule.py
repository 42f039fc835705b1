"""Commands of a walk over time."""

import pytest

import tarsus as ts
from tarsus.errors import ControlWarning
from tarsus.walking import Walker
from tarsus.walking.walker.command_schedule import CommandSchedule


@pytest.mark.parametrize(
    ("times", "until", "told"),
    [
        ((0.0, 3.0), 2.0, "the command at 3 s is not walked: the robot is told to stop at 2 s"),
        ((3.0,), 3.0, "the command at 3 s is not walked: the robot is told to stop at 3 s"),
        ((0.0, 3.0, 4.5), 2.5, "2 commands from 3 s on are not walked: the robot is told to stop at 2.5 s"),
        ((0.0, 3.0), 3.5, ""),
    ],
)
def test_velocities_that_begin_when_the_robot_is_told_to_stop_are_named(times, until, told):
    schedule = CommandSchedule.of([(t, 0.3, 0.0, 0.0) for t in times])
    assert schedule.unheard(until) == told


def test_stops_that_begin_when_the_robot_is_told_to_stop_change_nothing():
    assert CommandSchedule.of([(0.0, 0.3, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0)]).unheard(2.0) == ""


def test_walks_warn_of_them_and_note_them():
    told = "the command at 3 s is not walked: the robot is told to stop at 2 s"
    walker = Walker(ts.robots.hrp2())
    with pytest.warns(ControlWarning, match=told) as caught:
        outcome = walker.walk(command=[(3.0, 0.3, 0.0, 0.0)], duration=2.0)
    assert caught[0].filename == __file__
    assert outcome.passed and outcome.steps == 0 and told in outcome.notes
