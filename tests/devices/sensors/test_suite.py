"""Sensors while a simulation runs, and controllers that see what they measure."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, hinge, turning

from tarsus.devices.sensors import IMU, Encoder, ErrorModel, MeasuredController, SensorSuite
from tarsus.errors import ArgumentError, ShapeError
from tarsus.simulation import with_signals

LAST_BITS = 1e-11
"""One state and the same state in a batch may differ in the last bits."""


def swing(batch=()):
    return turning(hinge(), lambda t: np.sin(3.0 * t), lambda t: 3.0 * np.cos(3.0 * t), 0.3, 1e-3, batch)


def sensors():
    noisy = ErrorModel(noise=0.01, bias_walk=0.02)
    return (
        Encoder(joints=("pivot",), errors=noisy, rate=370.0, delay=0.0123),
        IMU(frame="tip", gyroscope=noisy, accelerometer=noisy, rate=200.0),
    )


def watched(recording, seed=0):
    suite = SensorSuite(recording.model, sensors(), seed)
    for t, q, v in zip(recording.time, recording.q, recording.v, strict=True):
        suite.observe(float(t), q, v)
    return suite


@pytest.mark.parametrize("batch", [(), (3,)])
def test_watching_a_run_gives_the_readings_of_measuring_it_afterwards(batch):
    recording = swing(batch)
    suite = watched(recording, seed=7)
    for sensor in sensors():
        after = sensor.measure(recording, seed=7)
        time, value = suite.log.recorded(sensor.name)
        np.testing.assert_allclose(time, after.available, atol=1e-12)
        first = 1 if isinstance(sensor, IMU) else 0  # at the very first instant there is no acceleration yet
        np.testing.assert_allclose(value[first:], after.value[first:], atol=LAST_BITS)


def test_watching_is_repeatable_to_the_bit():
    one, other = (watched(swing(), seed=3) for _ in range(2))
    for name in one.log.names:
        np.testing.assert_array_equal(one.log.recorded(name)[1], other.log.recorded(name)[1])


def test_going_back_in_time_begins_anew_with_the_same_numbers():
    recording = swing()
    suite = watched(recording)
    first = suite.log.recorded("encoder")[1]
    for t, q, v in zip(recording.time, recording.q, recording.v, strict=True):
        suite.observe(float(t), q, v)
    np.testing.assert_array_equal(suite.log.recorded("encoder")[1], first)


def test_readings_arrive_after_their_delay():
    model = hinge()
    suite = SensorSuite(model, [Encoder(joints=("pivot",), velocity="none", rate=1000.0, delay=0.0025)])
    seen = []
    for k in range(10):
        t = k * 1e-3
        suite.observe(t, np.array([t]), np.array([1.0]))
        seen.append(suite.readings(t).get("encoder", np.array([np.nan]))[0])
    assert np.isnan(seen[:3]).all()
    np.testing.assert_allclose(seen[3:], 1e-3 * np.arange(7), atol=1e-12)  # two and a half steps late: three


def test_signals_land_in_the_trajectory():
    recording = swing()
    result = with_signals(recording, watched(recording).log)
    assert set(result.signals) == {"encoder", "imu"}
    assert result.signals["imu"].shape == (recording.time.size, 6)
    assert np.isnan(result.signals["encoder"][recording.time < 0.0122]).all()
    assert np.isfinite(result.signals["encoder"][recording.time > 0.0124]).all()
    assert recording.signals == {}


def test_controller_is_told_what_the_encoder_reads():
    model, told = hinge(), []

    def controller(t, q, v):
        told.append((q[0], v[0]))
        return np.zeros(1)

    suite = SensorSuite(model, [Encoder(joints=("pivot",), errors=ErrorModel(bias=0.5), rate=1000.0, delay=0.001)])
    measured = MeasuredController(controller, suite)
    for k in range(4):
        measured(k * 1e-3, np.array([k * 2e-3]), np.array([2.0]))
    # before the first reading the truth; then 1 ms late with the bias, the first rate not known yet
    np.testing.assert_allclose(told, [(0.0, 2.0), (0.5, 0.0), (0.502, 2.0), (0.504, 2.0)], atol=1e-9)


def test_estimator_decides_what_the_controller_is_told():
    model = hinge()
    suite = SensorSuite(model, [IMU(frame="tip")])

    def estimator(t, readings, q, v):
        return q * np.nan, readings["imu"][..., 2:3]

    measured = MeasuredController(lambda t, q, v: 10.0 * v, suite, estimator)
    np.testing.assert_allclose(measured(0.0, np.array([0.3]), np.array([1.5])), 15.0)


def test_bad_input_is_named():
    model = hinge()
    with pytest.raises(ArgumentError, match="two sensors are called 'encoder'"):
        SensorSuite(model, [Encoder(joints=("pivot",)), Encoder(joints=("pivot",))])
    with pytest.raises(ShapeError, match=r"q of a motion has shape \(2,\), expected \(..., 1\)"):
        SensorSuite(model, []).observe(0.0, np.zeros(2), np.zeros(1))
    short = Recording(model, np.array([0.0]), np.zeros((1, 1)), np.zeros((1, 1)))
    assert Encoder(joints=("pivot",)).measure(short).value.shape == (1, 2)
