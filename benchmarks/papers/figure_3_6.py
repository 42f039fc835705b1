"""Figure 3.6: all methods on Dill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.comparison import as_data, best_rival, crossover_text, fitted, slope_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.figure_3_5 import LINEAR
from benchmarks.papers.mechanisms import COIL, DILL
from benchmarks.papers.methods import Curve, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def measure(run: Run) -> Outcome:
    """Time every method that the library has."""
    curves = method_curves(run, DILL)
    chain = method_curves(run, COIL)
    linear = curves["articulated-body"]
    rivals = [curve for method, curve in curves.items() if method.startswith(("newton-euler", "composite-body"))]
    n = max(rival.sizes[-1] for rival in rivals)
    on_tree, on_chain = (best_rival(table, [rival.method for rival in rivals], n) for table in (curves, chain))
    claims = (
        Claim(
            "the O(n) method is linear in n",
            f"slope {fitted(linear):.2f} of the largest sizes",
            run.judge(abs(fitted(linear) - 1.0) < LINEAR),
        ),
        Claim(
            "O(n) methods are vastly superior for very large n, especially for unbranched systems",
            f"best of the others / O(n): {on_tree[1]:.1f} on Dill at n = {on_tree[0]}, "
            f"{on_chain[1]:.1f} on Coil at n = {on_chain[0]}",
            run.judge(on_chain[1] > on_tree[1]),
        ),
        Claim(
            "optimised O(n) code is always superior",
            crossover_text(linear, rivals),
            all(t >= s for rival in rivals for t, s in zip(rival.times, linear.times, strict=False)),
        ),
        slope_claim(
            "methods that exploit sparsity come close to O(n) on branched systems",
            {m: c for m, c in curves.items() if m != "articulated-body"},
        ),
    )
    note = "One state, from Python. Every method of forward_dynamics; the text has NE, CRBA and O(n)."
    return Outcome({"run_times": as_data(curves)}, claims, lambda figure: _draw(figure, curves), note)


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Dill($L$), $n_b = 2^L$")
    linear = curves["articulated-body"]
    guide(axes, linear.sizes, [1e6 * t for t in linear.times], 1)


FIGURE = PaperFigure("3.6", "run times of all methods on Dill", measure)
