"""Verdicts about the figures follow from the data: what the text states agrees, and each criterion can fail."""

import numpy as np
import pytest
from benchmarks.papers import (
    figure_2_15,
    figure_2_16,
    figure_3_1,
    figure_3_2,
    figure_3_3,
    figure_3_4,
    figure_3_5,
    figure_3_6,
    figure_3_7,
    figure_3_10,
    figure_3_11,
    figure_3_12,
    figure_3_13,
    figure_3_14,
    table_3_1,
)
from benchmarks.papers.figure import Claim, Run
from benchmarks.papers.methods import Curve
from benchmarks.papers.pendulum import Swing

SIZES = [2, 4, 8, 16, 32, 64, 128, 256, 512]
FULL = Run()


def power(scale, exponent, sizes=SIZES):
    """A run time that grows as a power of the number of bodies [s]."""
    return Curve("", list(sizes), [scale * n**exponent for n in sizes])


CHAIN = {
    "articulated-body": (1e-7, 1.0),
    "composite-body": (1.5e-7, 1.7),
    "newton-euler": (2e-7, 1.9),
    "composite-body-sparse": (1.6e-7, 1.7),
    "newton-euler-sparse": (2.1e-7, 1.9),
    "base articulated-body": (1.5e-6, 1.0),
    "base composite-body": (1e-6, 1.7),
    "base newton-euler": (1.2e-6, 1.9),
}
"""Scale [s] and exponent of run times on Coil for which everything that the text states holds."""
TREE = CHAIN | {
    "composite-body-sparse": (1.5e-7, 1.4),
    "newton-euler-sparse": (1.2e-7, 1.55),
}


def curves(table, **changed):
    """Run times by method, some of them changed; underscores stand for the signs in the names."""
    names = {name.replace("-", "_").replace(" ", "_"): name for name in table}
    table = table | {names[key]: value for key, value in changed.items()}
    made = {name: power(*value) for name, value in table.items()}
    for name, curve in made.items():
        curve.method = name
    return made


def counts(**changed):
    sizes, levels = [2, 4, 8], [1, 2, 3]
    data = {
        "sizes": sizes,
        "counted": {
            "Coil": [figure_2_15.coil_operations(n) for n in sizes],
            "Dill": [figure_2_15.printed_dill_operations(k) for k in levels],
        },
        "formulas": {
            "Coil (2.84)": [figure_2_15.coil_operations(n) for n in sizes],
            "Dill (2.88) as printed": [figure_2_15.printed_dill_operations(k) for k in levels],
            "Dill, 9/2 n log2 n": [figure_2_15.dill_operations(k) for k in levels],
        },
        "speedup": 2.4,
    }
    return data | changed


def jacobians(coil_sparse=(1e-7, 2.0), dill_sparse=(1e-7, 1.2), dill_dense=(3e-7, 2.0)):
    names = ("body_jacobians", "joint_screws")
    families = {}
    for family, sparse, dense in (("Coil", coil_sparse, (3e-7, 2.0)), ("Dill", dill_sparse, dill_dense)):
        families[family] = {"dense": power(*dense), "sparse": power(*sparse)} | {n: power(1e-7, 1.0) for n in names}
    return {"run": FULL, "curves": families}


def patterns(extra=False, full=False):
    implied = {"Lola": np.tri(4, dtype=bool), "Dill(5)": np.eye(4, dtype=bool), "Coil(32)": np.ones((4, 4), dtype=bool)}
    found = {name: pattern.copy() for name, pattern in implied.items()}
    found["Dill(5)"][0, 1] = extra
    if full:
        found["Lola"][:] = implied["Lola"][:] = True
    return {"found": found, "implied": implied}


def elements(more=0, part=0.0):
    levels = [1, 2, 3]
    return {
        "levels": levels,
        "counted": [figure_3_2.nonzero_elements(level) + more for level in levels],
        "part": [figure_3_2.sparsity(level) + part for level in levels],
        "pattern": figure_3_2.nonzero_elements(5),
    }


