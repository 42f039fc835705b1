"""CMA-ES on functions whose maxima are known."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.optimization.evolution_strategy import evolve


def ellipsoid(x):
    """Axes of very different lengths, turned."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    return -(((x - 0.3) @ turn) ** 2 @ np.logspace(0, 4, 6))


def test_it_adapts_to_long_valleys():
    found = evolve(ellipsoid, np.zeros(6), 0.3, population=12, generations=300, seed=1)
    np.testing.assert_allclose(found.best, 0.3, atol=1e-6)
    assert found.spread < 1e-6


def test_a_slope_is_climbed_with_growing_steps():
    found = evolve(lambda x: x[:, 0], np.zeros(4), 0.1, population=8, generations=40)
    assert found.spread > 1.0


def rosenbrock(x):
    return -100 * (x[:, 1] - x[:, 0] ** 2) ** 2 - (1 - x[:, 0]) ** 2


def test_the_best_of_all_generations_is_kept_and_repeated():
    seen = []
    one = evolve(rosenbrock, [0.0, 0.0], 0.5, population=8, generations=150, seed=2, on_generation=seen.append)
    two = evolve(rosenbrock, [0.0, 0.0], 0.5, population=8, generations=150, seed=2)
    np.testing.assert_array_equal(one.best, two.best)
    np.testing.assert_allclose(one.best, 1.0, atol=1e-6)
    assert np.all(np.diff([g.best_value for g in seen]) >= 0.0)


def test_points_without_a_value_are_worst():
    found = evolve(lambda x: np.where(x[:, 0] > 0.5, np.nan, x[:, 0]), [0.0, 0.0], 0.1, population=8, generations=60)
    assert 0.4 < found.best[0] <= 0.5


@pytest.mark.parametrize("wrong", [{"population": 3}, {"generations": 0}, {"spread": 0.0}])
def test_what_makes_no_sense_is_refused(wrong):
    options = {"population": 8, "generations": 2, "spread": 0.1} | wrong
    with pytest.raises(ArgumentError, match="expected at least 4"):
        evolve(lambda x: x[:, 0], [0.0], options.pop("spread"), **options)
