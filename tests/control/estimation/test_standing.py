"""HRP-2 stands on what sensors tell: noise, biases, faults, pushes."""

from dataclasses import replace

import numpy as np
import pytest
from tests.control.estimation.on_sensors import SOLES, stand

import tarsus as ts
from tarsus.devices.sensors import IMU, Encoder
from tarsus.simulation import Push

PLACE, TURN = 5e-3, np.radians(0.5)
"""What standing must reach [m, rad]."""
JOINTS = tuple(ts.robots.hrp2().joints)[1:]


def check(found, place=PLACE, turn=TURN):
    assert np.linalg.norm(found.place, axis=1).max() < place
    assert np.linalg.norm(found.turn, axis=1).max() < turn
    assert found.run.q[-1, 2] > 0.6


def push(impulse, angle, start=0.5):
    """At the chest, for 0.1 s [N s]."""
    force = impulse / 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
    return Push("CHEST_LINK1", tuple(force), start=start, duration=0.1)


def test_standing_for_five_seconds_within_5_mm_and_half_a_degree():
    found = stand(5.0, every=5)
    check(found)
    assert set(found.words[2:]) == {"stands on l_sole, r_sole"}
    assert found.estimator.status.good


@pytest.mark.long
def test_standing_for_a_minute_within_5_mm_and_half_a_degree():
    found = stand(60.0, every=5)
    check(found)
    assert set(found.words[2:]) == {"stands on l_sole, r_sole"}  # no false alarm


@pytest.mark.parametrize("angle", [0.0, 2.0])
def test_a_push_of_10_newton_seconds_is_survived_as_with_the_true_state(angle):
    found = stand(1.2, pushes=[push(10.0, angle)], every=4)
    check(found)
    known = stand(1.2, pushes=[push(10.0, angle)], every=4, truth=True)
    ways = [np.linalg.norm(ts.center_of_mass(each.run.model, each.run.q)[:, :2], axis=1) for each in (found, known)]
    assert np.abs(ways[0] - ways[1]).max() < 3e-3


@pytest.mark.long
@pytest.mark.parametrize("direction", range(12))
def test_pushes_of_10_newton_seconds_from_twelve_directions(direction):
    check(stand(3.0, pushes=[push(10.0, direction * np.pi / 6.0)]))


def dead_imu(t, readings):
    readings["imu"][:] = np.nan


def wild_gyroscope(t, readings):
    readings["imu"][:3] = 1e6


def dead_accelerometer(t, readings):
    readings["imu"][3:] = np.nan


def accelerometer_at_zero(t, readings):
    """As where a wire is off."""
    readings["imu"][3:] = 0.0


def imu_at_zero(t, readings):
    readings["imu"][:] = 0.0


def dead_force_sensor(t, readings):
    readings["l_sole"][:] = np.nan


def dead_knee(t, readings):
    readings["encoder"][JOINTS.index("LLEG_JOINT3")] = np.nan


def dead_elbow(t, readings):
    readings["encoder"][JOINTS.index("LARM_JOINT3")] = np.inf


def jumping_knee(t, readings):
    readings["encoder"][JOINTS.index("LLEG_JOINT3")] += 0.05


FAULTS = {
    jumping_knee: "stands on l_sole, r_sole; LLEG_JOINT3: has jumped by 0.05",
    dead_imu: "imu: gyroscope reads no number or more than 50, accelerometer reads no number or more than 1000",
    wild_gyroscope: "imu: gyroscope reads no number or more than 50",
    dead_accelerometer: "imu: accelerometer reads no number or more than 1000",
    accelerometer_at_zero: "imu: accelerometer reads that of a fall while supports carry the robot",
    imu_at_zero: "imu: accelerometer reads that of a fall while supports carry the robot",
    dead_force_sensor: "stands on r_sole; l_sole: no load of 'l_sole'",
    dead_knee: "stands on r_sole; LLEG_JOINT3: no number, or a jump",
    dead_elbow: "LARM_JOINT3: no number, or a jump",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_sensor_that_dies_is_named_and_the_robot_stands_on_under_a_push(fault):
    found = stand(0.8, fault=fault, pushes=[push(6.0, 0.0, start=0.4)], every=4)
    check(found)
    assert FAULTS[fault] in found.words[-1]
    assert not found.estimator.status.good


def test_late_and_slow_sensors_are_no_hindrance():
    def changed(sensor):
        if isinstance(sensor, IMU):
            return replace(sensor, rate=500.0, delay=1e-3)
        return replace(sensor, delay=3e-3, rate=500.0 if isinstance(sensor, Encoder) else 250.0)

    sensors = [changed(s) for s in ts.sensors.proprioception(ts.robots.hrp2(), SOLES)]
    found = stand(1.2, sensors=sensors, pushes=[push(6.0, 1.0)], every=4)
    assert found.estimator.delay == 3e-3
    check(found)
