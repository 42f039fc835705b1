"""Buschmann 2014 figures 3.10 and 3.11: drift of a pendulum described by multipliers, and what stabilisation costs.

A point mass of 1 kg on a rod of 1 m starts horizontally and at rest, in Cartesian coordinates; an embedded Runge-Kutta
method of order five runs with absolute and relative tolerances of 1e-6 (the book: ode45 for 100 s).
"""

from functools import cache

import numpy as np
import pytest
from dynamics.integration import runge_kutta_step
from dynamics.loop_models import point_pendulum
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.arrays import FloatArray

TOLERANCE = 1e-6
"""Of the integrator, as in the book."""
START = (1.0, 0.0, 0.0, 0.0)


@cache
def run(alpha: float, duration: float) -> tuple[FloatArray, FloatArray, int]:
    """Times, constraint violations [m] and number of function calls."""
    model, constraints = point_pendulum()
    zero = np.zeros(2)

    def f(t: float, x: FloatArray) -> FloatArray:
        motion = ts.constrained_dynamics(model, x[:2], x[2:], zero, constraints, alpha=alpha)
        return np.concatenate([x[2:], motion.vdot])

    result = solve_ivp(f, (0.0, duration), START, method="RK45", rtol=TOLERANCE, atol=TOLERANCE)
    assert result.success
    return result.t, np.abs(np.hypot(*result.y[:2]) - 1.0), result.nfev


def test_violation_grows_quadratically_without_stabilisation() -> None:
    t, violation, _ = run(0.0, 50.0)
    late = t > 20.0
    slope, _ = np.polyfit(np.log(t[late]), np.log(violation[late]), 1)
    assert slope == pytest.approx(2.0, abs=0.2)  # figure 3.10: "inclination two in log-log graph"
    assert violation[-1] > 100.0 * TOLERANCE


def test_violation_is_bounded_with_stabilisation() -> None:
    t, violation, _ = run(1.0, 15.0)
    early, late = violation[(t > 2.0) & (t < 8.0)].max(), violation[t > 8.0].max()
    assert late < 1.5 * early
    assert late < 2.0 * TOLERANCE  # figure 3.11: "approximately equal to the error bounds for numerical integration"


def test_violation_falls_and_function_calls_rise_with_large_alpha() -> None:
    worst, calls = zip(
        *((run(alpha, 2.0)[1].max(), run(alpha, 2.0)[2]) for alpha in (0.1, 1.0, 10.0, 50.0)), strict=True
    )
    assert worst[3] < worst[2] < worst[0]
    assert calls[1] < 1.3 * calls[0]  # "almost constant for a small value of alpha"
    assert calls[3] > 4.0 * calls[0]  # "strongly increases the required number of time steps"


def test_projection_keeps_the_violation_at_round_off() -> None:
    model, constraints = point_pendulum()
    q, v = np.array(START[:2]), np.array(START[2:])

    def f(q: FloatArray, v: FloatArray) -> FloatArray:
        return ts.constrained_dynamics(model, q, v, np.zeros(2), constraints).vdot

    worst = 0.0
    for _ in range(200):
        q, v = runge_kutta_step(model, q, v, 0.01, f)
        q = ts.project_position(model, q, constraints)
        v = ts.project_velocity(model, q, v, constraints)
        worst = max(worst, abs(np.hypot(*q) - 1.0), abs(q @ v))
    assert worst < 1e-12
    # the closed form at 2 s (IFToMM benchmark A01): x = 0.793566195343321747; the step's own error is left
    assert q[0] == pytest.approx(0.793566195343321747, abs=1e-6)
