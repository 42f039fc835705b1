"""How fast bipeds can walk, and what refusals tell of it."""

import re

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import PlanningError
from tarsus.walking import Walker
from tarsus.walking.walker.gait.gait_choice import (
    CLEARANCES,
    PROBE,
    RESERVE,
    GaitChoice,
    choose_gait,
    demand_of,
    grown,
    planned,
)
from tarsus.walking.walker.gait.possible_speed import RESOLVED


@pytest.fixture(name="hrp2", scope="module")
def _hrp2():
    return ts.robots.hrp2()


@pytest.fixture(name="walker", scope="module")
def _walker(hrp2):
    return Walker(hrp2)


def worst(walker, speed, step_time, clearance):
    """What a walk straight ahead asks of joints, in their limits."""
    choice = GaitChoice(step_time, 0.2, clearance)
    return demand_of(walker.biped, planned(walker.biped, np.array([speed, 0.0, 0.0]), 8, choice)).worst


def test_top_speed_is_that_of_the_step_time_that_was_told(hrp2, walker):
    told = Walker(hrp2, step_time=0.5, clearance=0.03)
    speed = told.top_speed
    assert 0.0 < speed < walker.top_speed - RESOLVED  # which has low and brief steps
    assert worst(told, speed, 0.5, 0.03) < 1.0  # in eight steps, a little more than in those of the trial
    assert worst(told, speed + 2 * RESOLVED, 0.5, 0.03) > 1.0 - RESERVE


def test_trial_has_the_demands_of_a_walk_that_goes_on(walker):
    command = np.array([walker.top_speed, 0.0, 0.0])
    choice, demand = choose_gait(walker.biped, command)
    assert demand.worst <= 1.0 - RESERVE
    longer = demand_of(walker.biped, planned(walker.biped, command, 2 * PROBE, choice))
    assert longer.speed == pytest.approx(demand.speed, rel=2e-3) and longer.torque <= 1.002 * demand.torque


def test_top_speed_leaves_a_reserve_of_speed_where_plans_grow(walker):
    command = np.array([walker.top_speed, 0.0, 0.0])
    choice, demand = choose_gait(walker.biped, command)
    plan = grown(walker.biped, command, PROBE, choice)
    assert max(demand.speed, demand_of(walker.biped, plan).speed) <= 1.0 - RESERVE


def test_long_steps_of_a_told_step_time_count_for_the_top_speed():
    lola = Walker(ts.robots.lola(), step_time=0.8)
    assert lola.top_speed * 0.8 > 0.4 * lola.biped.leg  # she walks at 3.5 km/h so
    assert worst(lola, lola.top_speed, 0.8, CLEARANCES[0] * lola.biped.leg) < 1.0


@pytest.mark.parametrize(
    ("command", "told", "what", "most"),
    [
        ((3.0, 0.0, 0.0), "forward needs steps of", r"([\d.]+) m/s is possible within the limits of its joints", 3.0),
        ((1.0, 0.0, 0.0), r"the centre of mass is out of reach by [\d.]+ m", r"([\d.]+) m/s is possible within", 1.0),
        ((0.0, 0.5, 0.0), "sideways needs steps of", r"([\d.]+) m/s aside is possible within", 0.5),
        ((0.0, 0.0, 5.0), "turning needs steps of", r"([\d.]+) degrees/s is possible within", np.degrees(5.0)),
    ],
)
def test_refused_command_names_what_limits_it_and_how_much_is_possible(walker, command, told, what, most):
    with pytest.raises(PlanningError, match=told) as caught:
        walker.plan(*command)
    found = re.search(what, str(caught.value))
    assert found is not None, caught.value
    part = float(found[1]) / most
    assert 0.0 < part < 1.0
    plan, _ = walker.plan(*(part * np.array(command)), steps=8)
    assert demand_of(walker.biped, plan).worst <= 1.0
    assert part * most <= walker.top_speed + RESOLVED or command[0] == 0.0


def test_refusal_tells_the_speed_with_the_step_time_that_was_given(hrp2):
    walker = Walker(hrp2, step_time=0.5, clearance=0.03)
    with pytest.raises(PlanningError, match=r"with a step time of 0\.5 s and a clearance of 0\.03 m ([\d.]+) m/s is"):
        walker.plan(2.0, steps=4)


def test_search_for_what_is_possible_plans_no_trial_twice(hrp2, monkeypatch):
    tried = []

    def counted(biped, command, *options):
        tried.append(tuple(command))
        return planned(biped, command, *options)

    monkeypatch.setattr("tarsus.walking.walker.gait.gait_choice.planned", counted)
    with pytest.raises(PlanningError, match="is possible within the limits of its joints"):
        Walker(hrp2, step_time=0.5, clearance=0.03).plan(3.0)
    assert len(tried) == len(set(tried)) <= 8


def test_long_steps_out_of_reach_name_the_sole_and_the_unit(hrp2):
    with pytest.raises(PlanningError, match=r"the left sole is out of reach by [\d.]+ m"):
        Walker(hrp2, step_time=0.5, clearance=0.03).plan(0.9)


def test_too_fast_commands_on_the_way_are_told_their_speed():
    slow = Walker(ts.robots.lola(), step_time=0.8)
    most = 0.4 * slow.biped.leg / 0.8
    with pytest.raises(PlanningError, match=rf"are possible where commands change on the way: {most:.3g} m/s"):
        slow.walk(command=[(0.0, 0.8, 0.0, 0.0)])


def test_walks_for_which_joints_are_much_too_slow_are_refused(hrp2):
    raised = Walker(hrp2, clearance=0.3)
    with pytest.raises(
        PlanningError, match=r"is too slow to walk at 0.3 m/s: 'LLEG_JOINT3' would need 39\d% of its spe"
    ):
        raised.walk(0.3, steps=3)
