"""Stairs, and where feet go on them."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError, PlanningError
from tarsus.walking import Stairs, StepLimits

SOLE = (0.11, 0.06)
LIMITS = StepLimits(0.2, 0.2, 0.5)


@pytest.mark.parametrize("rise", [0.1, -0.1])
def test_both_feet_go_onto_the_middle_of_every_tread_and_no_sole_is_over_an_edge(rise):
    stairs = Stairs(3, rise, 0.3, start=0.6)
    feet = stairs.footsteps(0.2, SOLE, LIMITS)
    assert [foot.left for foot in feet] == [True, False] * (len(feet) // 2)
    for left, right in zip(feet[::2], feet[1::2], strict=True):
        np.testing.assert_array_equal(left.position[[0, 2]], right.position[[0, 2]])
        assert left.position[1] == -right.position[1] == 0.1
    risers = stairs.start + stairs.run * np.arange(stairs.count)
    for foot in feet:
        below = np.sum(risers < foot.position[0])  # risers that are behind it
        assert foot.position[2] == pytest.approx(below * rise)
        assert np.abs(risers - foot.position[0]).min() > SOLE[0]
    assert feet[-1].position[2] == pytest.approx(3 * rise)


def test_steps_before_the_stairs_are_no_longer_than_they_may_be():
    feet = Stairs(1, 0.1, 0.3, start=2.0).footsteps(0.2, SOLE, LIMITS)
    x = np.array([foot.position[0] for foot in feet[:-2:2]])
    assert x[0] == 0.0 and x[-1] == pytest.approx(2.0 - SOLE[0] - 0.03)
    assert np.diff(x).max() <= LIMITS.length + 1e-12


def test_the_foot_that_leads_can_be_chosen():
    assert not Stairs(1, 0.1, 0.3).footsteps(0.2, SOLE, LIMITS, first="right")[0].left


@pytest.mark.parametrize(
    ("stairs", "told"),
    [
        (Stairs(2, 0.1, 0.2), "treads are 0.2 m deep, and soles 0.22 m long"),
        (Stairs(2, -0.3, 0.3), "risers are 0.3 m high; at most 0.25 m"),
        (Stairs(2, 0.1, 0.3, start=0.1), "need 0.14 m before them"),
    ],
)
def test_stairs_that_feet_do_not_fit_on_are_refused_with_the_numbers(stairs, told):
    with pytest.raises(PlanningError, match=told):
        stairs.footsteps(0.2, SOLE, LIMITS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [((0, 0.1, 0.3), "count"), ((2.5, 0.1, 0.3), "count"), ((2, 0.0, 0.3), "rise"), ((2, np.nan, 0.3), "rise"),
     ((2, 0.1, -0.3), "run"), ((2, 0.1, 0.3, np.inf), "start")],
)  # fmt: skip
def test_stairs_that_are_none_are_refused_by_name(arguments, told):
    with pytest.raises(ArgumentError, match=f"{told} of Stairs is"):
        Stairs(*arguments)
