"""Two steps chosen together: against loops over the same equation, and against a pendulum that takes them."""

import itertools
import math

import numpy as np
import pytest
from walking.stabilizer.pushed_pendulum import PushedPendulum

from tarsus.walking.stabilizer.catching import two_steps
from tarsus.walking.stabilizer.catching.reach import PEAK, Reach
from tarsus.walking.stabilizer.catching.two_steps import Disturbed, TwoSteps

OMEGA = 3.3
HALF = np.array([0.104, 0.066])
OTHER = np.array([0.09, 0.05])
LEG, WIDTH = 0.7, 0.17
REACH = Reach(0.65 * LEG, 0.75 * WIDTH, WIDTH + 0.4 * LEG, 1.5 * math.sqrt(9.81 * LEG), 0.4 * LEG)


def disturbed(rng, swinging):
    side = 1.0 if swinging == 0 else -1.0
    return Disturbed(
        rng.uniform(-0.25, 0.25, 2), np.array([-0.03, -0.015 * side]), np.array([0.15, side * WIDTH]),
        rng.uniform([-0.1, -0.1], [0.4, 0.1]), rng.uniform(0.15, 0.55), rng.uniform(0.5, 0.7),
    )  # fmt: skip


def two_rates():
    return itertools.product(two_steps.FIRST.ravel(), two_steps.SECOND.ravel())


def cost(step, swinging, L_1, first, second):
    """Of one pair of rates and one landing, from the equation of the docstring."""
    t_1, t_2 = step.left_over / first, step.after / second
    g_1, g_2 = math.exp(OMEGA * t_1), math.exp(OMEGA * t_2)
    way = float(np.hypot(*(L_1 - step.landing + step.way)))
    found = two_steps.NEVER * max(0.0, way - REACH.speed * t_1 / PEAK) + two_steps.WAY * way
    found += two_steps.HASTE * REACH.level * (first - 1.0 + 0.5 * (second - 1.0))
    stance, other = (HALF, OTHER) if swinging == 1 else (OTHER, HALF)
    mirrored = np.array([1.0, -1.0])
    # Both pressures in the middle of their soles, and how far they move the second step from one edge to the other.
    xi_2 = step.divergent * g_1 * g_2 - L_1 * (g_2 - 1.0)
    D = xi_2 - step.offset * mirrored - L_1
    room = stance * (g_1 - 1.0) * g_2 + other * (g_2 - 1.0)
    narrow, wide = sorted([REACH.narrow * (1 if swinging == 1 else -1), REACH.wide * (1 if swinging == 1 else -1)])
    low, high = np.array([-REACH.along, narrow]), np.array([REACH.along, wide])
    beyond = np.maximum(low - D, D - high)
    found += two_steps.NEVER * float(np.maximum(0.0, beyond - two_steps.MOST * room).sum())
    found += two_steps.RATHER_NOT * float(np.maximum(0.0, beyond - two_steps.SPARED * room).sum())
    wanted = np.clip(D, [-REACH.level, low[1]], [REACH.level, high[1]])
    D = D + np.clip(wanted - D, -two_steps.SPARED * room, two_steps.SPARED * room)
    far = max(0.0, abs(L_1[0]) - max(REACH.level, abs(step.landing[0])))
    far += max(0.0, min(abs(D[0]), REACH.along) - REACH.level)
    found += two_steps.RATHER_NOT * far
    L_2 = L_1 + np.clip(D, low, high)
    return found + two_steps.NEVER * max(0.0, float(np.hypot(*L_2)) - REACH.speed * two_steps.SWINGING * t_2 / PEAK)


@pytest.mark.parametrize("seed", range(4))
def test_no_pair_of_rates_and_landing_costs_less_than_the_chosen_one(seed):
    rng = np.random.default_rng(seed)
    for swinging in (0, 1):
        step = disturbed(rng, swinging)
        rule = TwoSteps(OMEGA, (HALF, OTHER), REACH)
        shift, rate, _ = rule.choose(step, swinging)
        low, high = REACH.box(step.landing, swinging)
        assert (low - 1e-12 <= shift).all() and (shift <= high + 1e-12).all()
        chosen = min(cost(step, swinging, step.landing + shift, rate, second) for second in two_steps.SECOND.ravel())
        x = [*np.linspace(low[0], high[0], two_steps.ALONG), 0.0, float(np.clip(-step.way[0], low[0], high[0]))]
        y = [*np.linspace(low[1], high[1], two_steps.ACROSS), 0.0, float(np.clip(-step.way[1], low[1], high[1]))]
        others = (
            cost(step, swinging, step.landing + np.array([a, b]), first, second)
            for a, b in itertools.product(x, y)
            for first, second in two_rates()
        )
        assert min(others) == pytest.approx(chosen, abs=1e-12)


def test_push_across_the_foot_that_stands_brings_the_other_one_down_at_once():
    """The right foot, just lifted behind; the push leads to the left and back: it is put down there, in haste."""
    step = Disturbed(np.array([-0.16, 0.08]), np.array([-0.03, 0.015]), np.array([0.2, -WIDTH]), np.array([0.39, 0.0]),
                     0.5, 0.65)  # fmt: skip
    shift, rate, _ = TwoSteps(OMEGA, (HALF, HALF), REACH).choose(step, 1)
    assert rate > 2.0
    assert step.landing[0] + shift[0] < 0.0  # not ahead, where it was to land
    assert step.landing[1] + shift[1] > -WIDTH - 1e-12  # and no wider


def test_steps_turn_about_with_the_side():
    rng = np.random.default_rng(5)
    for _ in range(10):
        step = disturbed(rng, 0)
        mirror = np.array([1.0, -1.0])
        other = step._replace(divergent=step.divergent * mirror, offset=step.offset * mirror,
                              landing=step.landing * mirror, way=step.way * mirror)  # fmt: skip
        rule = TwoSteps(OMEGA, (HALF, HALF), REACH)
        left, right = rule.choose(step, 0), rule.choose(other, 1)
        np.testing.assert_allclose(right[0], left[0] * mirror, atol=1e-12)
        assert right[1] == left[1]


def test_what_is_missing_after_the_chosen_first_step_is_what_the_pair_tells():
    rng = np.random.default_rng(6)
    for swinging in (0, 1):
        for _ in range(20):
            step, rule = disturbed(rng, swinging), TwoSteps(OMEGA, (HALF, OTHER), REACH)
            pair = rule.choose(step, swinging)
            # Its second rate is the cheapest one; another one may leave less out of reach.
            assert rule.missing(step, swinging, pair.shift, pair.rate) <= pair.missing + 1e-12


@pytest.mark.parametrize(("degrees", "limit"), [(0, 0.7), (30, 0.4), (90, 0.21), (150, 0.43), (180, 1.2), (210, 1.1),
                                                (270, 0.39)])  # fmt: skip
def test_pendulum_of_the_size_of_talos_is_held(degrees, limit):
    """Whose legs have no mass and whose feet do not slip."""
    pendulum = PushedPendulum(0.89, HALF, WIDTH, 0.195, 0.65, REACH)
    assert pendulum.limit(math.radians(degrees), adapt=True) > limit
