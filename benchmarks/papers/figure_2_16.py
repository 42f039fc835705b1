"""Figure 2.16: run times for the rotational Jacobians of all bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import slope
from benchmarks.papers.comparison import as_data, ratio_at
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.figure_2_15 import counted_operations
from benchmarks.papers.jacobian_recursion import Levels, dense_jacobians, relative_rotations, sparse_jacobians
from benchmarks.papers.mechanisms import COIL, DILL, Family, model_of
from benchmarks.papers.methods import Curve
from benchmarks.papers.plot import guide, log_log
from benchmarks.timing import Statement, race
from tarsus.dynamics.jacobians import body_jacobians, joint_screws

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def states_for(columns: int) -> int:
    """States that one call evaluates, so that it is not NumPy's overhead that is timed; results stay below 12 MB.

    Parameters
    ----------
    columns : int
        Of the Jacobians of all bodies together.
    """
    return max(1, min(64, 2**19 // columns))


QUADRATIC = 0.3
"""A slope within this distance of 2 is quadratic; memory and NumPy's overhead bend the curves."""
LINEARITHMIC = 0.15
"""Largest difference between the slopes of run times and of counted operations."""
IDENTICAL = 0.15
"""Run times are the same within this part of them."""
QUADRATIC_CURVES = (("Coil", "sparse"), ("Coil", "dense"), ("Dill", "dense"))
CURVES = {
    "dense": ("(2.83), all columns", "#b5442e", "s"),
    "sparse": ("(2.87), columns of predecessors", "#1d8a5b", "o"),
    "body_jacobians": ("ts.body_jacobians (native, 6 rows, dense result)", "#2f6db3", "^"),
    "joint_screws": ("ts.joint_screws (native, one screw a joint)", "#8e5bb5", "v"),
}


def measure(run: Run) -> Outcome:
    """Time the two recursions and the native functions on both mechanisms."""
    curves = {family.name: _curves(run, family) for family in (COIL, DILL)}
    return Outcome(
        {"run_times": {family: as_data(table) for family, table in curves.items()}},
        claims(run, curves),
        lambda figure: _draw(figure, curves),
        "Time for one state. Rotational Jacobians by (2.83) in NumPy, all bodies of a level and up to 64 states in one "
        "operation, on all columns or on those of predecessors only; A_ip given. Below them the native functions for "
        "the same purpose, one state a call.",
        (9.0, 4.4),
    )


def _curves(run: Run, family: Family) -> dict[str, Curve]:
    limits = run.choose(
        {"dense": 64, "sparse": 256, "body_jacobians": 64, "joint_screws": 256},
        {"dense": 1024, "sparse": 8192, "body_jacobians": 512, "joint_screws": 8192},
    )
    largest = min(max(limits.values()), 2048 if family is COIL else 8192)
    curves = {name: Curve(name) for name in CURVES}
    n = 4
    while n <= largest:
        run.say(f"Jacobians of {family.label(n)}")
        names = [name for name in CURVES if n <= limits[name]]
        for name, time in zip(names, race(_statements(family, n, names), run.effort), strict=True):
            curves[name].sizes.append(n)
            curves[name].times.append(time)
        n *= 2
    return curves


def _statements(family: Family, n: int, names: list[str]) -> list[Statement]:
    model = model_of(family, n)
    levels = Levels.of(model)
    dense, sparse = states_for(n * n), states_for(sum(columns.size + len(columns) for columns in levels.columns))
    q = model.random(np.random.default_rng(0), (sparse,))
    A = relative_rotations(model, q)
    native = {"m": model, "q": q[0]}
    recursion = {"levels": levels}

    def statement(name: str) -> Statement:
        match name:
            case "dense":
                return Statement("f(levels, A)", recursion | {"A": A[:dense], "f": dense_jacobians}, dense)
            case "sparse":
                return Statement("f(levels, A)", recursion | {"A": A, "f": sparse_jacobians}, sparse)
            case "joint_screws":
                return Statement("f(m, q, out=r)", native | {"f": joint_screws, "r": np.empty((6, n))})
            case _:
                out = np.empty((model.nb, 6, n))
                return Statement("f(m, q, out=r)", native | {"f": body_jacobians, "r": out})

    return [statement(name) for name in names]


def claims(run: Run, curves: dict[str, dict[str, Curve]]) -> tuple[Claim, ...]:
    """Compare run times with the text."""
    smallest = run.choose(16, 64)
    slopes = {
        (family, name): slope(curve.sizes, curve.times, smallest)
        for family, table in curves.items()
        for name, curve in table.items()
    }
    sizes = curves["Dill"]["sparse"].sizes
    expected = slope(sizes, [counted_operations(DILL, n) for n in sizes], smallest)
    close = abs(slopes["Dill", "sparse"] - expected) < LINEARITHMIC
    n, same = ratio_at(curves["Dill"]["dense"], curves["Coil"]["dense"])
    gain = {family: ratio_at(table["dense"], table["sparse"], n)[1] for family, table in curves.items()}
    return (
        Claim(
            "with sparsity O(n log n) on Dill (2.88)",
            f"slope {slopes['Dill', 'sparse']:.2f} for n >= {smallest}; {expected:.2f} for the counted operations",
            run.judge(close),
            f"as steep as the operations within {LINEARITHMIC:g}",
        ),
        Claim(
            "O(n^2) on Coil with sparsity (2.84), and without on both (2.85)",
            f"slopes {slopes['Coil', 'sparse']:.2f}, and {slopes['Coil', 'dense']:.2f} (Coil), "
            f"{slopes['Dill', 'dense']:.2f} (Dill)",
            run.judge(all(abs(slopes[key] - 2.0) < QUADRATIC for key in QUADRATIC_CURVES)),
            f"of slope 2 within {QUADRATIC:g}",
            "memory and NumPy's overhead bend the curves",
        ),
        Claim(
            "sparsity reduces the cost, especially for the branched Dill",
            f"{gain['Coil']:.1f} times faster on Coil, {gain['Dill']:.0f} times on Dill at n = {n}",
            run.judge(gain["Dill"] > gain["Coil"] > 1.0),
            "faster on both, and more so on Dill",
        ),
        Claim(
            "the basic implementation takes the same time for Coil and Dill",
            f"Dill / Coil = {same:.2f} at n = {n}",
            run.judge(abs(same - 1.0) <= IDENTICAL),
            f"the same within {IDENTICAL:.0%}",
            "all bodies of a level are computed in one operation here, and Dill has few levels" if same < 1.0 else "",
        ),
    )


def _draw(figure: Figure, curves: dict[str, dict[str, Curve]]) -> None:
    for axes, (family, table) in zip(figure.subplots(1, 2, sharey=True), curves.items(), strict=True):
        for name, curve in table.items():
            label, color, marker = CURVES[name]
            axes.plot(curve.sizes, 1e6 * np.array(curve.times), color=color, marker=marker, ms=4, label=label)
        for name, exponent in (("dense", 2), ("joint_screws", 1)):
            guide(axes, table[name].sizes, 1e6 * np.array(table[name].times), exponent)
        log_log(axes, "bodies $n_b$", "time [µs]" if family == "Coil" else "", family)
    figure.axes[0].legend(frameon=False, fontsize=7.5)


FIGURE = PaperFigure("2.16", "run times for the Jacobians of all bodies", measure)
