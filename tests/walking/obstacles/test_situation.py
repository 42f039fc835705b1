"""Which class an obstacle is of, and what each foot does."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, PlanningError
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.walking.biped.biped import Biped
from tarsus.walking.obstacles.experiments import beam, triangle
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.passing_limits import PassingLimits
from tarsus.walking.obstacles.situation import situation

FEET = FootExtent(front=0.15, back=0.14, outside=0.08, inside=0.07)
LIMITS = PassingLimits(margin=0.03, longest=0.55, highest=0.25, outward=0.12, inward=0.04)
WIDTH, CLEARANCE, STEP = 0.24, 0.05, 0.3


def judged(low, high, limits=LIMITS):
    return situation("thing", (np.array(low), np.array(high)), WIDTH, FEET, limits, CLEARANCE, STEP)


def test_obstacle_outside_of_both_lanes_is_clear():
    found = judged((1.0, 0.25, 0.0), (1.1, 0.4, 0.2))
    assert found.kind == "clear"
    assert found.forbidden(True, FEET, 0.03) is None


def test_narrow_obstacle_between_the_feet_is_clear():
    # Inner edges of the feet are at 5 cm, margins end at 2 cm.
    assert judged((1.0, -0.015, 0.0), (1.1, 0.015, 0.3)).kind == "clear"
    assert judged((1.0, -0.03, 0.0), (1.1, 0.03, 0.3)).kind == "over"


def test_obstacle_in_one_lane_is_passed_with_a_foot_beside_it():
    found = judged((1.0, 0.06, 0.0), (1.1, 0.2, 0.1))
    assert found.kind == "beside"
    assert found.right.way == "straight"
    assert found.left.way == "over"
    assert found.left.raised == pytest.approx(0.13)


def test_shift_around_an_obstacle_is_the_overlap_with_the_margin():
    found = judged((1.0, -0.3, 0.0), (1.1, 0.05, 0.16))
    # Left foot: the edge at 0.05, the margin 0.03 and the inner half 0.07 of the foot, whose middle is at 0.12.
    assert found.left.way == "around"
    assert found.left.shift == pytest.approx(0.05 + 0.03 + 0.07 - 0.12)
    assert found.right.way == "over"
    assert found.right.raised == pytest.approx(0.19)


def test_less_severe_modification_is_chosen():
    low = judged((1.0, -0.3, 0.0), (1.1, 0.06, 0.03))
    assert low.left.way == "over"  # 1 cm above the ordinary swing beside a shift of 4 cm
    high = judged((1.0, -0.3, 0.0), (1.1, 0.06, 0.2))
    assert high.left.way == "around"


def test_swinging_inwards_is_possible_where_little_is_missing():
    found = judged((1.0, 0.2, 0.0), (1.1, 0.5, 0.4))
    assert found.left.way == "around"
    assert found.left.shift == pytest.approx(-(0.12 + 0.08 + 0.03 - 0.2))


def test_footsteps_are_forbidden_where_feet_with_margins_would_reach_the_box():
    found = judged((1.0, -0.3, 0.0), (1.1, 0.3, 0.1))
    assert found.forbidden(True, FEET, 0.03) == pytest.approx((1.0 - 0.03 - 0.15, 1.1 + 0.03 + 0.14))


def test_sides_mirror_each_other():
    a = judged((1.0, -0.2, 0.0), (1.1, 0.05, 0.16), PassingLimits(0.03, 0.55, 0.25, 0.12, 0.04))
    b = judged((1.0, -0.05, 0.0), (1.1, 0.2, 0.16), PassingLimits(0.03, 0.55, 0.25, 0.12, 0.04))
    assert a.left.way == b.right.way
    assert a.right.way == b.left.way


@pytest.mark.parametrize(
    ("high", "reason"),
    [
        ((1.1, 0.3, 0.3), "takes a raise of 0.33 m, and at most 0.25 m"),
        ((1.3, 0.3, 0.1), "takes a step of 0.65 m, and at most 0.55 m"),
    ],
)
def test_too_large_obstacle_is_refused_with_the_reason(high, reason):
    with pytest.raises(PlanningError, match=reason):
        judged((1.0, -0.3, 0.0), high)


@pytest.mark.parametrize("name", ["margin", "longest", "highest", "outward", "inward"])
@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf])
def test_limits_that_are_none_are_refused_by_name(name, value):
    numbers = {"margin": 0.03, "longest": 0.5, "highest": 0.2, "outward": 0.1, "inward": 0.0}
    with pytest.raises(ArgumentError, match=f"{name} of PassingLimits"):
        PassingLimits(**(numbers | {name: value}))


def test_experiments_are_of_the_classes_of_the_paper():
    # Both feet before and behind; the beam with the right foot over it and the left one around it, the triangle with
    # both around it (Buschmann 2014, 5.4.3).
    for one, ways in ((beam(), ("around", "over")), (triangle(), ("around", "around"))):
        found = situation(one.name, one.box(), WIDTH, FEET, LIMITS, CLEARANCE, STEP)
        assert found.kind == "over"
        assert (found.left.way, found.right.way) == ways


def test_what_a_leg_has_up_to_the_height_of_an_obstacle_counts_beside_it():
    """A shank that is wider than the foot, from 10 cm above the sole on."""
    lola = ts.robots.lola()
    wide = SweptSphere(np.array([[0.0, 0.0, 0.0]]), 0.15)
    name = next(name for name in lola.volumes if name == "l_shank")
    biped = Biped.of(lola.with_volumes({**lola.volumes, name: (wide,)}))
    low, high = FootExtent.of(biped), FootExtent.of(biped, 1.0)
    assert (low.front, low.back) == (high.front, high.back)
    assert high.inside > low.inside + 0.01
    assert FootExtent.of(biped, 0.02) == low
