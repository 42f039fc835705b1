"""Figure 3.6: all methods on Dill, and the O(n) method as base code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks.papers.comparison import (
    LINEAR,
    as_data,
    best_rival,
    linear_claim,
    naive_claim,
    select,
    superior_claim,
    without_base,
)
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, DILL
from benchmarks.papers.methods import BASE, Curve, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIVALS = ("newton-euler-sparse", "composite-body-sparse")
"""Best versions from figure 3.4."""


def measure(run: Run) -> Outcome:
    """Time every method that the library has."""
    curves = without_base(method_curves(run, DILL), f"{BASE}{LINEAR}")
    chain = method_curves(run, COIL)
    note = (
        "One state, from Python. Every method of forward_dynamics; the text has NE, CRBA and O(n). Base: the equations "
        "as they stand, in C++, see figure 3.3."
    )
    return Outcome(
        {"run_times": as_data(curves)}, claims(run, curves, chain), lambda figure: _draw(figure, curves), note
    )


def claims(run: Run, curves: Mapping[str, Curve], chain: Mapping[str, Curve]) -> tuple[Claim, ...]:
    """Compare run times on Dill, and on Coil, with the text."""
    linear = curves[LINEAR]
    rivals = select(curves, RIVALS)
    n = max(rival.sizes[-1] for rival in rivals.values())
    on_tree, on_chain = (best_rival(table, RIVALS, n) for table in (curves, chain))
    return (
        linear_claim(run, linear),
        Claim(
            "O(n) methods are superior for very large n, especially for unbranched systems",
            f"best of NE and CRBA / O(n): {on_tree[1]:.1f} on Dill at n = {on_tree[0]}, "
            f"{on_chain[1]:.1f} on Coil at n = {on_chain[0]}",
            run.judge(on_chain[1] > on_tree[1] > 1.0),
            "above 1 on Dill and more on Coil",
        ),
        superior_claim(linear, list(rivals.values())),
        naive_claim(run, curves, RIVALS, 100, 400),
    )


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Dill($L$), $n_b = 2^L$")
    linear = curves[LINEAR]
    guide(axes, linear.sizes, [1e6 * t for t in linear.times], 1)


FIGURE = PaperFigure("3.6", "run times of all methods on Dill", measure)
