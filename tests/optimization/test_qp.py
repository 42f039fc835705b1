"""Quadratic programs: closed forms, multipliers, soft rows, names, warm starts, and what bad input gets."""

import pickle

import numpy as np
import pytest
import scipy.optimize

import tarsus as ts
from tarsus.errors import ArgumentError, DtypeError, MissingExtraError, NonFiniteError, ShapeError, UnknownNameError
from tarsus.optimization import QP, backends

BACKENDS = ["native", "daqp", "proxqp"]
CLOSE = 1e-8
"""ProxQP stops at absolute residuals of 1e-10; the others are closer."""


def solved(backend, *args, **kwargs):
    solution = QP(*args, **kwargs).solve(backend)
    assert solution.success, solution.reason
    assert solution.backend == backend
    return solution


@pytest.mark.parametrize("backend", BACKENDS)
class TestClosedForms:
    def test_without_rows_the_optimum_solves_a_linear_system(self, backend):
        H, g = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -3.0])
        np.testing.assert_allclose(solved(backend, H, g).x, np.linalg.solve(H, -g), atol=CLOSE)

    def test_an_upper_bound_has_a_positive_multiplier_and_a_lower_one_a_negative_multiplier(self, backend):
        for sign in (1.0, -1.0):
            s = solved(backend, np.eye(2), [-2.0 * sign, 0.0], [[1.0, 1.0]], -1.0, 1.0)
            np.testing.assert_allclose(s.x, [1.5 * sign, -0.5 * sign], atol=CLOSE)
            np.testing.assert_allclose(s.multipliers, [0.5 * sign], atol=CLOSE)
            assert s.active.tolist() == [sign]

    def test_stationarity_with_rows_equalities_and_bounds(self, backend):
        rng = np.random.default_rng(0)
        J = rng.standard_normal((6, 6))
        H, g, A, E = J.T @ J, 5 * rng.standard_normal(6), rng.standard_normal((4, 6)), rng.standard_normal((2, 6))
        s = solved(backend, H, g, A, -0.3, 0.3, E=E, e=[0.1, 0.2], x_min=-0.25, x_max=0.25)
        total = H @ s.x + g + A.T @ s.multipliers + E.T @ s.equality_multipliers + s.bound_multipliers
        assert np.abs(total).max() < CLOSE * 10
        assert np.abs(E @ s.x - [0.1, 0.2]).max() < CLOSE
        assert np.abs(s.multipliers).max() > 0.1
        assert np.abs(s.bound_multipliers).max() > 0.1
        assert max(s.residuals) < CLOSE * 10

    def test_non_negative_least_squares_agrees_with_scipy(self, backend):
        rng = np.random.default_rng(3)
        M, b = rng.standard_normal((12, 7)), rng.standard_normal(12)
        expected, _ = scipy.optimize.nnls(M, b)
        np.testing.assert_allclose(solved(backend, M.T @ M, -M.T @ b, x_min=0.0).x, expected, atol=CLOSE)

    def test_a_linear_program_agrees_with_highs(self, backend):
        rng = np.random.default_rng(4)
        A, g = rng.standard_normal((6, 4)), rng.standard_normal(4)
        found = scipy.optimize.linprog(g, A, np.ones(6), bounds=(-2.0, 3.0))
        s = QP(np.zeros((4, 4)), g, A, upper=1.0, x_min=-2.0, x_max=3.0).solve(backend)
        assert s.success
        assert s.objective == pytest.approx(found.fun, abs=CLOSE)

    def test_soft_rows_are_missed_by_multiplier_over_weight(self, backend):
        # 1/2 x^2 - 3 x + 1/2 w (x - 1)^2 beyond x = 1: x = (3 + w) / (1 + w)
        for weight in (0.5, 10.0, 1e4):
            s = solved(backend, [[1.0]], [-3.0], [[1.0]], upper=1.0, weights=weight)
            x = (3.0 + weight) / (1.0 + weight)
            np.testing.assert_allclose(s.x, [x], rtol=1e-9)
            np.testing.assert_allclose(s.slack, [x - 1.0], rtol=1e-6)
            assert s.residuals.primal < CLOSE

    def test_soft_equalities_are_weighted_least_squares(self, backend):
        rng = np.random.default_rng(5)
        M, b, w = rng.standard_normal((8, 3)), rng.standard_normal(8), rng.uniform(0.5, 20.0, 8)
        s = solved(backend, 1e-3 * np.eye(3), None, M, b, b, weights=w)
        expected = np.linalg.solve(M.T @ (w[:, None] * M) + 1e-3 * np.eye(3), M.T @ (w * b))
        np.testing.assert_allclose(s.x, expected, atol=CLOSE)

    def test_a_hard_row_wins_over_a_soft_one_whatever_its_weight(self, backend):
        s = solved(
            backend, [[1.0]], None, [[1.0], [1.0]], lower=[2.0, -np.inf], upper=[np.inf, 1.0], weights=[1e6, np.inf]
        )
        np.testing.assert_allclose(s.x, [1.0], atol=CLOSE)
        np.testing.assert_allclose(s.slack, [-1.0, 0.0], atol=CLOSE)

    def test_dependent_equalities_are_left_out_and_named(self, backend):
        E = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, -1.0]]
        names = ["sum", "third", "combination"]
        s = QP(np.eye(3), E=E, e=[1.0, 2.0, 0.0], equality_names=names).solve(backend)
        np.testing.assert_allclose(s.x, [0.5, 0.5, 2.0], atol=CLOSE)
        assert s.removed == ("combination",)
        assert "combination" in s.reason

    def test_redundant_contact_rows_among_forty_variables_do_not_disturb_the_backend_itself(self, backend):
        rng = np.random.default_rng(8)
        for _ in range(10):
            J, A = rng.standard_normal((20, 40)), rng.standard_normal((60, 40))
            E = rng.standard_normal((12, 40))
            E[8:] = rng.standard_normal((4, 8)) @ E[:8]
            x = rng.standard_normal(40)
            H, g = J.T @ J + 0.01 * np.eye(40), 5 * rng.standard_normal(40)
            names = [f"contact {i}" for i in range(12)]
            qp = QP(H, g, A, A @ x - 1.0, A @ x + 1.0, E=E, e=E @ x, equality_names=names)
            s = qp.solve(backend)
            assert s.success and s.backend == backend, s.reason
            assert s.removed == tuple(names[8:])
            np.testing.assert_allclose(E @ s.x, E @ x, atol=CLOSE)

    def test_inconsistent_equalities_are_a_conflict(self, backend):
        E = [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, 0.0]]
        s = QP(np.eye(3), E=E, e=[1.0, 2.0, 3.0], equality_names=["sum", "third", "double"]).solve(backend)
        assert s.status == "infeasible"
        assert set(s.conflict) == {"sum", "double"}
        assert np.isnan(s.x).all()

    def test_an_unbounded_program_says_so(self, backend):
        s = QP(np.diag([1.0, 0.0]), [0.0, -1.0], [[1.0, -1.0]], upper=1.0).solve(backend)
        assert s.status == "unbounded"
        assert np.isnan(s.x).all() and s.objective == -np.inf
        assert not s.success
        with pytest.raises(ArgumentError, match="unbounded"):
            s.require()

    def test_bounds_from_1e20_on_are_none(self, backend):
        s = QP(np.zeros((1, 1)), [-1.0], [[1.0]], upper=1e20).solve(backend)
        assert s.status == "unbounded"


