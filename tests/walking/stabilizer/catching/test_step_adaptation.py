"""Where and when to step."""

import numpy as np
import pytest
from walking.stabilizer.pushed_pendulum import PushedPendulum

from tarsus.walking.stabilizer.catching import step_adaptation
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.step_adaptation import (
    HASTE,
    SPARED,
    USED,
    ComingStep,
    PlannedNow,
    StepAdaptation,
)
from tarsus.walking.stabilizer.catching.two_steps import Disturbed, TwoSteps
from tarsus.walking.stabilizer.pressure_feedback import WITHIN

OMEGA = 3.5
HALF = np.array([0.11, 0.06])
WIDTH = 0.2
RESOLVED = 0.03
"""Of limits [m/s]: halving ends at 0.02, and the feedback gets to the edge of the sole only when there is an error."""
REACH = Reach(along=0.45, narrow=0.15, wide=0.5, speed=10.0, level=0.45)


def adaptation(**changes):
    return StepAdaptation(OMEGA, (HALF, HALF), REACH._replace(**changes))


def coming(divergent, *, swinging=0, lead=1.0, left_over=0.3, after=0.5, yaw=0.0, ahead=0.15):
    """A step that lands ahead of and beside the foot that stands at the origin."""
    c, s = np.cos(yaw), np.sin(yaw)
    R = np.array([[c, -s], [s, c]])
    landing = R @ [ahead, WIDTH if swinging == 0 else -WIDTH]
    now = PlannedNow(np.zeros(2), np.zeros(2), np.zeros(2))
    return ComingStep(
        swinging, landing, landing, np.zeros(2), yaw, np.array(divergent), lead, left_over, after, np.zeros(2), now
    )


def at_touch_down(xi, p, t):
    return p + (xi - p) * np.exp(OMEGA * t)


def test_step_stays_as_planned_where_some_pressure_within_the_sole_leads_there():
    xi = np.array([0.04, 0.03])
    for p in (-0.9 * USED * HALF, np.zeros(2), 0.9 * USED * HALF):
        found = adaptation().adapt(xi, coming(at_touch_down(xi, p, 0.3)))
        np.testing.assert_array_equal(found.shift, 0.0)
        assert found.rate == 1.0


def test_landing_moves_by_what_the_best_pressure_leaves():
    xi, planned, t = np.array([0.14, 0.03]), np.array([0.12, 0.05]), 0.3
    best = at_touch_down(xi, USED * HALF, t)
    found = adaptation().adapt(xi, coming(planned, lead=0.8))
    assert found.shift[0] == pytest.approx((best[0] - planned[0]) / 0.8)
    assert found.rate == 1.0


def test_step_is_hurried_where_neither_it_nor_the_next_one_would_get_there():
    xi, planned = np.array([0.25, 0.03]), np.array([0.12, 0.04])
    slow = at_touch_down(xi, USED * HALF, 0.3)[0] - planned[0]
    assert slow > REACH.along - 0.15
    found = adaptation().adapt(xi, coming(planned))
    assert 1.0 < found.rate <= HASTE
    spared = at_touch_down(xi, SPARED * HALF, 0.3 / found.rate)[0] - planned[0]
    assert found.shift[0] == pytest.approx(min(spared, REACH.along - 0.15))


def test_step_is_hurried_until_legs_reach_its_landing_at_the_height_of_the_walk():
    """What is missing grows with time: a sooner landing is a nearer one. Without that limit it is far and slow."""
    xi, planned = np.array([0.19, 0.03]), np.array([0.12, 0.04])
    far, near = (adaptation(level=level).adapt(xi, coming(planned)) for level in (0.45, 0.3))
    assert far.rate == 1.0 and 0.15 + far.shift[0] > 0.3
    assert near.rate > 1.0 and 0.15 + near.shift[0] <= 0.3
    slow = adaptation(level=0.3, speed=0.5).adapt(xi, coming(planned))
    assert slow.rate == 1.0  # a foot that is too slow for that goes far
    np.testing.assert_array_equal(slow.shift, far.shift)


