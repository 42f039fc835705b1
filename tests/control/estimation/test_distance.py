"""A trotting quadruped: how far the estimate drifts on the way."""

import numpy as np
import pytest
from tests.control.estimation.on_sensors import FEET, trot

import tarsus as ts
from tarsus.contact import Compliant
from tarsus.control import Support
from tarsus.devices.sensors import ContactSwitch, ForceTorqueSensor

DRIFT = 0.02
"""Of the distance."""


def drift(found):
    return np.linalg.norm(found.place[-1]) / found.way


def test_drift_is_below_two_percent_of_the_way():
    found = trot(4.0)
    assert found.way > 1.3
    assert drift(found) < DRIFT
    assert np.degrees(np.abs(found.turn[:, :2]).max()) < 1.0
    assert np.sqrt(np.mean(found.speed**2)) < 0.01


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_drift_is_below_two_percent_of_twenty_metres(seed):
    found = trot(52.0, seed=seed)
    assert found.way > 20.0
    assert drift(found) < DRIFT


def test_balls_that_are_taken_for_points_cost_several_percent():
    """Feet of 2 cm radius roll by about as much; the filter must know."""
    points = {"contacts": [Support(foot, patch=False) for foot in FEET]}
    assert drift(trot(2.0, options=points)) > 2.0 * drift(trot(2.0))


def test_feet_that_slip_are_noticed_and_left_out():
    found = trot(3.0, law=Compliant(friction=0.25))
    assert any("slipped" in word for word in found.words)
    assert drift(found) < 0.05


def test_switches_tell_as_much_as_force_sensors():
    model = ts.robots.quadruped()
    sensors = [s for s in ts.sensors.proprioception(model, FEET) if not isinstance(s, ForceTorqueSensor)]
    sensors += [ContactSwitch(body=foot, name=foot) for foot in FEET]
    assert drift(trot(2.0, sensors=sensors)) < 1.5 * DRIFT


def test_a_push_of_10_newton_seconds_against_the_trunk_is_followed():
    push = ts.simulation.Push("trunk", (0.0, 100.0, 0.0), start=1.0, duration=0.1)
    found = trot(2.5, pushes=[push])
    assert np.abs(found.run.v[:, 1]).max() > 0.4
    assert np.linalg.norm(found.place, axis=1).max() < 0.06
    assert np.degrees(np.abs(found.turn).max()) < 2.0


def test_the_inertial_unit_may_be_on_any_body():
    sensors = ts.sensors.proprioception(ts.robots.quadruped(), FEET, imu="fl_thigh_link")
    found = trot(2.0, sensors=sensors)
    assert drift(found) < DRIFT


def test_without_a_start_the_first_reading_of_the_accelerometer_is_one():
    found = trot(2.0, start=False)
    first = found.place[0]
    assert np.linalg.norm(found.place[-1] - first) / found.way < 1.5 * DRIFT
    assert np.degrees(np.abs(found.turn[-500:, :2]).max()) < 1.0
