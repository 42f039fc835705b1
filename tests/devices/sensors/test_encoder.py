"""Encoders: counts and rates."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, hinge, still, turning
from sample_models import double_pendulum

import tarsus as ts
from tarsus.devices.sensors import Encoder, ErrorModel
from tarsus.errors import ArgumentError, UnknownNameError

W = 3.0
"""[rad/s]"""


def swing():
    return turning(hinge(), lambda t: np.sin(W * t), lambda t: W * np.cos(W * t), 2.0)


def test_readings_are_whole_counts_within_half_a_count():
    step = Encoder.counts(4096, 10.0)
    assert step == pytest.approx(2.0 * np.pi / 40960)
    found = Encoder(joints=("pivot",), errors=ErrorModel(resolution=step), velocity="none").measure(swing())
    counts = found.value[:, 0] / step
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert np.abs(found.value[:, 0] - np.sin(W * found.time)).max() <= 0.5 * step + 1e-12


def test_rate_from_differences_is_the_mean_rate_since_the_last_sample():
    found = Encoder(joints=("pivot",), rate=500.0).measure(swing())
    expected = np.diff(np.sin(W * found.time)) * 500.0
    np.testing.assert_allclose(found.value[1:, 1], expected, atol=1e-9)
    assert found.value[0, 1] == 0.0


def test_rate_of_a_coarse_encoder_jumps_by_one_count_over_the_sample_time():
    step, rate = 1e-3, 1000.0
    found = Encoder(joints=("pivot",), errors=ErrorModel(resolution=step), rate=rate).measure(swing())
    jumps = found.value[:, 1] / (step * rate)
    np.testing.assert_allclose(jumps, np.round(jumps), atol=1e-6)
    assert np.abs(found.value[1:, 1] - W * np.cos(W * found.time[1:])).max() < 1.01 * step * rate


def test_filtered_rate_is_the_low_pass_of_the_differences():
    model = hinge()
    time = 1e-3 * np.arange(500)
    ramp = Recording(model, time, 2.0 * time[:, None], np.full((500, 1), 2.0))
    found = Encoder(joints=("pivot",), velocity="filtered", cutoff=50.0).measure(ramp)
    np.testing.assert_allclose(found.value[:, 1], 2.0 * (1.0 - np.exp(-50.0 * time)), rtol=1e-9, atol=1e-12)


def test_filter_makes_the_rate_quieter():
    errors = ErrorModel(resolution=1e-3)
    plain, smooth = (
        Encoder(joints=("pivot",), errors=errors, velocity=mode, cutoff=50.0).measure(swing()).value[200:, 1]
        for mode in ("difference", "filtered")
    )
    truth = W * np.cos(W * 1e-3 * np.arange(2001))[200:]
    assert np.std(smooth - truth) < 0.4 * np.std(plain - truth)


def test_joints_are_read_in_the_order_given():
    model = double_pendulum().build()
    recording = Recording(model, np.array([0.0, 1.0]), np.array([[0.1, 0.2]] * 2), np.array([[1.0, 2.0]] * 2))
    sensor = Encoder(joints=("elbow", "shoulder"), rate=1.0)
    assert sensor.labels(model) == ("elbow", "shoulder", "elbow rate", "shoulder rate")
    np.testing.assert_allclose(sensor.measure(recording).value[0], [0.2, 0.1, 0.0, 0.0])


def test_joints_of_a_floating_robot_stand_behind_its_base():
    model = ts.robots.rabbit()
    joint = next(name for name in model.joints if name != "base")
    found = Encoder(joints=(joint,)).measure(still(model, 0.01))
    np.testing.assert_allclose(found.value[:, 0], model.reference[model.joints[joint].q_index][0])


def test_bad_input_is_named():
    with pytest.raises(UnknownNameError, match="velocity of Encoder is 'fast'"):
        Encoder(joints=("pivot",), velocity="fast")
    with pytest.raises(ArgumentError, match="cutoff"):
        Encoder(joints=("pivot",), cutoff=0.0)
    with pytest.raises(UnknownNameError, match="pivot"):
        Encoder(joints=("pivo",)).measure(swing())
    free = ts.ModelBuilder(base="free").add_link("a", ts.Inertia.of_sphere(1.0, 0.1)).build()
    with pytest.raises(ArgumentError, match="one independent coordinate"):
        Encoder(joints=("base",)).measure(still(free, 0.01))
