"""Pressure shared by the feet that stand."""

import numpy as np
import pytest

from tarsus.walking.stabilizer.hybrid.contact_setpoints import TOUCH, LoadDistribution

WEIGHT = 600.0
HALF = np.array([0.1, 0.05])
PLACES = [np.array([0.1, 0.1]), np.array([-0.1, -0.1])]
YAW = [0.3, -0.2]


@pytest.fixture
def distribution():
    return LoadDistribution([HALF, HALF], WEIGHT)


def pressure_of(wrench):
    """Where forces and moments in axes of the soles put the pressure, world axes, shape (2,)."""
    total = np.zeros(2)
    for (f, tx, ty), place, yaw in zip(wrench, PLACES, YAW, strict=True):
        x, y = -ty, tx  # times f
        c, s = np.cos(yaw), np.sin(yaw)
        total += f * place + [c * x - s * y, s * x + c * y]
    return total / wrench[:, 0].sum()


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.2, 0.8), (1.0, 0.0)])
def test_forces_and_moments_put_the_pressure_where_it_is_wanted(distribution, shares):
    shares = np.array(shares)
    wanted = shares @ PLACES + [0.02, -0.01]
    told = distribution.setpoints(wanted, shares, PLACES, YAW, np.zeros(2))
    np.testing.assert_allclose(pressure_of(told.wrench), wanted, atol=1e-12)
    np.testing.assert_allclose(told.missing, 0.0, atol=1e-12)
    np.testing.assert_allclose(told.wrench[:, 0], WEIGHT * shares)


def test_what_soles_cannot_give_is_told_and_moments_stay_within_them(distribution):
    wanted = np.array([0.6, 0.0])
    told = distribution.setpoints(wanted, np.array([0.5, 0.5]), PLACES, YAW, np.zeros(2))
    np.testing.assert_allclose(pressure_of(told.wrench) + told.missing, wanted, atol=1e-12)
    assert (np.abs(told.wrench[:, 1]) <= WEIGHT / 2 * HALF[1] + 1e-9).all()
    assert (np.abs(told.wrench[:, 2]) <= WEIGHT / 2 * HALF[0] + 1e-9).all()


def test_foot_on_its_toes_presses_at_its_front_edge_and_leaves_the_rest_to_the_other(distribution):
    wanted = np.zeros(2)
    told = distribution.setpoints(wanted, np.array([0.5, 0.5]), PLACES, YAW, np.array([0.0, 1.0]))
    assert told.wrench[1, 2] == pytest.approx(-WEIGHT / 2 * HALF[0])
    np.testing.assert_allclose(pressure_of(told.wrench) + told.missing, wanted, atol=1e-12)


def test_loads_follow_the_pressure_between_feet_and_are_left_alone_at_lift_off_and_touch_down(distribution):
    both, change = [True, True], 0.05 * (PLACES[0] - PLACES[1])
    half = distribution.shares(np.array([0.5, 0.5]), both, PLACES, change)
    np.testing.assert_allclose(half, [0.55, 0.45])
    np.testing.assert_allclose(distribution.shares(np.array([1.0, 0.0]), both, PLACES, change), [1 - TOUCH, TOUCH])
    np.testing.assert_allclose(distribution.shares(np.array([0.7, 0.3]), [False, True], PLACES, change), [0.0, 1.0])
