"""Slopes and crossovers of run times."""

import math

import numpy as np
import pytest
from benchmarks.growth import crossover, slope

ROUNDING = 1e-12
"""Of a least-squares fit through points of an exact power law."""


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 1.0, 2.5])
def test_slope_of_a_power_law_is_its_exponent(exponent):
    n = np.array([2.0, 4.0, 16.0, 100.0])
    assert abs(slope(n, 3.0 * n**exponent) - exponent) < ROUNDING


def test_slope_looks_at_large_sizes_only_where_asked():
    n = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    t = np.where(n < 4.0, 100.0, n**2)
    assert abs(slope(n, t, smallest=4.0) - 2.0) < ROUNDING
    assert slope(n, t) < 1.0


def test_slope_of_one_point_is_not_a_number():
    assert math.isnan(slope([1.0, 2.0], [1.0, 2.0], smallest=2.0))


def test_slope_of_n_log_n_lies_between_one_and_two():
    n = 2.0 ** np.arange(6, 14)
    assert 1.1 < slope(n, n * np.log2(n)) < 1.2


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([9.0, 9.0, 1.0, 1.0], 4.0),
        ([1.0, 1.0, 1.0, 1.0], 1.0),
        ([1.0, 9.0, 1.0, 1.0], 4.0),
        ([1.0, 1.0, 1.0, 9.0], None),
        ([5.0, 5.0, 5.0, 5.0], None),
    ],
)
def test_crossover_is_where_a_curve_stays_below_its_rival(times, expected):
    assert crossover([1, 2, 4, 8], times, [5.0] * 4) == expected


def test_nothing_crosses_where_nothing_was_measured():
    assert crossover([], [], []) is None
