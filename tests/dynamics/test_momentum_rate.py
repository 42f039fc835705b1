"""dA/dt v: the rate of the momentum without acceleration."""

import numpy as np
import pytest

import tarsus as ts

STEP = 1e-6
DIFFERENCES = 1e-6
"""Relative: error of central differences with this step, of second order, and their rounding."""


@pytest.mark.parametrize("name", ["hrp2", "lola", "rabbit", "planar4", "crops9"])
def test_rate_of_momentum_at_constant_velocity_equals_differences(name):
    model = getattr(ts.robots, name)()
    rng = np.random.default_rng(5)
    q, v = np.stack([model.random(rng) for _ in range(3)]), rng.normal(size=(3, model.nv))
    after, before = model.integrate(q, v, STEP), model.integrate(q, v, -STEP)
    expected = (ts.momentum(model, after, v) - ts.momentum(model, before, v)) / (2 * STEP)
    found = ts.momentum_dot_v(model, q, v)
    np.testing.assert_allclose(found, expected, atol=DIFFERENCES * (1.0 + np.abs(expected).max()))
    assert np.abs(found).max() > 1e-3


def test_momentum_changes_by_what_acts_from_outside():
    """A vdot + dA/dt v of a robot in free flight is its weight, and no moment about its centre of mass."""
    model = ts.robots.hrp2()
    rng = np.random.default_rng(6)
    q, v = model.random(rng), rng.normal(size=model.nv)
    tau = rng.normal(size=model.nv) * model.actuated
    rate = ts.momentum_matrix(model, q) @ ts.forward_dynamics(model, q, v, tau) + ts.momentum_dot_v(model, q, v)
    weight = np.concatenate([model.total_mass * np.asarray(model.gravity), np.zeros(3)])
    np.testing.assert_allclose(rate, weight, atol=1e-9 * model.total_mass * 9.81)
