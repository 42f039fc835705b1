"""Every figure can be measured and drawn; statements of the text are judged on the right side."""

import io
import json

import numpy as np
import pytest
from benchmarks.papers import (
    base_code,
    comparison,
    figure_2_16,
    figure_3_7,
    figure_3_11,
    figure_3_12,
    figure_3_14,
    methods,
)
from benchmarks.papers.base_code import BASE_METHODS, BaseCode
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.files import as_json, render, write_figure
from benchmarks.papers.mechanisms import COIL, DILL, driven_coil, random_state
from benchmarks.papers.methods import Curve
from benchmarks.papers.registry import FIGURES, select_figures
from matplotlib.image import imread

import tarsus as ts
from tarsus.errors import ArgumentError, TarsusError, UnknownNameError

ALL_METHODS = (
    "articulated-body",
    "newton-euler",
    "newton-euler-sparse",
    "composite-body",
    "composite-body-sparse",
    "a-new-one",
)
EXPONENT = {"articulated-body": 1.0, "newton-euler": 3.0, "composite-body": 2.9, "composite-body-sparse": 1.2}
QUICK = Run(quick=True)


def invented_times(statements, effort):
    """Every statement runs once; its time follows from the method and the number of coordinates."""
    times = []
    for statement in statements:
        statement.timer().timeit(1)
        size = statement.names["A"].shape[1] if "A" in statement.names else len(statement.names["q"])
        method = statement.names.get("k", "articulated-body")
        times.append(1e-7 * size ** EXPONENT.get(method, 1.5) + 1e-9 * len(times))
    return times


@pytest.fixture
def without_clock(monkeypatch):
    """Times are invented."""
    for module in (methods, figure_2_16, figure_3_7, figure_3_12, figure_3_14):
        monkeypatch.setattr(module, "race", invented_times)
    monkeypatch.setattr(figure_3_7, "copy_bandwidth", lambda kilobytes, seconds: 1e12 / kilobytes)


def is_picture(content):
    image = imread(io.BytesIO(content), format="png")
    return image.shape[0] > 300 and image.shape[1] > 500 and image.std() > 0.01


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "3.11"])
def test_figure_is_measured_drawn_and_written(name, without_clock, tmp_path):
    figure = FIGURES[name]
    outcome = figure.measure(Run(quick=True))
    assert outcome.claims
    picture, numbers = write_figure(tmp_path, figure, outcome, {"cpu": "x"}, quick=True)
    assert is_picture(picture.read_bytes())
    data = json.loads(numbers.read_text())
    assert set(data) == {"machine", "figure", "title", "source", "quick", "note", "claims", "data"}
    assert (data["figure"], data["quick"]) == (name, True)
    assert all(set(claim) == {"states", "found", "agrees", "criterion", "reason"} for claim in data["claims"])
    assert all(claim["criterion"] for claim in data["claims"] if claim["agrees"] is not None)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([picture.name, numbers.name])


def test_figure_of_alpha_is_measured_and_drawn(monkeypatch):
    slow = figure_3_11.swing
    monkeypatch.setattr(figure_3_11, "swing", lambda alpha, duration: slow(alpha, 2.0))
    outcome = FIGURES["3.11"].measure(Run(quick=True))
    assert len(outcome.data["alpha"]) == len(outcome.data["violation"]) == len(outcome.data["evaluations"])
    assert is_picture(render(FIGURES["3.11"], outcome))


@pytest.mark.parametrize("name", ["3.1", "3.2", "3.10"])
def test_what_the_text_states_holds_where_nothing_is_timed(name):
    assert all(claim.agrees for claim in FIGURES[name].measure(Run(quick=True)).claims)


def test_figure_2_15_tells_the_slip_of_the_text():
    verdicts = [claim.agrees for claim in FIGURES["2.15"].measure(Run(quick=True)).claims]
    assert verdicts == [True, False, True]


def test_divide_and_conquer_agrees_with_the_text_about_fourteen_bodies(without_clock):
    assert FIGURES["3.14"].measure(Run(quick=True)).claims[0].agrees


def test_methods_of_the_library_are_found():
    found = methods.available_methods()
    assert {"articulated-body", "composite-body"} <= set(found)
    assert len(found) == len(set(found))


def test_methods_that_refuse_a_model_are_left_out(monkeypatch):
    def picky(model, q, v, tau, external=None, method="articulated-body", out=None):
        if method == "composite-body":
            raise ArgumentError("not with couplings")
        return ts.forward_dynamics(model, q, v, tau)

    monkeypatch.setattr(methods, "available_methods", lambda: ALL_METHODS)
    monkeypatch.setattr(methods, "forward_dynamics", picky)
    assert set(ALL_METHODS) - set(methods.usable_methods(ts.robots.coil(2))) == {"composite-body"}


def test_methods_that_disagree_are_not_timed(monkeypatch):
    def wrong(model, q, v, tau, external=None, method="articulated-body", out=None):
        vdot = ts.forward_dynamics(model, q, v, tau)
        return vdot * (1.0 + 1e-3) if method == "composite-body" else vdot

    monkeypatch.setattr(methods, "forward_dynamics", wrong)
    with pytest.raises(TarsusError, match="composite-body on coil with nv = 4 is off by"):
        methods.time_methods(QUICK, ts.robots.coil(4), ["articulated-body", "composite-body"])


@pytest.mark.parametrize("family", [COIL, DILL], ids=lambda family: family.name)
@pytest.mark.parametrize("method", BASE_METHODS)
def test_base_codes_give_the_accelerations_of_the_library(family, method):
    model = family.build(16)
    state = random_state(model)
    expected = ts.forward_dynamics(model, *state)
    found = BaseCode(model).forward_dynamics(*state, method)
    assert np.abs(found - expected).max() <= methods.AGREEMENT * np.abs(expected).max()


