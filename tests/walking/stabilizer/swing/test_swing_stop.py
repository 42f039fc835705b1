"""Swings that end where a foot meets the ground."""

import numpy as np
import pytest

from tarsus.walking.stabilizer.swing.swing_stop import AT_ONCE, STOPPING, SwingStop

PLACE = np.array([0.3, 0.1, 0.02])


def stopped(dt, v, off=(0.0, 0.0, 0.0), catching=0.0):
    """Places that are wanted: a swing of steady velocity up to its last one, and from then on."""
    stop, last = SwingStop(dt), PLACE + np.array(off)
    swung = [last + k * dt * np.array(v) for k in range(-9, 1)]
    for place in swung:
        stop.swing(place)
    return np.array(swung), np.array([stop.stand(PLACE, catching) for _ in range(round(2 * STOPPING / dt))])


def test_a_swing_that_is_stopped_goes_on_with_its_speed_and_comes_to_rest():
    dt, v = 1e-4, np.array([0.2, -0.05, -0.4])
    swung, found = stopped(dt, v, off=[0.001, 0.0, 0.002])
    path = np.concatenate([swung, found])
    rate = np.diff(path, axis=0) / dt
    change = np.abs(np.diff(rate, axis=0)) / dt
    np.testing.assert_allclose(rate[9], v, atol=0.02)  # the first one after it met the ground
    assert change.max() < 30.0 * np.abs(v).max() / STOPPING  # no jump: that would be v / dt, hundreds of times as much
    after = round(0.01 / dt)
    np.testing.assert_allclose(found[after:], np.tile(PLACE, (len(found) - after, 1)), atol=1e-12)


@pytest.mark.parametrize("off", [-0.004, 0.004])
@pytest.mark.parametrize("speed", [-0.5, 0.0, 0.5])
def test_a_foot_is_not_wanted_on_the_other_side_of_where_it_stands(off, speed):
    _, found = stopped(2e-4, [0.0, 0.0, speed], off=[0.0, 0.0, off])
    assert (np.sign(off) * (found[:, 2] - PLACE[2]) >= -1e-15).all()


def test_a_foot_that_catches_the_robot_stops_sooner_or_at_once():
    dt, v = 1e-4, [0.3, 0.0, -0.3]
    ends = [np.abs(stopped(dt, v, off=[0.01, 0, 0], catching=c)[1] - PLACE).max(axis=1) > 1e-12 for c in (0.0, 0.5)]
    assert ends[1].sum() == pytest.approx(0.5 * ends[0].sum(), abs=1)
    _, found = stopped(dt, v, off=[0.01, 0, 0], catching=1.0 - AT_ONCE)
    np.testing.assert_array_equal(found, np.tile(PLACE, (len(found), 1)))


def test_a_foot_that_has_not_swung_is_wanted_where_it_stands():
    np.testing.assert_array_equal(SwingStop(0.002).stand(PLACE), PLACE)
