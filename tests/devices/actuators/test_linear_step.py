"""The exact step of a linear system."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from tarsus.devices.actuators.linear_step import LinearStep

ROUNDING = 1e-12
"""Relative; a handful of squarings of well-conditioned matrices."""
INTEGRATOR = 1e-9
"""Relative tolerance of the adaptive integrator that is compared with."""


def sample(seed, size=4, batch=()):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(*batch, size, size)) - 2.0 * np.eye(size)
    Q = rng.normal(size=(size, size))
    return F, Q + Q.T, rng.normal(size=(*batch, size))


def test_end_is_the_matrix_exponential():
    F, Q, _ = sample(0, batch=(3,))
    for h in (1e-3, 0.3, 4.0):
        step = LinearStep.of(F, {"p": Q}, h)
        np.testing.assert_allclose(step.end, expm(F * h), rtol=ROUNDING, atol=ROUNDING)


def test_mean_and_quadratic_integral_are_those_of_the_trajectory():
    F, Q, y = sample(1)
    h = 0.7

    def rates(t, z):
        return np.concatenate([F @ z[:4], z[:4], [z[:4] @ Q @ z[:4]]])

    found = solve_ivp(rates, (0.0, h), np.concatenate([y, np.zeros(5)]), rtol=1e-11, atol=1e-12, method="DOP853")
    step = LinearStep.of(F, {"p": Q}, h)
    end, mean, integrals = step.taken(y)
    np.testing.assert_allclose(end, found.y[:4, -1], rtol=INTEGRATOR, atol=INTEGRATOR)
    np.testing.assert_allclose(mean, found.y[4:8, -1] / h, rtol=INTEGRATOR, atol=INTEGRATOR)
    np.testing.assert_allclose(integrals["p"], found.y[8, -1], rtol=INTEGRATOR)


def test_very_fast_decay_stays_finite_and_right():
    rate, h = 1e7, 1.0
    step = LinearStep.of(np.array([[-rate]]), {"p": np.eye(1)}, h)
    assert step.end[0, 0] == 0.0
    np.testing.assert_allclose(step.mean[0, 0], 1.0 / rate, rtol=1e-9)  # 26 doublings, each with its rounding
    np.testing.assert_allclose(step.integrals["p"][0, 0], 0.5 / rate, rtol=1e-9)
