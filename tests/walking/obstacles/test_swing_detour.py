"""Swings over and around boxes."""

import numpy as np
import pytest

from tarsus.errors import PlanningError
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.situation import Manoeuvre, Situation
from tarsus.walking.obstacles.swing_detour import KEPT, SwingDetour, swing_detour
from tarsus.walking.steps.foot_swing import FootSwing
from tarsus.walking.steps.footsteps import Footstep

FEET = FootExtent(0.15, 0.14, 0.07, 0.07)
MARGIN = 0.03
SMOOTH = 1e-4
"""Of derivatives by differences over 1e-5 s, whose rounding is about 1e-16 / 1e-10 for second ones."""


def swing(start=0.8, end=1.5):
    return FootSwing(Footstep(True, np.array([start, 0.12, 0.0]), 0.0), Footstep(True, np.array([end, 0.12, 0.0]), 0.0),
                     0.8, 0.05, 0.4)  # fmt: skip


def obstacle(how, low=(1.05, -0.2, 0.0), high=(1.13, 0.3, 0.16)):
    return Situation("beam", np.array(low), np.array(high), "over", how, Manoeuvre("straight"))


OVER = obstacle(Manoeuvre("over", raised=0.19))
AROUND = obstacle(Manoeuvre("around", shift=0.06))


@pytest.mark.parametrize("one", [OVER, AROUND])
def test_swing_is_at_rest_on_its_footsteps_at_both_ends(one):
    found = swing_detour(swing(), [one], FEET, MARGIN, 0.86)
    for t, foot in ((0.0, found.start), (found.duration, found.end)):
        place, rate, change = found.at(t)
        np.testing.assert_allclose(place[:3], foot.position, atol=1e-12)
        np.testing.assert_allclose(rate, 0.0, atol=1e-12)
        np.testing.assert_allclose(change, 0.0, atol=1e-9)


@pytest.mark.parametrize("one", [OVER, AROUND])
def test_rates_and_accelerations_are_derivatives_and_do_not_jump(one):
    found = swing_detour(swing(), [one], FEET, MARGIN, 0.86)
    h = 1e-5
    for t in np.linspace(0.01, 0.79, 40):
        before, here, after = (found.at(t + s * h) for s in (-1, 0, 1))
        np.testing.assert_allclose((after[0] - before[0]) / (2 * h), here[1], atol=SMOOTH)
        np.testing.assert_allclose((after[1] - before[1]) / (2 * h), here[2], atol=1e3 * SMOOTH)


@pytest.mark.parametrize("one", [OVER, AROUND])
def test_half_of_the_margin_is_kept_all_along(one):
    found = swing_detour(swing(), [one], FEET, MARGIN, 0.86)
    places = np.array([found.at(t)[0] for t in np.linspace(0.0, 0.8, 2001)])
    near = KEPT * MARGIN - 1e-3  # between the samples that the search looks at
    abreast = (places[:, 0] + FEET.front > one.low[0] - near) & (places[:, 0] - FEET.back < one.high[0] + near)
    assert abreast.any()
    if one is OVER:
        assert places[abreast, 2].min() > one.high[2] + 0.35 * MARGIN  # between samples
        assert places[:, 2].max() == pytest.approx(0.19)
    else:
        assert (places[abreast, 1] - 0.12).min() > 0.85 * 0.06
        assert places[:, 2].max() == pytest.approx(0.05)


def test_gentlest_of_the_swings_that_pass_is_taken():
    found = swing_detour(swing(), [OVER], FEET, MARGIN, 0.86)
    hasty = SwingDetour(found.start, found.end, found.duration, found.top, found.shift, 0.25, 0.25, 0.2, 0.2)
    assert found.effort < hasty.effort


def test_plain_swing_stays_where_nothing_is_passed():
    plain = swing()
    assert swing_detour(plain, [], FEET, MARGIN, 0.86) is plain
    behind = obstacle(Manoeuvre("over", raised=0.19), low=(2.0, -0.2, 0.0), high=(2.1, 0.3, 0.16))
    assert swing_detour(plain, [behind], FEET, MARGIN, 0.86) is plain


def test_swing_that_starts_under_the_obstacle_is_refused():
    with pytest.raises(PlanningError, match="passes obstacle 'beam'"):
        swing_detour(swing(0.95), [OVER], FEET, MARGIN, 0.86)
