"""Derivatives along a motion by finite differences."""

from collections.abc import Callable

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray

STEP = 2e-3
"""[s]: the formula's error STEP^4 = 2e-11 is then about as small as the rounding 1e-16 / STEP."""
RELATIVE = 2e-8
"""Agreement with a derivative by finite differences, as a share of the largest entry: error of the formula times the
fifth derivative, which reaches some hundreds for velocities of a few rad/s."""


def derivative(f: Callable[[float], FloatArray], step: float = STEP) -> FloatArray:
    """Derivative of f at zero, central differences of fourth order."""
    return (8.0 * (f(step) - f(-step)) - (f(2.0 * step) - f(-2.0 * step))) / (12.0 * step)


def along(
    model: ts.Model, q: FloatArray, v: FloatArray, vdot: FloatArray | None = None
) -> Callable[[float], tuple[FloatArray, FloatArray]]:
    """Motion t -> (q, v) through a state with a given acceleration, right up to the second derivative of q.

    q(t) = q exp(t v + t^2 vdot / 2): the body-frame velocity at t is v + t vdot up to terms of second order in t.
    """
    rate = np.zeros(model.nv) if vdot is None else vdot
    return lambda t: (model.integrate(q, t * v + 0.5 * t * t * rate), v + t * rate)


def gradient(model: ts.Model, q: FloatArray, f: Callable[[FloatArray], FloatArray], step: float = STEP) -> FloatArray:
    """Derivatives of a function of the configuration along the unit velocities, stacked on the last axis."""

    def along_direction(direction: FloatArray) -> FloatArray:
        motion = along(model, q, direction)
        return derivative(lambda t: f(motion(t)[0]), step)

    return np.stack([along_direction(direction) for direction in np.eye(model.nv)], axis=-1)


def assert_derivative(found: FloatArray, expected: FloatArray, relative: float = RELATIVE) -> None:
    """Assert that an analytic result equals a finite difference."""
    scale = max(float(np.max(np.abs(expected), initial=0.0)), 1.0)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=relative * scale)
