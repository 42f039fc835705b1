"""The pendulum of figures 3.10 and 3.11 obeys (3.61)."""

import numpy as np
import pytest
from benchmarks.growth import slope
from benchmarks.papers.pendulum import GRAVITY, LENGTH, TOLERANCE, constrained_acceleration, swing

ROUNDING = 1e-12
"""Of a 3 x 3 system with entries of order one."""
DURATION = 100.0
"""[s], 42 swings to and fro."""


@pytest.mark.parametrize("angle", [0.0, 0.7, -1.3, 2.5])
def test_on_the_constraint_it_is_the_equation_of_the_pendulum(angle):
    """With the angle from the downward vertical: angle'' = -g / l sin(angle)."""
    rate = 1.7
    along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    a = np.array(constrained_acceleration(tuple(LENGTH * along), tuple(LENGTH * rate * across), alpha=3.0))
    assert abs(a @ across - -GRAVITY * np.sin(angle)) < ROUNDING
    assert abs(a @ along - -LENGTH * rate**2) < ROUNDING


@pytest.mark.parametrize("alpha", [0.0, 1.0, 20.0])
def test_violations_obey_the_stabilised_equation(alpha):
    rng = np.random.default_rng(4)
    for _ in range(20):
        r, v = rng.normal(size=(2, 2))
        a = np.array(constrained_acceleration(tuple(r), tuple(v), alpha))
        distance = np.linalg.norm(r)
        rate = r @ v / distance
        second = (v @ v + r @ a - rate**2) / distance  # d2/dt2 of |r|
        expected = -2.0 * alpha * rate - alpha**2 * (distance - LENGTH)
        assert abs(second - expected) < ROUNDING * max(1.0, abs(expected), np.abs(a).max())


def test_violation_grows_quadratically_without_stabilisation():
    motion = swing(0.0, DURATION)
    assert 1.75 < slope(motion.t[1:], motion.largest[1:], DURATION / 10.0) < 2.25


def test_violation_is_bounded_with_stabilisation():
    motion = swing(1.0, DURATION)
    early = motion.largest[np.searchsorted(motion.t, DURATION / 10.0)]
    assert motion.largest[-1] < 1.5 * early
    assert motion.largest[-1] < 10.0 * TOLERANCE


def test_large_alpha_costs_evaluations_and_gives_accuracy():
    mild, strong = swing(1.0, 5.0), swing(100.0, 5.0)
    assert strong.evaluations > 3 * mild.evaluations
    assert strong.largest[-1] < 0.1 * mild.largest[-1]