def dill(coil=(1.0, 1.0), **changed):
    names = ("base newton-euler", "base composite-body", "newton-euler", "composite-body")
    typical = {"Dill": dict.fromkeys(names, 1e-5), "Coil": dict.fromkeys(names, 1e-5)}
    typical["Coil"] |= {name: 1e-5 * factor for name, factor in zip(names[:2], coil, strict=True)}
    return {"run": FULL, "curves": curves(TREE, **changed), "typical": typical}


def memory(per_body=(1e-8, 1e-7), bandwidth=(1e11, 1e10)):
    sizes = [32, 16384]
    return {
        "run": FULL,
        "sizes": sizes,
        "times": [n * t for n, t in zip(sizes, per_body, strict=True)],
        "kilobytes": [4, 4096],
        "bandwidth": list(bandwidth),
    }


def swings(free=2.0, held=0.0):
    t = np.linspace(0.0, 100.0, 1001)
    return {"free": Swing(t, 1e-8 * t**free, 1), "held": Swing(t, 1e-7 * np.maximum(t, 1.0) ** held, 1)}


def alphas(**changed):
    data = {
        "run": FULL,
        "alphas": [0.01, 1.0, 10.0, 100.0],
        "violation": [1e-4, 2e-6, 1e-6, 1e-8],
        "evaluations": [1000, 1100, 2000, 20000],
    }
    return data | changed


def drives(subsystems=(1.02e-7, 1.0), folded=(0.5e-7, 1.0)):
    table = {"subsystems": power(*subsystems), "folded": power(*folded), "plain": power(1e-7, 1.0)}
    return {"run": FULL, "curves": table}


def lola(rigid_linear=1.0, rigid_dense=3.0, elastic_linear=1.0, elastic_dense=5.0, sparse=2.0, shared=False):
    gears = {"rigid": (rigid_linear, rigid_dense), "elastic": (elastic_linear, elastic_dense)}
    times = {
        name: {"articulated-body": linear, "composite-body": dense, "composite-body-sparse": sparse}
        | {"newton-euler-sparse": sparse}
        for name, (linear, dense) in gears.items()
    }
    if shared:
        groups = [["articulated-body"], ["composite-body", "composite-body-sparse", "newton-euler-sparse"]]
    else:
        groups = [[method] for method in times["rigid"]]
    return {"times": times, "paths": dict.fromkeys(gears, groups), "freedoms": {"rigid": 30, "elastic": 46}}


def conquer(first=(14, 14), parallel=2.0):
    times = {"divide and conquer": [parallel, parallel], "articulated bodies": [1.0, 1.5]}
    return {"sizes": [8, 16], "times": times, "differences": [1e-12, 1e-12], "first": first}


