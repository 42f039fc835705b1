"""Where and when to step."""

import numpy as np
import pytest

from tarsus.walking.stabilizer.step_adaptation import HASTE, USED, StepAdaptation

OMEGA = 3.5
HALF = np.array([0.11, 0.06])
AT_ONCE = 1e3
"""Pace at which a landing moves within one cycle [m/s]."""


def adaptation(**changes):
    given = {"forward": 0.3, "outward": 0.3, "inward": 0.05, "pace": AT_ONCE} | changes
    return StepAdaptation(OMEGA, (HALF, HALF), **given)


def adapt(found, xi, planned, *, swinging=0, lead=1.0, left_over=0.3, yaw=0.0):
    return found.adapt(np.array(xi), np.array(planned), np.zeros(2), yaw, swinging, lead, left_over, np.zeros(2), 0.005)


def at_touch_down(xi, p, t):
    return p + (xi - p) * np.exp(OMEGA * t)


def test_step_stays_as_planned_where_some_pressure_within_the_sole_leads_there():
    xi = np.array([0.04, 0.03])
    for p in (-0.9 * USED * HALF, np.zeros(2), 0.9 * USED * HALF):
        found = adapt(adaptation(), xi, at_touch_down(xi, p, 0.3))
        np.testing.assert_array_equal(found.shift, 0.0)
        assert found.rate == 1.0


def test_landing_moves_by_what_the_best_pressure_leaves():
    xi, planned, t = np.array([0.14, 0.03]), np.array([0.12, 0.05]), 0.3
    best = at_touch_down(xi, USED * HALF, t)
    found = adapt(adaptation(), xi, planned, lead=0.8)
    assert found.shift[0] == pytest.approx((best[0] - planned[0]) / 0.8)
    assert found.rate == 1.0


def test_step_is_hurried_where_its_landing_would_be_out_of_reach():
    xi, planned = np.array([0.22, 0.03]), np.array([0.12, 0.04])
    slow = at_touch_down(xi, USED * HALF, 0.3)[0] - planned[0]
    assert slow > 0.3
    found = adapt(adaptation(), xi, planned)
    assert 1.0 < found.rate <= HASTE
    np.testing.assert_allclose(found.shift[0], at_touch_down(xi, USED * HALF, 0.3 / found.rate)[0] - planned[0])
    assert found.shift[0] <= 0.3


def test_feet_go_further_outward_than_inward_on_both_sides():
    for swinging, out in ((0, 1.0), (1, -1.0)):
        for side, most in ((out, 0.3), (-out, 0.05)):
            found = adapt(adaptation(), [0.0, 0.5 * side], [0.0, 0.05 * out], swinging=swinging)
            assert found.shift[1] == pytest.approx(side * most)


def test_landing_turns_with_the_foot_that_stands():
    yaw = 0.7
    R = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    xi, planned = np.array([0.14, 0.12]), np.array([0.12, 0.05])
    straight = adapt(adaptation(), xi, planned)
    turned = adapt(adaptation(), R @ xi, R @ planned, yaw=yaw)
    np.testing.assert_allclose(turned.shift, R @ straight.shift, atol=1e-12)


def test_landing_moves_no_faster_than_its_pace():
    found = adapt(adaptation(pace=2.0), [0.3, 0.0], [0.1, 0.0])
    assert np.linalg.norm(found.shift) == pytest.approx(2.0 * 0.005)
