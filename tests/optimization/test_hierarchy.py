"""Lexicographic hierarchies: against closed forms, a cascade of programs by ProxQP, and the classical recursions."""

import numpy as np
import pytest

from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.optimization import QP, Hierarchy, Level, baerlocher

UNDISTURBED = 1e-9
"""Change of what a level misses, by the levels below it."""
SAME = 1e-6
"""Slacks of the cascade: ProxQP keeps earlier levels to 1e-9 only, and nearly parallel rows magnify that."""


def random_levels(rng, inequalities):
    """Levels of all kinds: full and deficient rank, repeated rows of higher levels, more rows than variables."""
    n, levels = int(rng.integers(2, 11)), []
    for _ in range(int(rng.integers(1, 6))):
        m = int(rng.integers(1, 6))
        A = rng.standard_normal((m, n))
        if levels and rng.random() < 0.5:
            A[0] = rng.standard_normal() * levels[0].A[0]
        if rng.random() < 0.3:
            A = rng.standard_normal((m, 1)) @ A[:1]
        lower = rng.standard_normal(m)
        upper = lower.copy()
        if inequalities:
            upper = upper + rng.exponential(1.0, m) * (rng.random(m) < 0.6)
            lower[rng.random(m) < 0.3] = -np.inf
        levels.append(Level(A, lower=lower, upper=upper))
    return levels


def cascade(levels):
    """Slacks by the cascade of Kanoun 2011, over (x, w), with what earlier levels missed as given."""
    n, rows, lower, upper, slacks = levels[0].A.shape[1], [], [], [], []
    for level in levels:
        m = len(level.A)
        H = np.zeros((n + m, n + m))
        H[range(n), range(n)], H[range(n, n + m), range(n, n + m)] = 1e-10, 1.0
        held = [np.hstack([A, np.zeros((len(A), m))]) for A in rows]
        A = np.vstack([*held, np.hstack([level.A, -np.eye(m)])])
        room = 1e-9
        low = np.concatenate([*(b - room for b in lower), level.lower])
        high = np.concatenate([*(b + room for b in upper), level.upper])
        x = QP(H, None, A, low, high).solve("proxqp").require()
        w = level.slack(x[:n])
        slacks.append(w)
        rows.append(level.A)
        lower.append(level.lower + np.minimum(w, 0.0))
        upper.append(level.upper + np.maximum(w, 0.0))
    return slacks


def test_a_lower_level_that_conflicts_with_an_inequality_stays_at_its_bound():
    levels = [Level([[1.0, 1.0]], upper=1.0), Level(np.eye(2), target=[2.0, 0.0])]
    found = Hierarchy(levels).solve()
    np.testing.assert_allclose(found.x, [1.5, -0.5], atol=1e-12)
    np.testing.assert_allclose(found.slacks[1], [-0.5, -0.5], atol=1e-12)


def test_rows_of_one_level_that_contradict_each_other_share_the_miss():
    found = Hierarchy([Level([[1.0], [1.0]], target=[0.0, 1.0])]).solve()
    np.testing.assert_allclose(found.x, [0.5], atol=1e-12)


def test_an_inequality_that_cannot_hold_is_missed_as_little_as_possible_and_locked():
    levels = [Level([[1.0, 0.0]], target=0.0), Level([[1.0, 1.0]], lower=2.0), Level([[1.0, 0.0]], lower=1.0),
              Level([[0.0, 1.0]], target=-7.0)]  # fmt: skip
    found = Hierarchy(levels).solve()
    np.testing.assert_allclose(found.x, [0.0, 2.0], atol=1e-10)
    np.testing.assert_allclose(found.slacks[2], [-1.0], atol=1e-10)
    assert found.freedom == (1, 1, 1, 0)


def test_what_the_levels_leave_free_goes_to_the_preferred_point():
    hierarchy = Hierarchy([Level([[1.0, 0.0, 0.0]], target=1.0), Level([[0.0, 1.0, 0.0]], upper=0.5)])
    np.testing.assert_allclose(hierarchy.solve().x, [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(hierarchy.solve([9.0, 9.0, 9.0]).x, [1.0, 0.5, 9.0], atol=1e-9)


@pytest.mark.parametrize("inequalities", [False, True])
def test_levels_below_never_disturb_those_above(inequalities):
    worst, missed = 0.0, 0
    for seed in range(400):
        levels = random_levels(np.random.default_rng([seed, inequalities]), inequalities)
        found = Hierarchy(levels).solve()
        assert found.success, (seed, found.status, found.failed)
        worst = max(worst, found.disturbance)
        for k in range(1, len(levels)):  # what a level misses does not depend on levels below it
            alone = Hierarchy(levels[:k]).solve()
            for a, b in zip(alone.slacks, found.slacks, strict=False):
                worst = max(worst, float(np.abs(a - b).max()))
                missed += bool(np.abs(b).max() > 1e-3)
    assert worst <= UNDISTURBED
    assert missed > 400  # levels do conflict


def test_slacks_are_those_of_the_cascade():
    compared = 0
    for seed in range(60):
        levels = random_levels(np.random.default_rng([seed, 5]), True)
        found = Hierarchy(levels).solve()
        expected = cascade(levels)
        for k, (a, b) in enumerate(zip(found.slacks, expected, strict=True)):
            assert np.linalg.norm(a) <= np.linalg.norm(b) + SAME, (seed, k)  # never worse
            np.testing.assert_allclose(a, b, atol=100 * SAME, err_msg=f"{seed} {k}")
            compared += len(a)
    assert compared > 300


def test_equalities_agree_with_the_recursion_of_baerlocher():
    worst = 0.0
    for seed in range(300):
        levels = random_levels(np.random.default_rng([seed, 1]), False)
        expected = baerlocher([(level.A, level.lower) for level in levels]).x
        found = Hierarchy(levels).solve().x
        worst = max(worst, float(np.abs(found - expected).max()) / max(1.0, float(np.abs(expected).max())))
    assert worst < 1e-10


def test_a_nearly_singular_level_is_solved_as_exactly_as_by_singular_values():
    """Rows at an angle of 1e-5: the squared program alone would lose ten digits."""
    A = np.array([[1.0, 0.0, 0.0], [1.0, 1e-5, 0.0]])
    found = Hierarchy([Level([[0.0, 0.0, 1.0]], upper=0.3), Level(A, target=[1.0, 1.00001])]).solve()
    np.testing.assert_allclose(found.x, [1.0, 1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: Hierarchy([]), ArgumentError, "levels: found none"),
        (lambda: Hierarchy([Level(np.eye(2)), Level(np.eye(3))]), ShapeError, "columns"),
        (lambda: Level(np.eye(2), target=0.0, lower=1.0), ArgumentError, "target"),
        (lambda: Level(np.eye(2), lower=1.0, upper=0.0), ArgumentError, "lower = 1.0 above"),
        (lambda: Level([[np.nan]]), NonFiniteError, "A: found nan"),
        (lambda: Level([[1.0]], target=np.inf), NonFiniteError, "target: found inf"),
        (lambda: Hierarchy([Level(np.eye(2))]).solve([1.0]), ShapeError, "preferred"),
    ],
)
def test_bad_input_is_refused_by_name(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("levels", [3, [3], "level", [np.eye(2)]])
def test_what_is_no_level_is_named(levels):
    with pytest.raises(ArgumentError, match=r"(?s)levels: found .*, expected a sequence of Level"):
        Hierarchy(levels)