ON_CHAIN = {"run": FULL, "curves": curves(CHAIN)}
STEEP = {"composite_body": (1.5e-7, 3.3)}
CASES = [
    (figure_2_15, counts(), 0, counts(counted=counts()["counted"] | {"Coil": [1, 2, 3]})),
    (figure_2_15, counts(), 1, counts(counted=counts()["counted"] | {"Dill": [9, 36, 108]})),
    (figure_2_15, counts(), 2, counts(speedup=2.0)),
    (figure_2_16, jacobians(), 0, jacobians(dill_sparse=(1e-7, 1.6))),
    (figure_2_16, jacobians(), 1, jacobians(coil_sparse=(1e-7, 1.5))),
    (figure_2_16, jacobians(), 2, jacobians(dill_sparse=(1e-7, 2.1))),
    (figure_2_16, jacobians(), 3, jacobians(dill_dense=(2e-7, 2.0))),
    (figure_3_1, patterns(), 0, patterns(extra=True)),
    (figure_3_1, patterns(), 1, patterns(full=True)),
    (figure_3_2, elements(), 0, elements(more=1)),
    (figure_3_2, elements(), 1, elements(part=1e-6)),
    (figure_3_3, ON_CHAIN, 0, {"run": FULL, "curves": curves(CHAIN, newton_euler=(1.6e-7, 1.7))}),
    (figure_3_3, ON_CHAIN, 1, {"run": FULL, "curves": curves(CHAIN, base_composite_body=(2e-6, 2.0))}),
    (figure_3_3, ON_CHAIN, 2, {"run": FULL, "curves": curves(CHAIN, base_composite_body=(1.6e-7, 1.7))}),
    (figure_3_3, ON_CHAIN, 3, {"run": FULL, "curves": curves(CHAIN, **STEEP)}),
    (figure_3_4, dill(), 0, dill(newton_euler_sparse=(5e-7, 1.55))),
    (figure_3_4, dill(), 1, dill(newton_euler_sparse=(1.6e-7, 1.4))),
    (figure_3_4, dill(), 2, dill(composite_body=(1e-7, 1.4))),
    (figure_3_4, dill(), 3, dill(coil=(1.5, 1.0))),
    (figure_3_4, dill(), 4, dill(coil=(1.0, 0.8))),
    (figure_3_4, dill(), 5, dill(composite_body_sparse=(1e-8, 1.7))),
    (figure_3_5, ON_CHAIN, 0, {"run": FULL, "curves": curves(CHAIN, articulated_body=(1e-7, 1.3))}),
    (figure_3_5, ON_CHAIN, 1, {"run": FULL, "curves": curves(CHAIN, composite_body=(1.5e-7, 1.1))}),
    (figure_3_5, ON_CHAIN, 2, {"run": FULL, "curves": curves(CHAIN, composite_body=(0.5e-7, 1.7))}),
    (figure_3_5, ON_CHAIN, 3, {"run": FULL, "curves": curves(CHAIN, composite_body=(1.5e-7, 1.2))}),
    (figure_3_5, ON_CHAIN, 4, {"run": FULL, "curves": curves(CHAIN, **STEEP)}),
    (figure_3_7, memory(), 0, memory(per_body=(1e-8, 2e-8))),
    (figure_3_7, memory(), 1, memory(bandwidth=(1e11, 0.9e11))),
    (figure_3_10, swings(), 0, swings(free=1.0)),
    (figure_3_10, swings(), 1, swings(held=1.0)),
    (figure_3_11, alphas(), 0, alphas(evaluations=[1000, 2000, 2000, 20000])),
    (figure_3_11, alphas(), 1, alphas(evaluations=[1000, 1100, 1100, 1200])),
    (figure_3_11, alphas(), 2, alphas(violation=[1e-4, 2e-4, 1e-6, 1e-8])),
    (figure_3_12, drives(), 0, drives(subsystems=(0.5e-7, 1.0))),
    (figure_3_12, drives(), 0, drives(subsystems=(1.2e-7, 1.0))),
    (figure_3_12, drives(), 2, drives(subsystems=(1e-7, 1.2))),
    (figure_3_13, lola(), 0, lola(rigid_linear=4.0)),
    (figure_3_13, lola(), 1, lola(elastic_linear=6.0)),
    (figure_3_13, lola(), 2, lola(sparse=3.5)),
    (figure_3_13, lola(), 3, lola(elastic_dense=2.5)),
    (figure_3_14, conquer(), 0, conquer(first=(14, 20))),
    (figure_3_14, conquer(), 1, conquer(parallel=0.5)),
]  # fmt: skip
"""A figure, data that agree with the text, the number of a claim, and data that differ in it."""


@pytest.mark.parametrize(
    ("figure", "good", "number", "bad"), CASES, ids=[f"{case[0].FIGURE.name}-{case[2]}" for case in CASES]
)
def test_criterion_holds_for_data_of_the_text_and_fails_for_others(figure, good, number, bad):
    claim = figure.claims(**good)[number]
    assert claim.agrees is True
    assert claim.verdict == f"agrees: {claim.criterion}"
    claim = figure.claims(**bad)[number]
    assert claim.agrees is False
    assert claim.verdict.startswith(f"differs: not {claim.criterion}")


def on_tree(chain=CHAIN, **changed):
    """Like the chain, but methods that exploit sparsity come closer to O(n)."""
    return {"run": FULL, "curves": curves(TREE, **changed), "chain": curves(chain)}


