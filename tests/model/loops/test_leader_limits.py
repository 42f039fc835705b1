"""Limits of dependent joints narrow the range of the joint that leads them."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import DOUBLE_ROCKER, cam, four_bar
from model.loops.test_inexact import tilted_four_bar

import tarsus as ts
from tarsus.model.assembly import assemble
from tarsus.model.loops.leader_limits import intersection, leader_interval, polynomial_interval

FOUND = 1e-9
"""[rad or m] to which the end of an interval is known: digits of the relation divided by its slope."""
ROCKER = 2
"""Place of the rocker `d` among the coordinates of the four-bar's tree."""


def limited(builder: ts.ModelBuilder, **limits: tuple[float, float]) -> ts.Model:
    """The mechanism with limits on some joints."""
    description = builder.describe()
    joints = (
        replace(joint, q_min=limits[joint.name][0], q_max=limits[joint.name][1]) if joint.name in limits else joint
        for joint in description.joints
    )
    return assemble(replace(description, joints=tuple(joints)))


def test_parallelogram_narrows_its_crank_exactly() -> None:
    model = limited(four_bar((1.0, 0.4, 1.0, 0.4)), d=(0.5, 1.75), a=(-3.0, 3.0))
    np.testing.assert_allclose([model.q_min[0], model.q_max[0]], [0.5, 1.75], atol=1e-12)


@pytest.mark.parametrize("make", [lambda: four_bar(DOUBLE_ROCKER), tilted_four_bar], ids=["exact", "inexact"])
def test_rocker_at_its_limit_is_where_the_crank_ends(make: object) -> None:
    free = limited(make(), a=(0.8, 1.4))  # type: ignore[operator]
    ends = free.joint_positions(np.array([[0.8], [1.4]]))[:, ROCKER]
    low, high = np.interp([0.25, 0.75], [0.0, 1.0], np.sort(ends))
    model = limited(make(), a=(0.8, 1.4), d=(low, high))  # type: ignore[operator]
    found = model.joint_positions(np.array([[model.q_min[0]], [model.q_max[0]]]))[:, ROCKER]
    np.testing.assert_allclose(np.sort(found), [low, high], atol=FOUND)
    rng = np.random.default_rng(0)
    drawn = model.joint_positions(model.random(rng, (50,)))[:, ROCKER]
    assert ((drawn >= low - FOUND) & (drawn <= high + FOUND)).all()


def test_rocker_that_swings_both_ways_leaves_its_crank_alone() -> None:
    """A crank that turns all the way round moves the rocker to and fro: no interval of it says what is meant."""
    model, free = limited(four_bar(), d=(1.0, 2.0)), four_bar().build()
    assert (model.q_min[0], model.q_max[0]) == (free.q_min[0], free.q_max[0])


def test_limits_that_leave_nothing_are_left_out() -> None:
    model, free = limited(four_bar(DOUBLE_ROCKER), d=(5.0, 6.0)), four_bar(DOUBLE_ROCKER).build()
    assert (model.q_min[0], model.q_max[0]) == (free.q_min[0], free.q_max[0])


def test_cam_stops_its_wheel() -> None:
    """0.1 + 0.2 x - 0.05 x^2 + 0.03 x^3 rises everywhere."""
    model = limited(cam(), up=(0.0, 0.25))
    heights = model.joint_positions(np.array([[model.q_min[0]], [model.q_max[0]]]))[:, 1]
    np.testing.assert_allclose(heights, [0.0, 0.25], atol=FOUND)


def test_interval_of_a_sampled_relation() -> None:
    span = np.linspace(-1.0, 1.0, 9)

    def falling(x: float) -> tuple[float, float]:
        return -(x**3) - x, -3.0 * x**2 - 1.0

    values = np.array([falling(x)[0] for x in span])
    found = leader_interval(falling, span, values, -0.625, 10.0)
    assert found == pytest.approx((-1.0, 0.5), abs=1e-12)
    assert leader_interval(falling, span, values, -5.0, 5.0) is None
    assert leader_interval(falling, span, values, 3.0, 5.0) is None
    assert leader_interval(falling, span, span**2, 0.1, 0.5) is None


@pytest.mark.parametrize(
    ("coefficients", "leader", "limits", "expected"),
    [
        ((1.0, 2.0), (-np.inf, np.inf), (0.0, 3.0), (-0.5, 1.0)),
        ((1.0, -2.0), (-np.inf, np.inf), (0.0, np.inf), (-np.inf, 0.5)),
        ((0.0, 0.0, 0.0, 1.0), (-np.inf, np.inf), (-8.0, 27.0), (-2.0, 3.0)),
        ((0.0, 0.0, 1.0), (0.5, 3.0), (-1.0, 4.0), (0.5, 2.0)),
        ((0.0, 0.0, 1.0), (-1.0, 3.0), (0.0, 4.0), None),
        ((0.0, 1.0), (0.0, 1.0), (-1.0, 2.0), None),
        ((0.0, 1.0), (0.0, 1.0), (2.0, 3.0), None),
        ((5.0,), (0.0, 1.0), (0.0, 1.0), None),
    ],
)
def test_interval_of_a_polynomial(coefficients, leader, limits, expected) -> None:  # type: ignore[no-untyped-def]
    found = polynomial_interval(coefficients, leader, *limits)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize("coefficients", [(0.0, 1.0, 1e308, 1e308), (1e308, 1e-308, 1e-300), (0.0, 1e308, 0.0, 1e-308)])
@pytest.mark.parametrize("leader", [(-1.0, 1.0), (-np.inf, np.inf), (-1e300, 1e300)])
def test_coefficients_beyond_computing_exclude_nothing_and_warn_of_nothing(coefficients, leader) -> None:  # type: ignore[no-untyped-def]
    found = polynomial_interval(coefficients, leader, -1.0, 1.0)
    assert found is None or leader[0] <= found[0] <= found[1] <= leader[1]


def test_intervals_that_share_nothing_keep_the_first() -> None:
    assert intersection((0.0, 2.0), (1.0, 3.0)) == (1.0, 2.0)
    assert intersection((0.0, 1.0), (2.0, 3.0)) == (0.0, 1.0)
    assert intersection(None, (2.0, 3.0)) == (2.0, 3.0)
    assert intersection((0.0, 1.0), None) == (0.0, 1.0)
