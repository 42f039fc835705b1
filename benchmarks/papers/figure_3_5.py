"""Figure 3.5: all methods on Coil, and the O(n) method as base code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks.papers.comparison import (
    LINEAR,
    VASTLY,
    as_data,
    linear_claim,
    naive_claim,
    ratio_at,
    select,
    steepest_claim,
    superior_claim,
    without_base,
)
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL
from benchmarks.papers.methods import BASE, Curve, look, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIVALS = ("newton-euler", "composite-body")
"""Best versions from figure 3.3."""


def measure(run: Run) -> Outcome:
    """Time every method that the library has."""
    curves = without_base(method_curves(run, COIL), f"{BASE}{LINEAR}")
    note = (
        "One state, from Python. Every method of forward_dynamics; the text has NE, CRBA and O(n). Base: the equations "
        "as they stand, in C++, see figure 3.3."
    )
    return Outcome({"run_times": as_data(curves)}, claims(run, curves), lambda figure: _draw(figure, curves), note)


def claims(run: Run, curves: Mapping[str, Curve]) -> tuple[Claim, ...]:
    """Compare run times with the text."""
    linear = curves[LINEAR]
    rivals = select(curves, RIVALS)
    ratios = {method: ratio_at(rival, linear) for method, rival in rivals.items()}
    return (
        linear_claim(run, linear),
        Claim(
            "O(n) methods are vastly superior for very large n, especially unbranched",
            ", ".join(f"{look(method).label} / O(n) = {ratio:.0f} at n = {n}" for method, (n, ratio) in ratios.items()),
            run.judge(all(ratio > VASTLY for _, ratio in ratios.values())),
            f"more than {VASTLY:g} times faster at the largest n",
        ),
        superior_claim(linear, list(rivals.values())),
        naive_claim(run, curves, RIVALS, 10, 100),
        steepest_claim(run, "NE and CRBA are O(n^3)", rivals, 3.0, "n^3"),
    )


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Coil($n_b$)")
    for method, exponent in ((LINEAR, 1), ("composite-body", 3)):
        guide(axes, curves[method].sizes, [1e6 * t for t in curves[method].times], exponent)


FIGURE = PaperFigure("3.5", "run times of all methods on Coil", measure)
