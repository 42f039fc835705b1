"""Inertial units that integrate, against closed forms and against the trembling that aliases into single moments."""

import numpy as np
import pytest
from devices.sensors.motions import hinge, still, turning

from tarsus.devices.sensors import IMU, ErrorModel, SensorSuite, StrapdownIMU, proprioception
from tarsus.errors import UnknownNameError

EXACT = 1e-9
"""Differences of angles and speeds of order 1, over 1 to 10 ms."""
ARM = 0.5
"""From the axis of the hinge to its tip [m]."""


def swing(rate, amplitude=1.0):
    return turning(hinge(), lambda t: amplitude * np.sin(rate * t), lambda t: amplitude * rate * np.cos(rate * t), 1.0)


def test_at_rest_it_reads_gravity_upwards():
    found = StrapdownIMU(frame="tip").measure(still(hinge(), 0.01))
    np.testing.assert_allclose(found.value, np.broadcast_to([0, 0, 0, 0, 0, 9.81], (11, 6)), atol=EXACT)


def test_readings_are_the_turn_and_the_change_of_velocity_since_the_last_one():
    w, rate = 4.0, 100.0
    found = StrapdownIMU(frame="tip", rate=rate).measure(swing(w))
    t = found.time
    angle, speed = np.sin(w * t), ARM * w * np.cos(w * t)
    np.testing.assert_allclose(found.value[1:, 2], np.diff(angle) * rate, atol=EXACT)
    v = np.stack([-speed * np.sin(angle), speed * np.cos(angle)])
    a = np.diff(v, axis=1) * rate
    c, s = np.cos(angle[1:]), np.sin(angle[1:])
    np.testing.assert_allclose(found.value[1:, 3], c * a[0] + s * a[1], atol=1e-8)
    np.testing.assert_allclose(found.value[1:, 4], c * a[1] - s * a[0], atol=1e-8)
    np.testing.assert_allclose(found.value[1:, 5], 9.81, atol=EXACT)


def test_first_reading_is_that_of_a_unit_which_reads_single_moments():
    recording = swing(4.0)
    first = [kind(frame="tip").measure(recording).value[0] for kind in (IMU, StrapdownIMU)]
    np.testing.assert_array_equal(*first)


def test_trembling_between_readings_adds_up_to_the_turn_where_single_moments_alias():
    # 100 Hz seen 100 times a second: every single moment shows the same angular velocity
    recording = swing(2 * np.pi * 100.0, amplitude=0.01)
    turned = {kind: kind(frame="tip", rate=100.0).measure(recording).value[1:, 2].sum() / 100.0
              for kind in (IMU, StrapdownIMU)}  # fmt: skip
    assert abs(turned[StrapdownIMU]) < EXACT
    assert turned[IMU] > 5.0


def test_in_a_suite_it_reads_what_it_reads_afterwards():
    recording = swing(4.0)
    unit = StrapdownIMU(frame="tip", rate=1000.0, gyroscope=ErrorModel(noise=0.01), accelerometer=ErrorModel(bias=0.1))
    suite = SensorSuite(recording.model, [unit], seed=3)
    told = []
    for t, q, v in zip(recording.time, recording.q, recording.v, strict=True):
        suite.observe(t, q, v)
        told.append(suite.readings(t)["imu"])
    found = unit.measure(recording, seed=3).value
    np.testing.assert_allclose(np.array(told)[1:], found[1:], atol=1e-8)


def test_unknown_frames_are_refused_by_name():
    with pytest.raises(UnknownNameError, match="nowhere"):
        StrapdownIMU(frame="nowhere").measure(still(hinge(), 0.01))


def test_usual_sensors_have_an_integrating_unit_where_it_is_asked_for():
    units = [[s for s in proprioception(hinge(), ["tip"], integrating=x) if isinstance(s, IMU)] for x in (False, True)]
    assert type(units[0][0]) is IMU and type(units[1][0]) is StrapdownIMU
