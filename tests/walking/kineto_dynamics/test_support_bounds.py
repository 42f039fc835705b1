"""Pressure is led back into the hull of the contacts."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.walking.kineto_dynamics.support_bounds import SupportBounds

SQUARE = SupportBounds.of([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.0, 0.0)])


def test_distance_from_a_square_is_that_to_its_nearest_edge():
    assert SQUARE.beyond(np.array([0.5, 0.0])) == pytest.approx(-0.5)
    assert SQUARE.beyond(np.array([1.5, 0.0])) == pytest.approx(0.5)
    assert SQUARE.nearest(np.array([3.0, 4.0])) == pytest.approx([1.0, 1.0])


def test_as_much_of_a_change_is_taken_as_stays_inside_in_its_direction():
    inside, less = SQUARE.saturated(np.zeros(2), np.array([0.5, -0.2]))
    assert inside == pytest.approx([0.5, -0.2]) and not less
    clipped, less = SQUARE.saturated(np.array([0.5, 0.0]), np.array([2.0, 1.0]))
    assert clipped == pytest.approx([1.0, 0.25]) and less


def test_any_pressure_ends_inside():
    rng = np.random.default_rng(0)
    bounds = SupportBounds.of(rng.normal(size=(12, 2)))
    for p, change in zip(3.0 * rng.normal(size=(300, 2)), 3.0 * rng.normal(size=(300, 2)), strict=True):
        assert bounds.beyond(bounds.saturated(p, change)[0]) < 1e-12


def test_points_on_a_line_are_refused():
    with pytest.raises(ArgumentError, match="an area"):
        SupportBounds.of([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)])
