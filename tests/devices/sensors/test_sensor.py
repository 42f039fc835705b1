"""Rates, delays and random numbers that all sensors share."""

import numpy as np
import pytest
from devices.sensors.motions import hinge, turning

from tarsus.devices.sensors import Encoder, ErrorModel
from tarsus.devices.sensors.sensor import Sensor
from tarsus.errors import ArgumentError

EXACT = 1e-12
"""A ramp is interpolated exactly."""


def ramp(duration=1.0, step=1e-3, batch=()):
    return turning(hinge(), lambda t: 2.0 * t, lambda t: 2.0 + 0.0 * t, duration, step, batch)


@pytest.mark.parametrize("rate", [1000.0, 333.0, 130.7, 4000.0])
def test_samples_are_taken_at_the_sensors_own_times(rate):
    found = Encoder(joints=("pivot",), velocity="none", rate=rate).measure(ramp())
    np.testing.assert_allclose(found.time, np.arange(found.time.size) / rate, atol=EXACT)
    assert found.time.size == int(np.floor(rate + 1e-6)) + 1
    np.testing.assert_allclose(found.value[:, 0], 2.0 * found.time, atol=EXACT)


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.0025, 0.00371])
def test_reading_arrives_exactly_after_the_delay(delay):
    rate = 1000.0
    found = Encoder(joints=("pivot",), velocity="none", rate=rate, delay=delay).measure(ramp())
    fine = np.linspace(0.0, 0.9, 7001)
    held = found.held(fine)[:, 0]
    latest = np.floor((fine - delay) * rate + 1e-6) / rate  # the newest sample whose delay is over
    early = fine < delay - 1e-9
    assert np.isnan(held[early]).all()
    np.testing.assert_allclose(held[~early], 2.0 * latest[~early], atol=1e-9)


def test_same_seed_gives_the_same_bits():
    sensor = Encoder(joints=("pivot",), errors=ErrorModel(noise=0.1, bias_walk=0.2))
    first, second, other = (sensor.measure(ramp(), seed=seed).value for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, second)
    assert not np.any(first[1:] == other[1:])  # the first rate is zero


def test_sensors_of_other_names_have_other_noise():
    errors = ErrorModel(noise=0.1)
    left, right = (Encoder(joints=("pivot",), name=name, errors=errors).measure(ramp()) for name in ("l", "r"))
    assert abs(np.corrcoef(left.value[:, 0] - 2.0 * left.time, right.value[:, 0] - 2.0 * right.time)[0, 1]) < 0.15


def test_simulations_of_a_batch_have_noise_of_their_own_about_the_same_truth():
    found = Encoder(joints=("pivot",), velocity="none", errors=ErrorModel(noise=0.1)).measure(ramp(batch=(3, 2)))
    assert found.value.shape == (1001, 3, 2, 1)
    noise = found.value[..., 0] - 2.0 * found.time[:, None, None]
    assert np.ptp(noise[0]) > 0.0
    assert noise.std() == pytest.approx(0.1, rel=0.05)


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"rate": 0.0}, "rate of Encoder 'encoder' is 0.0"),
        ({"delay": -1.0}, "delay of Encoder"),
        ({"name": ""}, "needs a name"),
    ],
)
def test_bad_parameters_are_named(keywords, text):
    with pytest.raises(ArgumentError, match=text):
        Encoder(joints=("pivot",), **keywords)


def test_seed_that_is_no_number_is_refused():
    with pytest.raises(ArgumentError, match="seed is 'x'"):
        Encoder(joints=("pivot",)).measure(ramp(), seed="x")


def test_a_sensor_that_tells_nothing_of_its_errors_is_named():
    class Mute(Sensor):
        def labels(self, model):
            return ("x",)

        def truth(self, motion):
            return motion.q[..., :1]

    with pytest.raises(ArgumentError, match="the sensor Mute tells nothing of its errors: define `error_parts`"):
        Mute(name="mute").error_parts()
