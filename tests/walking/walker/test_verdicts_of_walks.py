"""What walks are told to be: turns beyond half a turn, ends in the middle of a fall, pushes that nobody feels."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.simulation import Push


@pytest.fixture(scope="module")
def walker():
    return ts.walking.Walker(ts.robots.hrp2())


def test_turns_beyond_half_a_turn_are_walked(walker):
    done = walker.walk(0.0, turn=0.5, steps=14)
    assert done.passed, str(done)
    assert done.turned > np.pi + 0.2


def test_a_robot_that_falls_when_the_plan_ends_has_not_passed(walker):
    push = Push("pelvis", (0.0, 800.0, 0.0), start=4.9, duration=0.1)
    done = walker.walk(0.3, steps=2, pushes=[push])
    assert not done.passed
    assert "did not stand when the plan ended" in done.reason


@pytest.mark.parametrize("start", [-5.0, 100.0])
def test_pushes_outside_of_the_walk_are_refused(walker, start):
    with pytest.raises(ArgumentError, match="not within the walk"):
        walker.walk(0.3, steps=1, pushes=[Push("pelvis", (0.0, 10.0, 0.0), start=start, duration=0.1)])


def test_speed_is_that_of_what_was_walked_and_no_number_where_there_is_none(walker):
    done = walker.walk(0.3, steps=1)
    assert done.passed and np.isnan(done.speed) and "nan" not in str(done)
    pushed = walker.walk(0.3, steps=8, pushes=[Push("pelvis", (0.0, 3000.0, 0.0), start=4.5, duration=0.1)])
    assert not pushed.passed and 0.1 < pushed.speed < 1.0


@pytest.mark.parametrize(("arguments", "told"), [({"speed": "a"}, "speed"), ({"speed": [0.1, 0.2]}, "speed")])
def test_commands_that_are_no_numbers_are_refused_by_name(walker, arguments, told):
    with pytest.raises(ArgumentError, match=told):
        walker.walk(**arguments, steps=2)


def test_step_times_below_a_tenth_of_a_second_are_refused():
    with pytest.raises(ArgumentError, match="step_time"):
        ts.walking.Walker(ts.robots.hrp2(), step_time=0.002)


def test_walks_tell_how_often_inverse_kineto_dynamics_could_not_go_on(walker):
    done = walker.walk(0.3, steps=0)
    assert done.restarts == 0 and "planned base" not in str(done)
    signals = done.trajectory.signals
    for count, words in ((1, "once"), (3, "3 times")):
        signals["reference_restarts"] = np.full(len(done.trajectory.time), float(count))
        assert done.restarts == count
        assert f"could not be followed {words}: the planned base was taken" in str(done)
