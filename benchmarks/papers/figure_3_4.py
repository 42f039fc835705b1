"""Figure 3.4: Newton-Euler and composite bodies on Dill, with and without sparsity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.comparison import as_data, crossover_text, ratio_at, select, slope_claim
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, DILL
from benchmarks.papers.methods import Curve, look, method_curves
from benchmarks.papers.plot import draw_methods, guide

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("newton-euler", "newton-euler-sparse", "composite-body", "composite-body-sparse")
COMPARABLE = 2.0
"""Two run times are comparable within this factor."""


def measure(run: Run) -> Outcome:
    """Time the four methods."""
    curves = select(method_curves(run, DILL), METHODS)
    chain = method_curves(run, COIL)
    newton_euler, composite = curves["newton-euler-sparse"], curves["composite-body-sparse"]
    smallest, at_small = ratio_at(newton_euler, composite, newton_euler.sizes[0])
    n, at_large = ratio_at(newton_euler, composite)
    middle = ratio_at(newton_euler, composite, 32)[1]
    plain, gain = ratio_at(curves["composite-body"], composite)
    same = [f"{look(method).label} {_dill_over_coil(curves[method], chain[method])}" for method in METHODS[::2]]
    claims = (
        Claim(
            "optimised NE and CRBA are comparable on Dill",
            f"NE / CRBA, both sparse, at n = 32: {middle:.2f}",
            1.0 / COMPARABLE < middle < COMPARABLE,
        ),
        Claim(
            "for very small systems NE is faster, for fairly large ones CRBA",
            f"NE / CRBA = {at_small:.2f} at n = {smallest}, {at_large:.2f} at n = {n}; "
            f"{crossover_text(composite, [newton_euler])}",
            run.judge(at_small < 1.0 < at_large),
        ),
        Claim(
            "reversed sparse Cholesky pays on trees",
            f"CRBA / CRBA sparse = {gain:.0f} at n = {plain}",
            run.judge(gain > 1.0),
        ),
        Claim("without sparsity, Coil and Dill take the same time", f"Dill / Coil: {', '.join(same)}"),
        slope_claim("RSC: worst case O(n d^2), d = log2 n on Dill", curves),
    )
    note = "One state, from Python, optimised code. RSC: reversed sparse Cholesky factorisation."
    return Outcome({"run_times": as_data(curves)}, claims, lambda figure: _draw(figure, curves), note)


def _dill_over_coil(dill: Curve, coil: Curve) -> str:
    n, ratio = ratio_at(dill, coil)
    return f"{ratio:.2f} at n = {n}"


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    axes = figure.subplots()
    draw_methods(axes, curves.values(), "Forward dynamics of Dill($L$), $n_b = 2^L$")
    for method, exponent in (("newton-euler", 3), ("composite-body-sparse", 1)):
        guide(axes, curves[method].sizes, [1e6 * t for t in curves[method].times], exponent)


FIGURE = PaperFigure("3.4", "run times of NE and CRBA on Dill", measure)