class TestConflict:
    def test_names_an_irreducible_set_among_many_rows(self):
        rng = np.random.default_rng(0)
        A = np.vstack([rng.standard_normal((30, 5)), [[1.0, 0, 0, 0, 0], [0, 1.0, 0, 0, 0], [1.0, 1.0, 0, 0, 0]]])
        lower = np.concatenate([np.full(30, -50.0), [-np.inf, -np.inf, 2.5]])
        upper = np.concatenate([np.full(30, 50.0), [1.0, 1.0, np.inf]])
        names = [f"free {i}" for i in range(30)] + ["left", "right", "together"]
        s = QP(np.eye(5), np.ones(5), A, lower, upper, names=names).solve()
        assert s.status == "infeasible"
        assert set(s.conflict) == {"left", "right", "together"}
        assert "together" in s.reason

    def test_bounds_are_named_by_their_variable(self):
        qp = QP(np.eye(2), None, [[1.0, 1.0]], lower=5.0, x_min=0.0, x_max=2.0, variable_names=["a", "b"])
        assert set(qp.solve().conflict) == {"bound of a", "bound of b", "row 0"}

    def test_every_row_of_a_conflict_is_needed(self):
        """By HiGHS: the named rows contradict each other, and without any one of them they do not."""
        from optimization.random_programs import infeasible

        for seed in range(40):
            case = infeasible(np.random.default_rng(seed))
            given = case.given
            names = [str(i) for i in range(len(given["A"]))]
            equalities = [f"e{i}" for i in range(len(given["E"]))]
            variables = [f"v{i}" for i in range(len(given["H"]))]
            qp = QP(**given, names=names, equality_names=equalities, variable_names=variables)
            conflict = qp.solve("native").conflict
            assert 1 <= len(conflict) <= len(given["H"]) + 1
            assert not possible(given, names, equalities, variables, conflict)
            for row in conflict:
                rest = [name for name in conflict if name != row]
                assert possible(given, names, equalities, variables, rest), (seed, conflict, row)

    def test_a_row_without_entries_contradicts_by_itself(self):
        s = QP(np.eye(2), None, [[0.0, 0.0]], lower=1.0).solve()
        assert s.conflict == ("row 0",)


