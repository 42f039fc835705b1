"""Figure 3.3: Newton-Euler and composite bodies on Coil, base and optimised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks.papers.comparison import as_data, crossover_text, ratio_at, select, steepest_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL
from benchmarks.papers.methods import BASE, Curve, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPTIMISED = ("newton-euler", "composite-body")
METHODS = (*(f"{BASE}{method}" for method in OPTIMISED), *OPTIMISED)
SIGNIFICANT = 1.5
"""A code is significantly faster from this factor on."""
TYPICAL = 32
"""Bodies of table 3.1."""


def measure(run: Run) -> Outcome:
    """Time both methods as base and as optimised code."""
    curves = select(method_curves(run, COIL), METHODS)
    note = (
        "One state, from Python. Optimised: this library. Base: the equations as they stand, in C++ with matrices of "
        "any size and overloaded operators."
    )
    return Outcome({"run_times": as_data(curves)}, claims(run, curves), lambda figure: _draw(figure, curves), note)


def claims(run: Run, curves: Mapping[str, Curve]) -> tuple[Claim, ...]:
    """Compare run times with the text."""
    newton_euler, composite = (curves[method] for method in OPTIMISED)
    _, typical = ratio_at(newton_euler, composite, TYPICAL)
    n, large = ratio_at(newton_euler, composite)
    m, base = ratio_at(curves[f"{BASE}newton-euler"], curves[f"{BASE}composite-body"])
    gains = [ratio_at(curves[f"{BASE}{method}"], curves[method], TYPICAL)[1] for method in OPTIMISED]
    return (
        Claim(
            "for chains CRBA is significantly faster than NE, especially for very large systems",
            f"NE / CRBA = {typical:.1f} at n = {TYPICAL}, {large:.1f} at n = {n}; "
            f"{crossover_text(composite, [newton_euler])}",
            run.judge(typical >= SIGNIFICANT and large > typical),
            f"faster by {SIGNIFICANT:g} or more at n = {TYPICAL}, and by more at the largest n",
        ),
        Claim(
            "trends are similar for base and optimised code",
            f"NE / CRBA = {base:.1f} in base code at n = {m}, {ratio_at(newton_euler, composite, m)[1]:.1f} optimised",
            run.judge(base > 1.0 and large > 1.0),
            "in the same order at the largest n",
        ),
        Claim(
            "optimisation reduces run times significantly",
            f"base / optimised at n = {TYPICAL}: NE {gains[0]:.1f}, CRBA {gains[1]:.1f} (2.7 and 4.3 in table 3.1)",
            min(gains) >= SIGNIFICANT,
            f"reduced by {SIGNIFICANT:g} or more",
        ),
        steepest_claim(run, "worst case O(n^3) (section 3.2.3)", curves, 3.0, "n^3"),
    )


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Coil($n_b$)")
    for method in OPTIMISED:
        guide(axes, curves[method].sizes, [1e6 * t for t in curves[method].times], 3)


FIGURE = PaperFigure("3.3", "run times of NE and CRBA on Coil", measure)
