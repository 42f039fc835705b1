"""Programs whose objective sees few directions, with corners at which many rows meet: levels of control hierarchies."""

import numpy as np
import pytest

from tarsus.optimization import QP

RESIDUAL = 1e-7
"""Of violated rows and of the gradient, absolute: entries are of size one."""


def flat_program(seed, n=30, rank=3, rows=70, tight=25):
    """1/2 |J x - t|^2 with J of few rows; `tight` of the rows meet in one point."""
    rng = np.random.default_rng(seed)
    J, t = rng.normal(size=(rank, n)), 5.0 * rng.normal(size=rank)
    A = rng.normal(size=(rows, n))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    value = A @ rng.normal(size=n)
    lower = value - rng.exponential(size=rows) * (np.arange(rows) >= tight)
    upper = np.where(rng.random(rows) < 0.5, value + rng.exponential(size=rows), np.inf)
    return J, t, A, lower, upper


@pytest.mark.parametrize("backend", ["native", "daqp"])
def test_flat_programs_are_solved(backend):
    for seed in range(300):
        J, t, A, lower, upper = flat_program(seed)
        found = QP(J.T @ J, -J.T @ t, A, lower, upper).solve(backend)
        assert found.success, (seed, found.reason)
        assert np.maximum(lower - A @ found.x, A @ found.x - upper).max() < RESIDUAL
        assert np.abs(J.T @ (J @ found.x - t) + A.T @ found.multipliers).max() < RESIDUAL
        slack = np.minimum(A @ found.x - lower, upper - A @ found.x)
        assert (np.abs(found.multipliers) * slack).max() < RESIDUAL
