"""Batches of quadratic programs."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.optimization import QP, solve_batch


def batch(rng, count=37, n=6, m=9):
    J = rng.standard_normal((count, n, n))
    H = np.swapaxes(J, 1, 2) @ J + 0.1 * np.eye(n)
    A = rng.standard_normal((count, m, n))
    lower = -rng.exponential(0.5, (count, m))
    lower[::5, 0], lower[::7, 1] = 3.0, -np.inf
    upper = lower + rng.exponential(1.0, (count, m))
    upper[np.isneginf(lower)] = 0.1
    return H, 3 * rng.standard_normal((count, n)), A, lower, upper


@pytest.mark.parametrize("threads", [1, 3])
def test_every_program_of_a_batch_is_solved_as_alone_bit_by_bit(threads):
    H, g, A, lower, upper = batch(np.random.default_rng(0))
    found = solve_batch(H, g, A, lower, upper, x_min=-2.0, x_max=2.0, threads=threads)
    statuses = set()
    for i in range(len(g)):
        one = QP(H[i], g[i], A[i], lower[i], upper[i], x_min=-2.0, x_max=2.0).solve("native")
        assert found.status[i] == one.status
        np.testing.assert_array_equal(found.x[i], one.x)
        np.testing.assert_array_equal(found.active[i], one.active)
        np.testing.assert_array_equal(found.multipliers[i], one.multipliers)
        np.testing.assert_array_equal(found.bound_multipliers[i], one.bound_multipliers)
        assert found.iterations[i] == one.iterations
        statuses.add(one.status)
    assert statuses == {"optimal", "infeasible"}
    assert found.success.sum() == (found.status == "optimal").sum()


def test_leading_axes_broadcast_and_one_matrix_serves_all():
    rng = np.random.default_rng(1)
    H, A = np.eye(3) * 2.0, rng.standard_normal((4, 3))
    g = rng.standard_normal((5, 2, 3))
    found = solve_batch(H, g, A, -0.1, rng.uniform(0.1, 1.0, (2, 4)), weights=[1.0, np.inf, 2.0, np.inf])
    assert found.x.shape == (5, 2, 3)
    assert found.multipliers.shape == (5, 2, 4)
    assert found.status.shape == (5, 2)
    assert found.success.all()
    again = solve_batch(np.broadcast_to(H, (5, 2, 3, 3)), g, np.broadcast_to(A, (5, 2, 4, 3)))
    np.testing.assert_array_equal(again.x, solve_batch(H, g).x)


def test_an_empty_batch_has_empty_results():
    found = solve_batch(np.eye(2), np.zeros((0, 2)), threads=4)
    assert found.x.shape == (0, 2)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"H": np.stack([np.eye(2), -np.eye(2)])}, ArgumentError, r"H of program \[1\] is not positive semi-definite"),
        ({"g": [[0.0, np.nan]]}, NonFiniteError, "g: found nan"),
        ({"A": np.eye(3)}, ShapeError, "A: found shape"),
        ({"A": np.eye(2), "lower": [2.0, 0.0], "upper": 1.0}, ArgumentError, "above upper"),
        ({"threads": 0}, ArgumentError, "threads: found 0"),
        ({"H": np.ones(2)}, ShapeError, "H: found shape"),
        ({"A": np.eye(2), "weights": 0.0}, ArgumentError, "weights: found 0.0"),
    ],
)
def test_bad_input_is_refused_by_name(given, error, text):
    with pytest.raises(error, match=text):
        solve_batch(**{"H": np.eye(2), "g": np.zeros((2, 2)), **given})
