"""Commands that are held to what joints can follow, with demands in closed form."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import PlanningError
from tarsus.walking.walker.gait.gait_choice import RESERVE, Demand
from tarsus.walking.walker.gait.possible_speed import RESOLVED
from tarsus.walking.walker.held_command import HeldCommand

LIMIT = 0.2
"""Speed at which the joints of these tests are at their limits [m/s]."""


@pytest.fixture(name="walker", scope="module")
def _walker():
    return ts.walking.Walker(ts.robots.hrp2())


@pytest.fixture(name="trials")
def _trials(monkeypatch):
    """Commands that were tried: a knee is as fast as the robot, and as weak as it is beyond a limit."""
    tried = []

    def planned(biped, command, steps, choice):
        tried.append(np.array(command))
        return command

    def demand_of(biped, command):
        worst = abs(command[0]) / LIMIT
        return Demand(worst, 0.0, "knee", "knee", max(0.0, worst - 1.5), "knee")

    monkeypatch.setattr("tarsus.walking.walker.held_command.planned", planned)
    monkeypatch.setattr("tarsus.walking.walker.held_command.demand_of", demand_of)
    return tried


@pytest.fixture(name="held")
def _held(walker, trials):
    known = np.array([0.1, 0.0, 0.0])
    return HeldCommand(walker.biped, walker.gait_of_footsteps(), known)


def test_what_is_within_limits_is_walked_as_it_is(held):
    for command in ((0.1, 0.0, 0.0), (0.197, 0.0, 0.0), (-0.15, 0.05, 0.1), (0.0, 0.0, 0.0)):
        walked, why = held(np.array(command))
        np.testing.assert_array_equal(walked, command)
        assert why == ""


def test_what_is_beyond_them_is_scaled_to_95_percent_of_them_in_its_direction(held):
    walked, why = held(np.array([0.26, 0.0, 0.13]))
    assert walked[2] == pytest.approx(walked[0] / 2)
    assert (1 - RESERVE) * LIMIT - RESOLVED < walked[0] <= (1 - RESERVE) * LIMIT * (1 + 1e-9)
    assert why == "would need 130% of the speed of 'knee'"
    _, why = held(np.array([9.0, 0.0, 0.0]))
    assert why.startswith("needs longer steps than are possible; 0.")
    assert "is too weak to walk at" in why


def test_what_the_gait_was_chosen_for_is_always_walked(walker, trials):
    held = HeldCommand(walker.biped, walker.gait_of_footsteps(), np.array([0.25, 0.0, 0.0]))
    np.testing.assert_array_equal(held(np.array([0.25, 0.0, 0.0]))[0], [0.25, 0.0, 0.0])
    np.testing.assert_allclose(held(np.array([0.3, 0.0, 0.0]))[0], [0.25, 0.0, 0.0])
    assert not held(np.array([0.2, 0.0, 0.0]))[1]


def test_commands_that_are_less_than_known_ones_and_those_of_one_direction_are_not_tried_again(held, trials):
    held(np.array([0.05, 0.0, 0.0]))
    assert not trials
    held(np.array([0.15, 0.02, 0.1]))
    assert len(trials) == 1
    held(np.array([0.14, 0.01, 0.09]))
    assert len(trials) == 1
    held(np.array([0.3, 0.0, 0.0]))
    count = len(trials)
    held(np.array([0.35, 0.0, 0.0]))
    assert len(trials) <= count + 2


def test_robots_beyond_their_limits_at_any_speed_walk_as_fast_as_they_are_strong_and_say_so(held, monkeypatch):
    def demand_of(biped, command):
        return Demand(0.0, 1.2, "knee", "knee", 0.0 if abs(command[0]) < 0.15 else 9.0, "knee")

    monkeypatch.setattr("tarsus.walking.walker.held_command.demand_of", demand_of)
    walked, why = held(np.array([0.3, 0.0, 0.0]))
    assert 0.15 - RESOLVED < walked[0] <= 0.15
    assert why.endswith("would lack some for too long, and no part of it is within limits")


def test_command_that_no_part_of_is_possible_is_held_to_nothing(held, monkeypatch):
    def planned(*arguments):
        raise PlanningError("the left sole is out of reach")

    monkeypatch.setattr("tarsus.walking.walker.held_command.planned", planned)
    walked, why = held(np.array([0.0, 0.1, 0.0]))
    assert not walked.any()
    assert why == "is not possible: the left sole is out of reach"


def test_function_that_commands_is_told_for_which_command_the_gait_is_chosen():
    """Nobody commands 0.3 m/s here: it is what `speed` is by default."""
    walker = ts.walking.Walker(ts.robots.hrp2(), step_time=1.0)
    with pytest.raises(PlanningError, match=r"what speed=, side= and turn= tell of the command.* needs steps of 0.3 m"):
        walker.walk(command=lambda observation: (0.12, 0.02, 0.1), duration=3)
    with pytest.raises(PlanningError, match="the command at 0 s needs steps of 0.3 m"):
        walker.walk(command=[(0.0, 0.3, 0.0, 0.0)])
