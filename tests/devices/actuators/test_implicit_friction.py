"""Coulomb's law within a step of a mass on a spring."""

import numpy as np
import pytest

from tarsus.devices.actuators.implicit_friction import implicit_friction
from tarsus.devices.actuators.linear_step import LinearStep

MASS, SPRING, LEVEL = 0.1, 2e3, 3.0
X, W, F = 0, 1, 2
"""Entries of y: position, rate, friction."""
MATRIX = np.array([[0.0, 1.0, 0.0], [-SPRING / MASS, 0.0, -1.0 / MASS], [0.0, 0.0, 0.0]])


def taken(x, w, h):
    """Friction of a step of length h, rate at its end, and way."""
    step = LinearStep.of(MATRIX, {}, h)
    y = np.stack([*np.broadcast_arrays(np.asarray(x, float), np.asarray(w, float)), np.zeros(np.shape(x))], axis=-1)
    f = implicit_friction(step, y, np.full(np.shape(x), LEVEL), W, F)
    y[..., F] = f
    end, mean, _ = step.taken(y)
    return f, end[..., W], mean[..., W] * h, end


def test_mass_at_rest_is_held_with_the_force_of_the_spring():
    x = np.array([-1.0, 0.3, 1.0]) * 0.99 * LEVEL / SPRING
    f, end, way, _ = taken(x, 0.0 * x, 1e-3)
    np.testing.assert_allclose(f, -SPRING * x, rtol=1e-12)
    np.testing.assert_allclose(end, 0.0, atol=1e-15)
    np.testing.assert_allclose(way, 0.0, atol=1e-18)


def test_mass_that_slides_meets_the_full_level_against_its_motion():
    f, end, way, _ = taken([0.0, 0.0], [2.0, -2.0], 1e-3)
    np.testing.assert_array_equal(f, [LEVEL, -LEVEL])
    assert np.all(end * f > 0.0)
    assert np.all(way * f > 0.0)


def test_friction_never_gives_energy_and_never_exceeds_its_level():
    rng = np.random.default_rng(0)
    x, w = rng.normal(scale=5e-3, size=20000), rng.normal(scale=0.5, size=20000)
    for h in (1e-4, 1e-3, 3e-3):
        f, _, way, _ = taken(x, w, h)
        assert np.all(f * way >= -1e-15)
        assert np.all(np.abs(f) <= LEVEL)


@pytest.mark.parametrize("h", [2e-4, 1e-3])
def test_swing_dies_away_by_two_levels_over_stiffness_a_half_period_and_stops(h):
    # a mass on a spring with Coulomb friction: each half swing is shorter by 2 LEVEL / SPRING, then it sticks
    start = 10.4 * LEVEL / SPRING
    x, w, turns = np.array(start), np.array(0.0), [start]
    for _ in range(round(0.25 / h)):
        _, _, _, end = taken(x, w, h)
        if end[W] * w < 0.0:
            turns.append(float(x))
        x, w = end[X], end[W]
    expected = (10.4 - 2.0 * np.arange(len(turns))) * LEVEL / SPRING
    # the turn itself falls between two steps: first order, LEVEL / MASS h^2 a turn and half a step's way
    np.testing.assert_allclose(np.abs(turns[:4]), expected[:4], atol=0.15 * h / 1e-3 * LEVEL / SPRING + 1e-4)
    assert abs(w) < 1e-12
    assert abs(x) <= LEVEL / SPRING
