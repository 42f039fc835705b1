"""Footsteps before and behind obstacles."""

import itertools

import numpy as np
import pytest

from tarsus.errors import PlanningError
from tarsus.walking.obstacles.step_positions import GRID, step_positions

STEP, LONGEST = 0.3, 0.55


def sides(xs):
    return np.arange(len(xs)) % 2  # 0 for the left foot, which steps first


def test_without_obstacles_steps_are_ordinary():
    xs = step_positions(2.0, STEP, LONGEST, ([], []))
    assert xs[0] == pytest.approx(STEP / 2)
    np.testing.assert_allclose(np.diff(xs), STEP, atol=GRID)
    assert abs(xs[-1] - 2.0) <= STEP / 2 + GRID


@pytest.mark.parametrize("begin", np.linspace(0.6, 1.2, 7))
def test_obstacle_is_passed_by_one_step_that_is_as_short_as_the_margins_allow(begin):
    gap = 0.44
    xs = step_positions(2.4, STEP, LONGEST, ([(begin, begin + gap)], [(begin, begin + gap)]))
    steps = np.diff(np.append(0.0, xs))
    assert gap - 1e-9 <= steps.max() <= gap + 2 * GRID
    assert np.sort(steps)[-2] <= 1.1 * STEP  # a little longer rather than one more step
    assert not np.any((xs > begin + 1e-9) & (xs < begin + gap - 1e-9))


@pytest.mark.parametrize("seed", range(8))
def test_no_footstep_is_where_it_is_forbidden(seed):
    rng = np.random.default_rng(seed)
    spans = [[(a, a + rng.uniform(0.1, 0.5)) for a in rng.uniform(0.5, 1.6, 1)] for _ in range(2)]
    xs = step_positions(2.4, STEP, LONGEST, (spans[0], spans[1]))
    for x, side in zip(xs, sides(xs), strict=True):
        for low, high in spans[side]:
            assert not low + 1e-9 < x < high - 1e-9
    for low, high in spans[1 - sides(xs)[-1]]:  # the other foot comes beside the last one
        assert not low + 1e-9 < xs[-1] < high - 1e-9
    assert np.diff(np.append(0.0, xs)).max() <= LONGEST + 1e-9
    assert np.diff(np.append(0.0, xs)).min() >= -1e-9


def test_one_lane_that_is_blocked_needs_no_long_step():
    xs = step_positions(2.4, STEP, LONGEST, ([(1.0, 1.5)], []))
    assert np.diff(np.append(0.0, xs)).max() <= STEP + GRID


def test_dynamic_programming_finds_what_trying_everything_finds():
    # Steps in units of 5 cm: a coarse oracle cannot be better than the finer search.
    way, forbidden = 0.9, (0.35, 0.75)
    ways = np.arange(0.0, LONGEST + 1e-9, 0.05)
    best = np.inf
    for count in range(1, 5):
        for steps in itertools.product(ways, repeat=count):
            x = np.cumsum(steps)
            if abs(x[-1] - way) <= STEP / 2 + 1e-9 and not np.any(
                (x > forbidden[0] + 1e-9) & (x < forbidden[1] - 1e-9)
            ):
                best = min(best, cost(np.array(steps)))
    found = step_positions(way, STEP, LONGEST, ([forbidden], [forbidden]))
    assert cost(np.diff(np.append(0.0, found))) <= best + 1e-9


def cost(steps):
    wanted = np.full(len(steps), STEP)
    wanted[0] = STEP / 2
    off = (steps - wanted) / wanted
    return float(np.sum(np.where(off > 0, 20.0, 1.0) * off**2 + 0.02))


def test_gap_longer_than_the_longest_step_is_refused_with_the_place():
    with pytest.raises(PlanningError, match=r"from x = 1.00 m on"):
        step_positions(2.4, STEP, LONGEST, ([(1.0, 1.6)], [(1.0, 1.6)]))


def test_end_that_is_forbidden_is_told():
    span = [(1.0, 3.0)]
    with pytest.raises(PlanningError, match=r"ends between obstacles with both feet side by side.*x = 2.00 m"):
        step_positions(2.0, STEP, 2.0, (span, [(1.9, 2.3)]))
