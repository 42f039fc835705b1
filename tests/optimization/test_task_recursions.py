"""Recursions for tasks of falling priority: against each other, pseudoinverses and damped least squares."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.optimization import baerlocher, nakamura, siciliano

SAME = 1e-10
"""Projected matrices have condition numbers up to 1e4 here."""


def random_tasks(rng, count=None):
    """Tasks of which some depend on others: algorithmic singularities."""
    n, tasks = int(rng.integers(2, 11)), []
    for _ in range(int(rng.integers(1, 6)) if count is None else count):
        m = int(rng.integers(1, 5))
        J = rng.standard_normal((m, n)) * 10.0 ** rng.uniform(-1, 1)
        if tasks and rng.random() < 0.5:
            J[0] = tasks[0][0][0]
        tasks.append((J, rng.standard_normal(m)))
    return tasks


def test_one_task_is_the_pseudoinverse():
    rng = np.random.default_rng(0)
    J, w = rng.standard_normal((3, 6)), rng.standard_normal(3)
    for found in (siciliano([(J, w)]), baerlocher([(J, w)])):
        np.testing.assert_allclose(found.x, np.linalg.pinv(J) @ w, atol=1e-13)
        assert found.ranks == (3,)


def test_two_tasks_agree_in_all_three_recursions():
    for seed in range(200):
        (J1, w1), (J2, w2) = random_tasks(np.random.default_rng(seed), 2)
        expected = nakamura(J1, w1, J2, w2)
        for found in (siciliano([(J1, w1), (J2, w2)]), baerlocher([(J1, w1), (J2, w2)])):
            np.testing.assert_allclose(found.x, expected.x, atol=SAME * max(1.0, np.abs(expected.x).max()))
            assert found.ranks == expected.ranks


def test_any_number_of_tasks_agrees_between_stacked_and_recursive_projectors():
    singular = 0
    for seed in range(200):
        tasks = random_tasks(np.random.default_rng([seed, 1]))
        a, b = siciliano(tasks), baerlocher(tasks)
        np.testing.assert_allclose(a.x, b.x, atol=SAME * max(1.0, np.abs(a.x).max()))
        assert a.ranks == b.ranks
        singular += any(rank < len(w) for rank, (_, w) in zip(a.ranks, tasks, strict=True))
    assert singular > 50


def test_later_tasks_do_not_disturb_earlier_ones_even_where_they_conflict():
    for seed in range(100):
        tasks = random_tasks(np.random.default_rng([seed, 2]))
        for recursion in (siciliano, baerlocher):
            for damping in (0.0, 0.3):
                whole = recursion(tasks, damping=damping)
                for k in range(1, len(tasks)):
                    part = recursion(tasks[:k], damping=damping)
                    for a, b in zip(part.errors, whole.errors, strict=False):
                        np.testing.assert_allclose(a, b, atol=1e-9)


def test_the_first_task_is_least_squares_and_the_second_is_within_its_nullspace():
    rng = np.random.default_rng(3)
    J1, J2 = rng.standard_normal((2, 5)), rng.standard_normal((4, 5))
    w1, w2 = rng.standard_normal(2), rng.standard_normal(4)
    found = nakamura(J1, w1, J2, w2)
    np.testing.assert_allclose(found.errors[0], 0.0, atol=1e-13)
    N = np.linalg.svd(J1)[2][2:].T
    x0 = np.linalg.pinv(J1) @ w1
    z = np.linalg.lstsq(J2 @ N, w2 - J2 @ x0, rcond=None)[0]
    np.testing.assert_allclose(found.x, x0 + N @ z, atol=1e-12)


def test_damping_is_least_squares_with_a_price_on_x():
    """Buschmann 2014 (5.22) with k = damping^2."""
    rng = np.random.default_rng(4)
    J, w = rng.standard_normal((3, 5)), rng.standard_normal(3)
    expected = np.linalg.solve(J.T @ J + 0.2**2 * np.eye(5), J.T @ w)
    for recursion in (siciliano, baerlocher):
        np.testing.assert_allclose(recursion([(J, w)], damping=0.2).x, expected, atol=1e-13)


def test_damping_near_singularities_vanishes_away_from_them():
    J = np.diag([1.0, 0.5])
    w = np.array([1.0, 1.0])
    exact = baerlocher([(J, w)]).x
    np.testing.assert_array_equal(baerlocher([(J, w)], damping=0.1, near=0.4).x, exact)
    damped = baerlocher([(J, w)], damping=0.1, near=1.0).x
    squared = 0.1**2 * (1.0 - 0.5**2)
    np.testing.assert_allclose(damped, [1.0 / (1.0 + squared), 0.5 / (0.25 + squared)], atol=1e-14)


def test_truncation_keeps_x_bounded_through_an_algorithmic_singularity():
    """Two tasks turn into each other: without truncation x grows like 1 / angle; at the singularity it is bounded."""
    J1 = np.array([[1.0, 0.0]])
    sizes = []
    for angle in (1e-3, 1e-12, 0.0):
        J2 = np.array([[np.cos(angle), np.sin(angle)]])
        sizes.append(float(np.abs(baerlocher([(J1, [1.0]), (J2, [2.0])]).x).max()))
    assert sizes[0] > 900.0
    assert sizes[1] == pytest.approx(1.0)
    assert sizes[2] == pytest.approx(1.0)


def test_the_smallest_singular_value_warns_before_that():
    J1, J2 = np.array([[1.0, 0.0]]), np.array([[np.cos(1e-3), np.sin(1e-3)]])
    found = siciliano([(J1, [0.0]), (J2, [0.0])])
    np.testing.assert_allclose(found.least, [1.0, np.sin(1e-3)], rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: siciliano([]), ArgumentError, "tasks: found none"),
        (lambda: baerlocher([(np.eye(2), [1.0])]), ShapeError, "w of task 0"),
        (lambda: baerlocher([(np.eye(2), [1.0, 1.0]), (np.eye(3), np.ones(3))]), ShapeError, "J of task 1"),
        (lambda: nakamura(np.eye(2), [np.nan, 0.0], np.eye(2), [0.0, 0.0]), NonFiniteError, "w of task 0: found nan"),
        (lambda: siciliano([(np.eye(2), [0.0, 0.0])], damping=-1.0), ArgumentError, "damping: found -1.0"),
        (lambda: siciliano([(np.eye(2), [0.0, 0.0])], truncation=np.nan), ArgumentError, "truncation: found nan"),
        (lambda: siciliano([(np.zeros((2, 0)), [0.0, 0.0])]), ArgumentError, "no columns"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, text):
    with pytest.raises(error, match=text):
        call()
