"""Figure 3.3: Newton-Euler and composite bodies on Coil."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.comparison import as_data, crossover_text, ratio_at, select, slope_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL
from benchmarks.papers.methods import Curve, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("newton-euler", "composite-body")


def measure(run: Run) -> Outcome:
    """Time both methods."""
    curves = select(method_curves(run, COIL), METHODS)
    newton_euler, composite = (curves[method] for method in METHODS)
    n, ratio = ratio_at(newton_euler, composite)
    claims = (
        Claim(
            "for chains CRBA is significantly faster than NE, especially for very large systems",
            f"NE / CRBA = {ratio:.1f} at n = {n}; {crossover_text(composite, [newton_euler])}",
            run.judge(ratio > 1.0),
        ),
        slope_claim("worst case O(n^3) (section 3.2.3)", curves),
    )
    note = "One state, from Python, optimised code; the text's unoptimised codes have no counterpart here."
    return Outcome({"run_times": as_data(curves)}, claims, lambda figure: _draw(figure, curves), note)


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Coil($n_b$)")
    for curve in curves.values():
        guide(axes, curve.sizes, [1e6 * t for t in curve.times], 3)


FIGURE = PaperFigure("3.3", "run times of NE and CRBA on Coil", measure)