def possible(given, names, equalities, variables, kept):
    n = len(given["H"])
    free = np.full(n, np.inf)
    everything = dict(zip(names, zip(given["A"], given["lower"], given["upper"], strict=True), strict=True))
    everything |= dict(zip(equalities, zip(given["E"], given["e"], given["e"], strict=True), strict=True))
    low, high = given.get("x_min", -free), given.get("x_max", free)
    everything |= {f"bound of {v}": (np.eye(n)[i], low[i], high[i]) for i, v in enumerate(variables)}
    rows, lower, upper = (
        (np.array(x) for x in zip(*(everything[name] for name in kept), strict=True))
        if kept
        else (np.zeros((0, n)), np.zeros(0), np.zeros(0))
    )
    A = np.vstack([rows[np.isfinite(upper)], -rows[np.isfinite(lower)]])
    b = np.concatenate([upper[np.isfinite(upper)], -lower[np.isfinite(lower)]])
    return scipy.optimize.linprog(np.zeros(n), A, b, bounds=(None, None)).status != 2


class TestSequences:
    def programs(self, count=60):
        rng = np.random.default_rng(7)
        J, A = rng.standard_normal((8, 10)), rng.standard_normal((30, 10))
        for _ in range(count):
            J, A = J + 0.05 * rng.standard_normal(J.shape), A + 0.05 * rng.standard_normal(A.shape)
            yield (
                J.T @ J + 0.1 * np.eye(10),
                4 * rng.standard_normal(10),
                A,
                -rng.uniform(0.5, 1.5, 30),
                rng.uniform(0.5, 1.5, 30),
            )

    @pytest.mark.parametrize("backend", BACKENDS)
    def test_updates_and_warm_starts_give_the_optimum_of_a_new_program(self, backend):
        qp = None
        for H, g, A, lower, upper in self.programs():
            if qp is None:
                qp = QP(H, g, A, lower, upper)
            qp.update(H=H, g=g, A=A, lower=lower, upper=upper)
            expected = QP(H, g, A, lower, upper).solve("native")
            np.testing.assert_allclose(qp.solve(backend, warm=True).x, expected.x, atol=CLOSE)

    def test_only_what_changes_needs_to_be_given(self):
        H, g, A, lower, upper = next(self.programs())
        qp = QP(H, g, A, lower, upper)
        for backend in BACKENDS:
            for k in range(5):
                qp.update(g=g + k, upper=upper + 0.1 * k)
                expected = QP(H, g + k, A, lower, upper + 0.1 * k).solve("native")
                np.testing.assert_allclose(qp.solve(backend, warm=k > 1).x, expected.x, atol=CLOSE)

    def test_a_warm_start_changes_fewer_rows(self):
        cold = warm = 0
        qp = None
        for program in self.programs():
            H, g, A, lower, upper = program
            g = 4 * np.ones(10) + 0.05 * g
            if qp is None:
                qp = QP(H, g, A, lower, upper)
            qp.update(H=H, g=g, A=A)
            warm += qp.solve("native", warm=True).iterations
            cold += QP(H, g, A, qp.lower, qp.upper).solve("native").iterations
        assert warm < 0.6 * cold

    def test_a_solution_starts_another_program(self):
        H, g, A, lower, upper = next(self.programs())
        first = QP(H, g, A, lower, upper).solve("native")
        again = QP(H, g, A, lower, upper).solve("native", start=first)
        assert first.iterations > 2
        assert again.iterations == 0
        np.testing.assert_allclose(again.x, first.x, atol=1e-12)
        with pytest.raises(ShapeError, match="start"):
            QP(H, g).solve(start=first)

    def test_bounds_that_become_equalities_and_back(self):
        for backend in BACKENDS:
            qp = QP(np.eye(2), [-1.0, -1.0], [[1.0, 0.0]], -1.0, 1.0)
            for low, high, x in ((0.5, 0.5, 0.5), (-1.0, 3.0, 1.0), (-2.0, -2.0, -2.0), (-3.0, 0.0, 0.0)):
                qp.update(lower=low, upper=high)
                np.testing.assert_allclose(qp.solve(backend, warm=True).x, [x, 1.0], atol=CLOSE)

    def test_arrays_are_copied(self):
        g = np.array([-1.0, 0.0])
        qp = QP(np.eye(2), g)
        g[0] = 5.0
        np.testing.assert_allclose(qp.solve().x, [1.0, 0.0])
        with pytest.raises(ValueError, match="read-only"):
            qp.g[0] = 1.0


