"""The clock of animations."""

import pytest

from tarsus.viewer.live.clock import Clock


@pytest.fixture(name="clock")
def _clock():
    return Clock(4.0)


def test_it_stands_until_it_is_played(clock):
    assert clock.time(100.0) == 0.0
    clock.play(100.0)
    assert clock.time(101.5) == 1.5


def test_pause_keeps_the_time(clock):
    clock.play(10.0)
    clock.pause(11.0)
    assert (clock.time(50.0), clock.playing) == (1.0, False)
    clock.play(60.0)
    assert clock.time(60.5) == 1.5


def test_speed_changes_without_a_jump(clock):
    clock.play(0.0)
    clock.set_speed(0.5, 1.0)
    assert clock.time(1.0) == 1.0
    assert clock.time(3.0) == 2.0


def test_jump_while_playing_runs_on_from_there(clock):
    clock.play(0.0)
    clock.jump(3.0, 1.0)
    assert clock.time(1.5) == 3.5


@pytest.mark.parametrize(("wanted", "reached"), [(-1.0, 0.0), (9.0, 4.0)])
def test_jumps_stay_inside(clock, wanted, reached):
    clock.jump(wanted, 0.0)
    assert clock.time(0.0) == reached


def test_it_starts_again_at_the_end_or_stops_there(clock):
    clock.play(0.0)
    assert clock.time(5.0) == pytest.approx(1.0)
    clock.repeat = False
    assert clock.time(5.0) == 4.0
    assert clock.ended(5.0)
    assert not clock.ended(3.0)


def test_play_after_the_end_starts_from_the_beginning(clock):
    clock.repeat = False
    clock.jump(4.0, 0.0)
    clock.play(1.0)
    assert clock.time(1.25) == 0.25


def test_motion_of_one_moment_can_be_played():
    clock = Clock(0.0)
    clock.play(0.0)
    assert clock.time(3.0) == 0.0