def test_feet_that_are_too_slow_are_not_hurried():
    xi, planned = np.array([0.25, 0.03]), np.array([0.12, 0.04])
    assert adaptation(speed=0.5).adapt(xi, coming(planned)).rate == 1.0


def test_two_steps_are_chosen_together_where_that_brings_much_more_within_reach(monkeypatch):
    rng, chosen, rule = np.random.default_rng(2), [], adaptation(speed=4.0, level=0.3)
    two = TwoSteps(OMEGA, (HALF, HALF), rule.reach)
    for _ in range(60):
        xi, step = rng.uniform([-0.3, -0.2], [0.3, 0.2]), coming([0.12, 0.05])
        step = step._replace(foot=rng.uniform([-0.1, 0.1], [0.2, 0.2]))
        found = rule.adapt(xi, step)
        with monkeypatch.context() as alone:
            alone.setattr(step_adaptation, "GAINED", np.inf)
            one = rule.adapt(xi, step)
        assert not one.together
        fallen = Disturbed(xi, step.divergent - step.landing, step.landing, step.landing - step.foot, 0.3, 0.5)
        pair = two.choose(fallen, 0)
        gained = two.missing(fallen, 0, one.shift, one.rate) - pair.missing
        chosen.append(found.together)
        if found.together:
            assert gained > step_adaptation.GAINED * rule.reach.level
            np.testing.assert_allclose(found.shift, pair.shift)
            assert found.rate == pair.rate
            assert rule.adapt(xi, step._replace(together=True)).together
        else:
            np.testing.assert_array_equal(found.shift, one.shift)
    assert 5 < sum(chosen) < 55


def test_landing_stays_within_reach_and_feet_do_not_cross():
    for swinging, out in ((0, 1.0), (1, -1.0)):
        for side, most in ((out, REACH.wide - WIDTH), (-out, WIDTH - REACH.narrow)):
            found = adaptation().adapt(np.array([0.0, 0.5 * side]), coming([0.0, 0.05 * out], swinging=swinging))
            assert found.shift[1] == pytest.approx(side * most)


def test_push_across_the_foot_that_stands_is_left_to_the_next_step_where_that_gets_there():
    """It needs less haste than without the second step, and none at all where that one has the time."""
    xi, planned = np.array([0.03, -0.09]), np.array([0.08, 0.05])
    short, long = (adaptation().adapt(xi, coming(planned, after=after)) for after in (0.2, 0.8))
    assert short.rate == 1.0 and long.rate > 1.0
    for found in (short, long):
        assert found.shift[1] == pytest.approx(REACH.narrow - WIDTH)


def test_landing_turns_with_the_foot_that_stands():
    yaw = 0.7
    R = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    xi, planned = np.array([0.14, 0.12]), np.array([0.12, 0.05])
    straight = adaptation().adapt(xi, coming(planned))
    turned = adaptation().adapt(R @ xi, coming(R @ planned, yaw=yaw))
    np.testing.assert_allclose(turned.shift, R @ straight.shift, atol=1e-12)


@pytest.mark.parametrize(
    ("degrees", "gain"),
    [(0, 2.4), (90, 1.2), (180, 4.0), (270, 2.2)],
)
def test_steps_hold_a_pendulum_against_more_than_ankles_alone(degrees, gain):
    """A pendulum of the size of Talos; ankles alone hold it up to w d, of the part of the sole that they use."""
    half, leg, width = np.array([0.104, 0.066]), 0.7, 0.17
    reach = Reach(0.65 * leg, 0.75 * width, width + 0.4 * leg, 1.5 * np.sqrt(9.81 * leg), 0.4 * leg)
    pendulum = PushedPendulum(0.89, half, width, 0.195, 0.65, reach)
    angle, w = np.radians(degrees), np.sqrt(9.81 / 0.89)
    ankles, steps = (pendulum.limit(angle, adapt=adapt) for adapt in (False, True))
    assert ankles == pytest.approx(WITHIN * w * half[degrees // 90 % 2], abs=RESOLVED)
    assert steps > gain * ankles
