"""Figure 3.4: Newton-Euler and composite bodies on Dill: base, optimised, and optimised with sparsity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import slope
from benchmarks.papers.comparison import LARGE, as_data, crossover_text, ratio_at, select, steepest_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.figure_3_3 import TYPICAL
from benchmarks.papers.mechanisms import COIL, DILL, model_of
from benchmarks.papers.methods import BASE, Curve, look, method_curves, time_calls
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DENSE = ("newton-euler", "composite-body")
SPARSE = ("newton-euler-sparse", "composite-body-sparse")
METHODS = (*(f"{BASE}{method}" for method in DENSE), *DENSE, *SPARSE)
COMPARABLE = 2.0
"""Two run times are comparable within this factor."""
IDENTICAL = 0.15
"""Run times are identical within this part of them."""


def measure(run: Run) -> Outcome:
    """Time both methods as base code, optimised, and optimised with sparsity."""
    curves = select(method_curves(run, DILL), METHODS)
    calls = [(family, method) for family in (COIL, DILL) for method in METHODS[:4]]
    times = time_calls(run, [(model_of(family, TYPICAL), method) for family, method in calls])
    typical: dict[str, dict[str, float]] = {"Coil": {}, "Dill": {}}
    for (family, method), time in zip(calls, times, strict=True):
        typical[family.name][method] = time
    note = (
        "One state, from Python. RSC: reversed sparse Cholesky factorisation. Base: the equations as they stand, in "
        "C++, see figure 3.3."
    )
    data = {"run_times": as_data(curves), "without_rsc": typical}
    return Outcome(data, claims(run, curves, typical), lambda figure: _draw(figure, curves), note)


def claims(run: Run, curves: Mapping[str, Curve], typical: Mapping[str, Mapping[str, float]]) -> tuple[Claim, ...]:
    """Compare run times on Dill, and on Coil, with the text.

    Parameters
    ----------
    typical : mapping
        Times [s] of codes without RSC by mechanism and method, 32 bodies each, measured together.
    """
    newton_euler, composite = (curves[method] for method in SPARSE)
    smallest, at_small = ratio_at(newton_euler, composite, newton_euler.sizes[0])
    n, at_large = ratio_at(newton_euler, composite)
    middle = ratio_at(newton_euler, composite, TYPICAL)[1]
    large, gain = ratio_at(curves["composite-body"], composite)
    sizes = [n for n in composite.sizes if n > 1]
    depth = slope(sizes, [n * np.log2(n) ** 2 for n in sizes], LARGE if sizes[-1] > 2 * LARGE else sizes[-3])
    return (
        Claim(
            "optimised NE and CRBA are comparable on Dill",
            f"NE / CRBA, both sparse, at n = {TYPICAL}: {middle:.2f} (0.72 in table 3.1)",
            1.0 / COMPARABLE < middle < COMPARABLE,
            f"within a factor of {COMPARABLE:g}",
        ),
        Claim(
            "for very small systems NE is faster, for fairly large ones CRBA",
            f"NE / CRBA = {at_small:.2f} at n = {smallest}, {at_large:.2f} at n = {n}; "
            f"{crossover_text(composite, [newton_euler])}",
            run.judge(at_small < 1.0 < at_large),
            "below 1 at the smallest n and above 1 at the largest",
            "CRBA is ahead from the smallest system on here" if at_small >= 1.0 else "NE stays ahead here",
        ),
        Claim(
            "reversed sparse Cholesky pays on trees",
            f"CRBA / CRBA sparse = {gain:.0f} at n = {large}",
            run.judge(gain > 1.0),
            "above 1 at the largest n",
        ),
        *(_same_claim(typical, method) for method in DENSE),
        steepest_claim(
            run, "RSC: worst case O(n d^2), d = log2 n on Dill", select(curves, SPARSE[1:]), depth, "n (log2 n)^2"
        ),
    )


def _same_claim(times: Mapping[str, Mapping[str, float]], method: str) -> Claim:
    found, optimised = (times["Dill"][m] / times["Coil"][m] for m in (f"{BASE}{method}", method))
    return Claim(
        f"naive {look(method).label} without RSC takes the same time for Coil and Dill",
        f"Dill / Coil at n = {TYPICAL}: {found:.2f} base, {optimised:.2f} optimised",
        abs(found - 1.0) <= IDENTICAL,
        f"the same within {IDENTICAL:.0%} (base)",
        "composite bodies pass forces on to predecessors only, few on a tree" if "composite" in method else "",
    )


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Dill($L$), $n_b = 2^L$")
    for method, exponent in (("newton-euler", 3), ("composite-body-sparse", 1)):
        guide(axes, curves[method].sizes, [1e6 * t for t in curves[method].times], exponent)


FIGURE = PaperFigure("3.4", "run times of NE and CRBA on Dill", measure)
