"""Noise, drift, range and resolution."""

import numpy as np
import pytest

from tarsus.devices.sensors import ErrorModel
from tarsus.errors import ArgumentError, NonFiniteError

RATE = 100.0
RUNS, SAMPLES = 200, 4096


def readings(model, truth=0.0, runs=RUNS, samples=SAMPLES, seed=0):
    run = model.begin((runs,), RATE, np.random.default_rng(seed))
    return np.array([run(np.full(runs, truth)) for _ in range(samples)])


def allan(values, size):
    """Allan deviation of readings (N, runs) averaged over `size` samples; IEEE Std 952-1997 (C.2)."""
    count = values.shape[0] // size
    means = values[: count * size].reshape(count, size, -1).mean(axis=1)
    return np.sqrt(0.5 * np.mean(np.diff(means, axis=0) ** 2))


SPREAD = 0.05
"""Relative error of an Allan deviation from 200 runs with at least 16 averages each: 1 / sqrt(2 * 200 * 15) = 0.013."""


def test_allan_deviation_of_noise_falls_with_the_square_root_of_time():
    density = 0.02
    values = readings(ErrorModel(noise_density=density))
    sizes = np.array([1, 4, 16, 64, 256])
    found = np.array([allan(values, size) for size in sizes])
    np.testing.assert_allclose(found, density / np.sqrt(sizes / RATE), rtol=SPREAD)
    slope = np.polyfit(np.log(sizes), np.log(found), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.02)


def test_allan_deviation_of_drift_rises_with_the_square_root_of_time():
    walk = 0.03
    values = readings(ErrorModel(bias_walk=walk))
    sizes = np.array([16, 64, 256])
    found = np.array([allan(values, size) for size in sizes])
    np.testing.assert_allclose(found, walk * np.sqrt(sizes / RATE / 3.0), rtol=SPREAD)


def test_drift_has_the_variance_of_a_random_walk():
    end = readings(ErrorModel(bias_walk=0.03))[-1]
    expected = 0.03 * np.sqrt((SAMPLES - 1) / RATE)
    assert end.std() == pytest.approx(expected, rel=4.0 / np.sqrt(2 * RUNS))  # four standard errors


def test_noise_of_a_reading_does_not_depend_on_the_rate():
    assert readings(ErrorModel(noise=0.5)).std() == pytest.approx(0.5, rel=0.01)


def test_bias_is_constant_and_its_spread_is_drawn_once():
    np.testing.assert_array_equal(readings(ErrorModel(bias=-0.3), 1.0, samples=3), 0.7)
    values = readings(ErrorModel(bias_spread=0.2), samples=3)
    np.testing.assert_array_equal(values[0], values[2])
    assert values[0].std() == pytest.approx(0.2, rel=4.0 / np.sqrt(2 * RUNS))


def test_readings_saturate_and_are_multiples_of_the_resolution():
    model = ErrorModel(limit=1.0, resolution=0.25)
    run = model.begin((5,), RATE, np.random.default_rng(0))
    np.testing.assert_array_equal(run(np.array([0.1, 0.13, -0.4, 3.0, -3.0])), [0.0, 0.25, -0.5, 1.0, -1.0])


def test_quantisation_error_is_at_most_half_a_step_and_uniform():
    truth = np.random.default_rng(1).uniform(-5.0, 5.0, size=100000)
    error = ErrorModel(resolution=0.1).begin(truth.shape, RATE, np.random.default_rng(0))(truth) - truth
    assert np.abs(error).max() <= 0.05 + 1e-12
    assert error.std() == pytest.approx(0.1 / np.sqrt(12.0), rel=0.01)


def test_same_seed_gives_the_same_bits_and_another_one_does_not():
    model = ErrorModel(noise=1.0, bias_walk=0.1, bias_spread=0.1)
    first = readings(model, samples=20, seed=4)
    np.testing.assert_array_equal(first, readings(model, samples=20, seed=4))
    assert not np.any(first == readings(model, samples=20, seed=5))


def test_channels_may_have_their_own_parameters():
    run = ErrorModel(bias=[1.0, 2.0], limit=[np.inf, 1.5]).begin((4, 2), RATE, np.random.default_rng(0))
    np.testing.assert_array_equal(run(np.zeros((4, 2))), np.broadcast_to([1.0, 1.5], (4, 2)))


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"noise": -1.0}, ArgumentError, "noise of ErrorModel"),
        ({"limit": 0.0}, ArgumentError, "limit of ErrorModel"),
        ({"bias": np.inf}, ArgumentError, "bias of ErrorModel"),
        ({"noise_density": np.nan}, NonFiniteError, "noise_density"),
    ],
)
def test_bad_parameters_are_named(keywords, error, text):
    with pytest.raises(error, match=text):
        ErrorModel(**keywords)


@pytest.mark.parametrize("name", ["noise", "noise_density", "bias", "bias_spread", "bias_walk", "limit", "resolution"])
def test_parameters_that_do_not_fit_the_channels_are_refused(name):
    with pytest.raises(ArgumentError, match=r"do not fit readings of shape \(3,\)"):
        ErrorModel(**{name: [1.0, 2.0]}).begin((3,), RATE, np.random.default_rng(0))