@pytest.mark.parametrize(
    ("number", "bad"),
    [
        (0, on_tree(articulated_body=(1e-7, 0.8))),
        (1, on_tree(composite_body_sparse=(1.5e-7, 1.8), newton_euler_sparse=(1.5e-7, 1.8))),
        (2, on_tree(newton_euler_sparse=(0.9e-7, 1.0))),
        (3, on_tree(newton_euler_sparse=(1.2e-7, 2.5))),
    ],
)
def test_criteria_of_figure_3_6_can_fail(number, bad):
    assert figure_3_6.claims(**on_tree())[number].agrees is True
    assert figure_3_6.claims(**bad)[number].agrees is False


def test_verdict_on_drives_looks_at_the_algorithm_of_the_text_alone():
    """Round drives cost half as much, and nothing is said of them."""
    claims = figure_3_12.claims(**drives(folded=(0.1e-7, 1.0)))
    assert [claim.agrees for claim in claims] == [True, None, True]


def test_methods_without_a_code_of_their_own_get_no_verdict():
    claim = figure_3_13.claims(**lola(shared=True))[2]
    assert claim.agrees is None
    assert "run the code of CRBA" in claim.found


@pytest.mark.parametrize("number", range(len(table_3_1.PRINTED)))
def test_every_row_of_table_3_1_agrees_with_itself_and_with_nothing_far_from_it(number):
    assert all(claim.agrees for claim in table_3_1.claims(table_3_1.PRINTED))
    rows = list(table_3_1.PRINTED)
    printed = rows[number]
    rows[number] = table_3_1.Row(
        printed.family, printed.method, 2.0 * printed.time, 2.0 * printed.to_base, 2.0 * printed.to_optimised
    )
    verdicts = [claim.agrees for claim in table_3_1.claims(rows)]
    assert [i for i, agrees in enumerate(verdicts[: len(rows)]) if not agrees] == [number]


def test_ratios_of_table_3_1_agree_within_a_factor_only():
    assert table_3_1.alike(3.0, 4.0)
    assert not table_3_1.alike(2.0, 4.0)


def test_rows_of_table_3_1_are_read_off_the_curves():
    tables = {"Coil": curves(CHAIN), "Dill": curves(TREE | {
        "base composite-body-sparse": (1e-6, 1.0), "base newton-euler-sparse": (1e-6, 1.5)})}  # fmt: skip
    rows = table_3_1.found_rows(tables)
    assert len(rows) == 12
    assert rows[1].to_base == pytest.approx(32**0.7 / 1.5)
    assert rows[4].to_optimised == pytest.approx(1.5 * 32**0.7)
    assert (rows[0].to_base, rows[3].to_optimised) == (1.0, 1.0)


def test_other_order_in_table_3_1_differs_and_names_the_pair():
    rows = list(table_3_1.PRINTED)
    rows[10], rows[11] = (
        table_3_1.Row(rows[a].family, rows[a].method, rows[b].time, rows[a].to_base, rows[a].to_optimised)
        for a, b in ((10, 11), (11, 10))
    )
    claim = table_3_1.claims(rows)[13]
    assert claim.verdict == "differs: not in the same order; changed places: (NE, sparse) and (CRBA, sparse (RSC))"


def test_the_ratios_that_were_once_taken_for_equal_differ():
    """2.41 and 1.31 are printed; 2.12 and 2.05 are closer together than that."""
    rows = list(table_3_1.PRINTED)
    for i, ratio in ((1, 2.12), (7, 2.05)):
        rows[i] = table_3_1.Row(rows[i].family, rows[i].method, rows[i].time, ratio, rows[i].to_optimised)
    assert table_3_1.claims(rows)[-1].agrees is False


def test_verdicts_without_a_criterion_say_nothing_and_quick_ones_what_is_asked():
    assert Claim("x", "y").verdict == ""
    assert Claim("x", "y", None, "above 2").verdict == "no verdict in a quick run (above 2)"
    assert Claim("x", "y", False, "above 2", "it is cold").verdict == "differs: not above 2; it is cold"
