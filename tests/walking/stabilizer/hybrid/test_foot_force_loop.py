"""Forces of a foot by its position: closed forms of one foot on a spring."""

import math

import numpy as np
import pytest

from tarsus.walking.stabilizer.hybrid.foot_compliance import PRESSED
from tarsus.walking.stabilizer.hybrid.foot_force_loop import FORGETTING, MOST_RAISED, RATE, FootForceLoop

DT = 1e-4
"""Cycle, so short that sums are integrals to 1 % [s]."""
FREE = np.full(3, np.inf)
"""No bound of the error."""


def compliance(seed=0):
    """A compliance with couplings, shape (6, 6)."""
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return 1e-6 * (A @ A.T + np.eye(6))


def pressed(C, way):
    """Force of a spring of compliance C on a foot that its position loop moves by -way against it, shape (6,)."""
    felt = np.zeros(6)
    felt[PRESSED] = np.linalg.solve(C[np.ix_(PRESSED, PRESSED)], -way[PRESSED])
    return felt


def test_force_is_the_wanted_one_at_once_where_the_compliance_is_right():
    C, wanted = compliance(), np.array([0.0, 0.0, 300.0, 5.0, -8.0, 0.0])
    loop = FootForceLoop(0.8, FREE)
    loop.advance(DT, C, wanted, wanted, np.ones(3))
    np.testing.assert_allclose(pressed(C, loop.way)[PRESSED], wanted[PRESSED], rtol=1e-12)


def test_errors_of_forces_fall_at_the_rate_of_the_loop_and_its_leak_in_all_directions():
    C, wanted = compliance(), np.zeros(6)
    loop, felt = FootForceLoop(0.8, FREE), np.array([0.0, 0.0, 20.0, 1.0, -2.0, 0.0])
    beside, steps = np.array(felt), 400  # ground that is higher and steeper than it was taken for
    for _ in range(steps):
        loop.advance(DT, C, wanted, beside + pressed(C, loop.way), np.ones(3))
    rate = RATE + 1.0 / FORGETTING
    rest = (1.0 / FORGETTING + RATE * math.exp(-rate * steps * DT)) / rate
    np.testing.assert_allclose((beside + pressed(C, loop.way))[PRESSED], rest * felt[PRESSED], rtol=0.01)


def test_error_that_stays_is_that_of_the_leak():
    C = compliance()
    loop, beside = FootForceLoop(0.8, FREE), np.array([0.0, 0.0, 20.0, 1.0, -2.0, 0.0])
    for _ in range(20_000):
        loop.advance(DT, C, np.zeros(6), beside + pressed(C, loop.way), np.ones(3))
    left = (beside + pressed(C, loop.way))[PRESSED]
    np.testing.assert_allclose(left, beside[PRESSED] / (1.0 + RATE * FORGETTING), rtol=1e-6)


def test_directions_that_are_not_selected_keep_their_position():
    loop = FootForceLoop(0.8, FREE)
    loop.advance(DT, np.eye(6), np.zeros(6), np.full(6, 7.0), np.array([0.0, 1.0, 0.0]))
    assert loop.way[3] > 0.0
    assert not loop.way[[0, 1, 2, 4, 5]].any()


def test_loop_stops_at_its_bounds_and_says_so():
    loop = FootForceLoop(0.8, FREE)
    loop.advance(DT, np.eye(6), np.zeros(6), np.zeros(6), np.ones(3))
    assert not loop.bounded
    loop.advance(1.0, np.eye(6), np.zeros(6), np.array([0, 0, 1.0, 0, 0, 0]), np.ones(3))
    assert loop.bounded and loop.way[2] == pytest.approx(MOST_RAISED * 0.8)


def test_foot_in_the_air_comes_back():
    loop = FootForceLoop(0.8, FREE)
    loop.advance(1e-3, 1e-3 * np.eye(6), np.zeros(6), np.full(6, 10.0), np.ones(3))
    first = loop.way.copy()
    for _ in range(1000):
        loop.advance(1e-3, 1e-3 * np.eye(6), np.zeros(6), np.zeros(6), np.zeros(3))
    np.testing.assert_allclose(loop.way, first * math.exp(-1.0 / FORGETTING), rtol=0.02)