class TestLimits:
    @pytest.mark.parametrize("backend", ["native", "daqp"])
    def test_the_cap_on_iterations_is_a_status(self, backend):
        rng = np.random.default_rng(1)
        qp = QP(np.eye(10), 10 * rng.standard_normal(10), rng.standard_normal((40, 10)), -0.1, 0.1)
        s = qp.solve(backend, limit=2)
        assert s.status == "iteration-limit"
        assert np.isfinite(s.x).all()
        assert "cap" in s.reason
        assert qp.solve(backend).success

    def test_numbers_over_two_hundred_decades_end_with_a_status_and_no_nan(self):
        rng = np.random.default_rng(2)
        statuses = set()
        for _ in range(300):
            n, m = int(rng.integers(1, 6)), int(rng.integers(0, 8))
            H = np.diag(10.0 ** rng.uniform(-90, 90, n))
            A, b = (rng.standard_normal((m, k)) * 10.0 ** rng.uniform(-90, 90, (m, 1)) for k in (n, 1))
            g = rng.standard_normal(n) * 10.0 ** rng.uniform(-90, 90, n)
            s = QP(H, g, A, b[:, 0] - np.abs(b[:, 0]), b[:, 0] + np.abs(b[:, 0])).solve("native")
            statuses.add(s.status)
            if s.success:
                assert np.isfinite(s.x).all() and np.isfinite(s.multipliers).all()
        assert "optimal" in statuses


BAD = [
    ({"H": np.zeros((0, 0))}, ArgumentError, "no variables"),
    ({"H": np.eye(3)[:2]}, ShapeError, r"expected \(|H"),
    ({"H": [[1.0, 2.0], [0.0, 1.0]]}, ArgumentError, "not symmetric: found 2.0 at .0, 1."),
    ({"H": [[1.0, 0.0], [0.0, -1.0]]}, ArgumentError, "eigenvalue -1.000e"),
    ({"H": [[0.0, 1.0], [1.0, 0.0]]}, ArgumentError, "eigenvalue -1.000e"),
    ({"H": [[np.nan, 0.0], [0.0, 1.0]]}, NonFiniteError, "H: found nan at .0, 0."),
    ({"g": [0.0, np.inf]}, NonFiniteError, "g: found inf at .1."),
    ({"g": [0.0, 1.0, 2.0]}, ShapeError, r"g: found shape \(3,\), expected \(2,\)"),
    ({"A": np.eye(3)}, ShapeError, r"A: found shape \(3, 3\)"),
    (
        {"A": np.eye(2), "lower": [0.0, 2.0], "upper": 1.0},
        ArgumentError,
        "rows .1.: found lower = 2.0 above upper = 1.0",
    ),
    ({"A": np.eye(2), "lower": np.nan}, NonFiniteError, "lower bound of rows: found nan"),
    ({"A": np.eye(2), "lower": np.inf}, NonFiniteError, "lower bound of rows: found inf"),
    ({"A": np.eye(2), "upper": [1.0, 2.0, 3.0]}, ShapeError, "upper: found shape"),
    ({"x_min": 1.0, "x_max": 0.0}, ArgumentError, "x .0.: found lower = 1.0"),
    ({"lower": 1.0}, ArgumentError, "without A"),
    ({"E": np.eye(2)}, ArgumentError, "one without the other"),
    ({"E": np.eye(2), "e": [0.0, np.nan]}, NonFiniteError, "e: found nan"),
    ({"A": np.eye(2), "weights": [1.0, -1.0]}, ArgumentError, "weights: found -1.0 at .1."),
    ({"A": np.eye(2), "names": ["one"]}, ShapeError, "names: found 1 names, expected 2"),
    ({"H": np.eye(2) * 1j}, DtypeError, "H: found ndarray"),
    ({"g": ["a", "b"]}, DtypeError, "g: found list"),
]


