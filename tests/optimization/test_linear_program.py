"""Linear programs: verdicts of SciPy's other solver, and no verdict where there is none."""

import numpy as np
import pytest
from scipy.optimize import linprog

import tarsus as ts
from tarsus.control import static_equilibrium
from tarsus.optimization import linear_program
from tarsus.optimization.linear_program import linear_minimum


def test_minima_are_those_of_the_interior_point_method():
    rng = np.random.default_rng(0)
    for _ in range(20):
        A, inside = rng.normal(size=(12, 5)), rng.normal(size=5)
        cost, room = rng.normal(size=5), rng.uniform(0.1, 1.0, size=12)
        found = linear_minimum(cost, A, A @ inside - room, A @ inside + room, x_min=-9.0, x_max=9.0)
        sides = np.vstack([A, -A]), np.concatenate([A @ inside + room, room - A @ inside])
        expected = linprog(cost, *sides, bounds=[(-9.0, 9.0)] * 5, method="highs-ipm")
        assert np.isclose(cost @ found, expected.fun, atol=1e-9)


def test_what_has_no_minimum_has_none():
    one = np.ones((1, 1))
    assert linear_minimum(np.ones(1), one, np.array([1.0]), np.array([2.0]), x_max=0.0) is None
    assert linear_minimum(np.ones(1), one, np.array([-np.inf]), np.array([2.0])) is None


def test_an_entry_that_is_zero_but_for_rounding_changes_nothing():
    A = np.array([[1.0, 1.0], [1.0, 1e-16]])
    found = linear_minimum(np.array([1.0, 1.0]), A, np.array([1.0, 0.25]), np.array([np.inf, 0.25]))
    np.testing.assert_allclose(found, [0.25, 0.75])


def test_a_solver_that_gives_up_is_no_verdict(monkeypatch):
    model = ts.robots.hrp2()
    contacts = [
        ts.control.Contact(f"{s}_sole", [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]) for s in "lr"
    ]
    usual = static_equilibrium(model, model.reference, contacts).load
    monkeypatch.setattr(linear_program, "_by_simplex", lambda *_: (4, None, "not set"))
    assert np.isclose(static_equilibrium(model, model.reference, contacts).load, usual, atol=1e-6)
    monkeypatch.setattr(linear_program, "_by_interior_point", lambda *_: (4, None, "not set"))
    with pytest.raises(ts.errors.TarsusError, match="not set"):
        static_equilibrium(model, model.reference, contacts)
