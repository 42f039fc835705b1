"""Plans that grow while they are walked."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking.reference.receding_plan import STEPS, RecedingPlan
from tarsus.walking.walker.gait.gait_choice import choose_gait, grown, planned, step_limits

SAME = 1e-9
"""Position and velocity that are continued: rounding of sums over some hundred knots [m, m/s]."""
COMMANDS = [(0.3, 0, 0), (0.3, 0, 0), (0.1, 0, 0.3), (0, 0.08, 0), (-0.2, 0, 0), (0, 0, 0), (0.2, 0, 0)]


@pytest.fixture(scope="module")
def biped():
    return ts.walking.Biped.of(ts.robots.hrp2())


@pytest.fixture(scope="module")
def choice(biped):
    return choose_gait(biped, np.array([0.3, 0.0, 0.0]))[0]


def fresh(biped, choice):
    return RecedingPlan(biped, choice.gait(biped), choice.clearance, step_limits(biped))


def next_support(plan, number):
    """Number and beginning of the next phase in which both feet stand."""
    number += 2
    return number, plan.window.phases[number].start


def test_centre_of_mass_is_continued_in_position_and_velocity_where_the_command_changes(biped, choice):
    plan, number, time = fresh(biped, choice), 0, 0.0
    for command in COMMANDS:
        old = plan.window
        new = plan.extend(time, number, np.array(command, dtype=float))
        now = old.times[0] + old.dt * np.ceil((time - old.times[0]) / old.dt - 1e-9)
        i, j = round((now - old.times[0]) / old.dt), round((now - new.times[0]) / new.dt)
        assert abs(old.times[i] - new.times[j]) < SAME
        np.testing.assert_allclose(new.com[j], old.com[i], atol=SAME)
        np.testing.assert_allclose(new.divergent[j], old.divergent[i], atol=SAME)
        np.testing.assert_allclose(new.q[j], old.q[i], atol=1e-5)  # two runs of inverse kinematics, to 1e-6 each
        number, time = next_support(plan, number)
    whole = plan.whole()
    np.testing.assert_allclose(np.diff(whole.times), whole.dt, atol=SAME)


def test_steps_after_a_new_command_follow_it(biped, choice):
    plan = fresh(biped, choice)
    plan.extend(0.0, 0, np.array([0.3, 0.0, 0.0]))
    number, time = next_support(plan, 0)
    plan.extend(time, number, np.array([0.2, 0.0, 0.0]))
    x = [float(foot.position[0]) for foot in plan.window.footsteps]
    step = choice.step_time
    np.testing.assert_allclose(np.diff(x[2:]), [*[0.2 * step] * STEPS, 0.0], atol=1e-12)
    assert x[2] == pytest.approx(0.15 * step)  # the first of feet side by side is half a step


def test_plan_that_nobody_extends_ends_at_rest_with_feet_side_by_side(biped, choice):
    plan, number = fresh(biped, choice), 0
    end = plan.extend(0.0, 0, np.array([0.3, 0.0, 0.0]))
    while plan.command.any():
        number, time = next_support(plan, number)
        end = plan.extend(time, number, np.zeros(3))
    assert number <= 8  # told to stop, it takes four steps at most
    last, other = end.footsteps[-1], end.footsteps[-2]
    assert last.position[0] == pytest.approx(other.position[0])
    middle = (last.position + other.position)[:2] / 2
    np.testing.assert_allclose(end.com[-1, :2], middle, atol=1e-3)
    np.testing.assert_allclose(end.divergent[-1], middle, atol=1e-3)


def test_change_that_soles_cannot_bear_is_walked_in_parts(biped, choice):
    plan, number, time = fresh(biped, choice), 0, 0.0
    for _ in range(3):
        plan.extend(time, number, np.array([0.3, 0.0, 0.0]))
        number, time = next_support(plan, number)
    end = plan.extend(time, number, np.array([-0.3, 0.0, 0.0]))
    assert plan.command[0] in (0.0, pytest.approx(0.15))  # a half or a quarter of the way from 0.3 to -0.3
    alone = ~end.feet.standing.all(axis=1)
    stance = end.feet.place[np.arange(len(alone)), np.where(end.feet.standing[:, 0], 0, 1), :2]
    assert (np.abs(end.pressure - stance)[alone] <= 0.6 * biped.legs[0].half + 1e-9).all()


def test_command_that_is_reversed_at_full_speed_is_reached():
    """A quarter of such a change is more than soles allow; less was not tried, and Lola walked on for ever."""
    lola = ts.walking.Biped.of(ts.robots.lola())
    plan, number, time = fresh(lola, choose_gait(lola, np.array([0.7, 0.0, 0.0]))[0]), 0, 0.0
    for sign in (1.0, -1.0):
        command = sign * np.array([0.7, 0.0, 0.0])
        for _ in range(9):
            plan.extend(time, number, command)
            number, time = next_support(plan, number)
        np.testing.assert_allclose(plan.command, command, atol=1e-12)


def test_constant_command_gives_the_motion_that_is_planned_at_once(biped, choice):
    command = np.array([0.3, 0.0, 0.0])
    plan, number, time = fresh(biped, choice), 0, 0.0
    for _ in range(6):
        plan.extend(time, number, command)
        number, time = next_support(plan, number)
    ahead = planned(biped, command, 9, choice)
    whole, compared = plan.whole(), 8
    a, b = (p.phases[compared] for p in (whole, ahead))
    assert a.swing is None and b.swing is None
    for name in ("com", "divergent"):
        one, other = (
            getattr(p, name)[np.searchsorted(p.times, phase.start - 1e-9)] for p, phase in ((whole, a), (ahead, b))
        )
        np.testing.assert_allclose(one, other, atol=1e-3)  # what stops beyond four steps is e^(-4 w T), 0.2 % of a step


def test_pressure_is_kept_as_well_as_in_a_plan_that_is_made_at_once(biped, choice):
    """With knots of 25 ms, one pass of the filter and two steps ahead it was 2.4 mm off, six times as much."""
    command = np.array([0.3, 0.0, 0.0])
    found = [plan(biped, command, 8, choice) for plan in (grown, planned)]
    between = [(p.times > p.phases[6].start) & (p.times < p.phases[10].start) for p in found]
    errors = [np.sqrt(np.mean(p.pressure_error[part] ** 2)) for p, part in zip(found, between, strict=True)]
    assert errors[0] < 1.5 * errors[1] + 1e-4 and errors[1] < 1e-3


def test_commands_beyond_the_limits_of_steps_are_scaled_in_their_direction(biped, choice):
    plan = fresh(biped, choice)
    most = plan.possible(np.array([3.0, 0.3, 0.0]))
    assert most[0] * choice.step_time == pytest.approx(step_limits(biped).length)
    assert most[1] / most[0] == pytest.approx(0.1)
