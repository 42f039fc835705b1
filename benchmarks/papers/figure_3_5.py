"""Figure 3.5: all methods on Coil."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.comparison import LARGE, as_data, crossover_text, fitted, ratio_at, slope_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL
from benchmarks.papers.methods import Curve, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINEAR = 0.15
"""A slope within this distance of 1 is linear; caches bend the curve."""


def measure(run: Run) -> Outcome:
    """Time every method that the library has."""
    curves = method_curves(run, COIL)
    linear = curves["articulated-body"]
    rivals = [curve for method, curve in curves.items() if method in ("newton-euler", "composite-body")]
    ratios = [ratio_at(rival, linear) for rival in rivals]
    found = f"slope {fitted(linear):.2f} for n >= {min(LARGE, linear.sizes[-3])}"
    claims = (
        Claim("the O(n) method is linear in n on chains", found, run.judge(abs(fitted(linear) - 1.0) < LINEAR)),
        Claim(
            "O(n) methods are vastly superior for very large n, especially unbranched",
            ", ".join(
                f"{rival.method} / O(n) = {ratio:.0f} at n = {n}"
                for rival, (n, ratio) in zip(rivals, ratios, strict=True)
            ),
            run.judge(all(ratio > 10.0 for _, ratio in ratios)),
        ),
        Claim(
            "optimised O(n) code is always superior",
            crossover_text(linear, rivals),
            all(t >= s for rival in rivals for t, s in zip(rival.times, linear.times, strict=False)),
        ),
        slope_claim("O(n^3) methods tend to slope 3", {m: c for m, c in curves.items() if m != "articulated-body"}),
    )
    note = "One state, from Python. Every method of forward_dynamics, the text has NE, CRBA and O(n)."
    return Outcome({"run_times": as_data(curves)}, claims, lambda figure: _draw(figure, curves), note)


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Coil($n_b$)")
    for method, exponent in (("articulated-body", 1), ("composite-body", 3)):
        guide(axes, curves[method].sizes, [1e6 * t for t in curves[method].times], exponent)


FIGURE = PaperFigure("3.5", "run times of all methods on Coil", measure)
