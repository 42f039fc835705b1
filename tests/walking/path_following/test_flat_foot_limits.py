"""What keeps a flat foot flat."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError
from tarsus.walking import FlatFootLimits, pressure_of

LIMITS = FlatFootLimits(heel=-0.05, toe=0.1, friction=0.5, least_force=10.0)


def within(wrench):
    """The five inequalities, written out."""
    fx, fz, n = wrench
    return fz >= 10.0 and abs(fx) <= 0.5 * fz and -0.05 <= -n / fz <= 0.1


def test_margins_are_negative_exactly_where_the_foot_slips_tips_or_lifts():
    rng = np.random.default_rng(5)
    wrenches = rng.uniform([-80.0, -50.0, -20.0], [80.0, 200.0, 20.0], (2000, 3))
    margins = LIMITS.margins(wrenches)
    assert [bool(m.min() >= 0.0) for m in margins] == [within(w) for w in wrenches]
    assert 100 < sum(map(within, wrenches)) < 1900


def test_pressure_is_where_the_moment_vanishes():
    forces, at = np.array([50.0, 80.0]), np.array([0.02, -0.03])
    wrenches = np.stack([np.zeros(2), forces, -at * forces], axis=-1)  # of vertical forces at these places
    assert np.abs(pressure_of(wrenches) - at).max() < 1e-15


def test_bounded_number_is_the_nearest_one_of_a_grid_that_keeps_the_foot_flat():
    rng = np.random.default_rng(6)
    grid = np.linspace(-20.0, 20.0, 8001)
    counts = {"": 0, "infeasible": 0, "other": 0}
    for _ in range(300):
        constant, linear = rng.normal([0.0, 60.0, 0.0], [25.0, 40.0, 4.0]), rng.normal(0.0, [15.0, 15.0, 2.0])
        wanted = rng.uniform(-8.0, 8.0)
        value, limit = LIMITS.bounded(wanted, constant, linear)
        fits = grid[LIMITS.margins(constant + grid[:, None] * linear).min(axis=1) >= 0.0]
        counts[limit if limit in counts else "other"] += 1
        if limit == "infeasible":
            assert not len(fits)
            assert value == wanted
        elif len(fits) and abs(value) < 19.0:
            nearest = fits[np.argmin(np.abs(fits - wanted))]
            assert abs(value - nearest) <= 0.0051 if limit else value == wanted
            assert LIMITS.margins(constant + value * np.asarray(linear)).min() > -1e-9
    assert min(counts.values()) > 20


def test_limit_that_bounds_is_named():
    up = [0.0, 100.0, 0.0]
    assert LIMITS.bounded(90.0, up, [1.0, 0.0, 0.0]) == (50.0, "friction")
    assert LIMITS.bounded(-200.0, up, [0.0, 1.0, 0.0]) == (-90.0, "normal force")
    assert LIMITS.bounded(20.0, up, [0.0, 0.0, 1.0]) == (5.0, "heel")
    assert LIMITS.bounded(-20.0, up, [0.0, 0.0, 1.0]) == (-10.0, "toe")
    assert LIMITS.bounded(1.0, [90.0, 100.0, 0.0], [0.0, 0.0, 1.0]) == (1.0, "infeasible")


def test_unfit_limits_are_refused():
    with pytest.raises(ArgumentError, match="heel behind toe"):
        FlatFootLimits(0.1, -0.1)
    with pytest.raises(ArgumentError, match="friction is -1"):
        FlatFootLimits(-0.1, 0.1, friction=-1)