@pytest.mark.parametrize(("given", "error", "text"), BAD, ids=[text for *_, text in BAD])
def test_bad_input_is_refused_by_name(given, error, text):
    with pytest.raises(error, match=text):
        QP(**{"H": np.eye(2), **given})


class TestUpdatesThatAreRefused:
    @pytest.mark.parametrize(
        ("change", "error"),
        [
            ({"H": -np.eye(2)}, ArgumentError),
            ({"H": np.array([[1.0, 1.0], [0.0, 1.0]])}, ArgumentError),
            ({"H": np.ones(4)}, ShapeError),
            ({"A": np.ones((2, 3))}, ShapeError),
            ({"A": np.ones(6)}, ShapeError),
            ({"g": np.array([np.nan, 0.0])}, NonFiniteError),
            ({"lower": np.array([3.0, 0.0, 0.0]), "g": np.zeros(2)}, ArgumentError),
            ({"x_min": 0.0}, ShapeError),
        ],
    )
    def test_leave_the_program_as_it_was(self, change, error):
        qp = QP(2 * np.eye(2), [-1.0, 1.0], np.eye(3)[:, :2], -1.0, 1.0)
        before = qp.solve("native").x
        with pytest.raises(error):
            qp.update(**change)
        np.testing.assert_array_equal(qp.solve("native").x, before)
        np.testing.assert_array_equal(qp.solve("daqp").x, before)

    def test_an_unknown_backend_gets_the_nearest_name(self):
        with pytest.raises(UnknownNameError, match="'dakp' not found.*close: 'daqp'"):
            QP(np.eye(1)).solve("dakp")

    def test_a_missing_package_is_named_with_its_extra(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "tarsus.optimization.backends.proxqp_backend", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'tarsus\[proxqp\]'"):
            backends.solver_type("proxqp")

    def test_a_limit_below_one_is_refused(self):
        with pytest.raises(ArgumentError, match="limit"):
            QP(np.eye(1)).solve(limit=0)


def test_the_module_is_public_and_its_names_exist():
    assert ts.optimization.QP is QP
    for name in ts.optimization.__all__:
        assert (getattr(ts.optimization, name).__doc__ or "").strip()


@pytest.mark.parametrize("start", [3, "last", [0.0, 1.0], object()])
def test_a_start_that_is_no_solution_is_named(start):
    with pytest.raises(ArgumentError, match="start: found .*, expected a Solution"):
        QP(np.eye(2)).solve(start=start)


def test_a_program_survives_pickling_with_all_its_parts():
    rng = np.random.default_rng(0)
    parts = dict(A=rng.normal(size=(4, 3)), lower=[-0.1] * 4, upper=[0.2] * 4, weights=[1.0, 2.0, np.inf, 4.0])
    sides = dict(E=np.ones((1, 3)), e=[0.3], x_min=-np.ones(3), x_max=[1.0, np.inf, 1.0], names=list("abcd"))
    for given in ({}, parts, {**parts, **sides}, {"x_min": np.zeros(3)}):
        program = QP(np.diag([1.0, 2.0, 3.0]), [1.0, -2.0, 0.5], **given)
        again = pickle.loads(pickle.dumps(program))
        one, other = program.solve(), again.solve()
        assert repr(again) == repr(program)
        np.testing.assert_array_equal(other.x, one.x)
        np.testing.assert_array_equal(other.multipliers, one.multipliers)