def test_base_codes_refuse_models_they_do_not_know():
    with pytest.raises(ArgumentError, match="revolute joints about z; lola"):
        BaseCode(ts.robots.lola())


def test_missing_compiler_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(base_code, "BUILT", tmp_path)
    monkeypatch.setenv("CXX", "no-such-compiler -O3")
    with pytest.raises(TarsusError, match="need a C.. compiler; no-such-compiler not found, set CXX"):
        base_code._compiled()
    assert list(tmp_path.iterdir()) == []


def test_codes_that_cannot_be_compiled_are_reported_and_leave_nothing(monkeypatch, tmp_path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "base.cpp").write_text("nonsense")
    monkeypatch.setattr(base_code, "SOURCES", tmp_path / "base")
    monkeypatch.setattr(base_code, "BUILT", tmp_path / "built")
    with pytest.raises(TarsusError, match="do not compile: .*nonsense"):
        base_code._compiled()
    assert list((tmp_path / "built").iterdir()) == []


@pytest.mark.parametrize("round_rotors", [True, False])
def test_driven_coil_is_solved_like_its_spanning_tree(round_rotors):
    model = driven_coil(4, round_rotors)
    moments = model.bodies["rotor2"].inertia.moments
    assert (moments[0, 0] == moments[1, 1]) == round_rotors
    q, v, tau = random_state(model)
    vdot = ts.forward_dynamics(model, q, v, tau)
    assert np.abs(ts.inverse_dynamics(model, q, v, vdot) - tau).max() < 1e-9


def test_methods_with_equal_results_share_their_code(monkeypatch):
    def two_codes(model, q, v, tau, external=None, method="articulated-body", out=None):
        return ts.forward_dynamics(model, q, v, tau, None, "gauss" if method == "gauss" else "composite-body")

    monkeypatch.setattr(methods, "forward_dynamics", two_codes)
    found = methods.shared_paths(ts.robots.coil(8), ["denoc", "gauss", "newton-euler"])
    assert found == [["denoc", "newton-euler"], ["gauss"]]


def test_methods_on_trees_are_codes_of_their_own():
    assert all(len(group) == 1 for group in methods.shared_paths(ts.robots.coil(8), methods.available_methods()))


def test_curves_are_measured_once_in_a_run(without_clock, monkeypatch):
    run = Run(quick=True)
    first = methods.method_curves(run, COIL)
    monkeypatch.setattr(methods, "race", None)
    assert methods.method_curves(run, COIL) is first


def test_slow_methods_are_left_out_at_large_sizes(without_clock, monkeypatch):
    times = {"articulated-body": 1e-6, "newton-euler": 1.0}
    monkeypatch.setattr(methods, "race", lambda statements, _: [times.get(s.names["k"], 1e-5) for s in statements])
    curves = methods.method_curves(Run(quick=True), DILL)
    assert curves["newton-euler"].sizes == [2]
    assert curves["articulated-body"].sizes == [2, 4, 8, 16, 32]


def test_crossovers_are_told_in_words():
    linear = Curve("articulated-body", [2, 4, 8], [3.0, 4.0, 5.0])
    early, never = Curve("newton-euler", [2, 4], [2.0, 9.0]), Curve("composite-body", [2, 4, 8], [1.0, 1.0, 1.0])
    text = comparison.crossover_text(linear, [early, never])
    assert text == "O(n) is faster than NE from n = 4, CRBA not up to n = 8"


def test_ratio_is_taken_at_the_largest_common_size():
    a, b = Curve("a", [2, 4, 8], [2.0, 8.0, 99.0]), Curve("b", [2, 4], [1.0, 2.0])
    assert comparison.ratio_at(a, b) == (4, 4.0)
    assert comparison.ratio_at(a, b, 2) == (2, 2.0)


def test_quick_runs_do_not_judge_what_shows_at_large_sizes():
    assert Run(quick=True).judge(False) is None
    assert Run(quick=False).judge(False) is False


def test_figures_are_selected_in_the_order_of_the_text():
    assert [figure.name for figure in select_figures(["3.5", "2.15", "3.5"])] == ["2.15", "3.5"]
    assert len(select_figures([])) == len(FIGURES) == 33


@pytest.mark.parametrize(
    ("name", "close"), [("3.55", "'3.5'"), ("table3.1", "'table-3.1'"), ("nonsense", "2.15, 2.16")]
)
def test_unknown_figures_are_refused_with_the_nearest_ones(name, close):
    with pytest.raises(UnknownNameError, match=f"figure '{name}' not found.*{close}"):
        select_figures([name])


def test_labels_and_files_are_named_after_the_text():
    assert (FIGURES["3.5"].label, FIGURES["3.5"].stem) == ("Figure 3.5", "figure-3.5")
    assert (FIGURES["table-3.1"].label, FIGURES["table-3.1"].stem) == ("Table 3.1", "table-3.1")


def test_numbers_that_are_not_finite_become_null():
    figure = PaperFigure("9.9", "nothing", lambda run: outcome)
    data = {"a": float("nan"), "b": [np.float64(np.inf), np.int64(2)], "c": np.bool_(True)}
    outcome = Outcome(data, (Claim("x", "y", None),), lambda canvas: None)
    plain = as_json(figure, outcome, quick=False)
    assert plain["data"] == {"a": None, "b": [None, 2], "c": True}
    assert "NaN" not in json.dumps(plain)
