"""Figure 5.32: conjugate gradients against steepest descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean
from benchmarks.papers.predictive import as_numbers, resolutions
from tarsus.arrays import FloatArray
from tarsus.ik.predictive import optimize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP = 0.05
ITERATIONS = 200


def measure(run: Run) -> Outcome:
    """Costs of the global problem by iteration, from local resolution on, with the same constant step."""
    r = resolutions(run, "planar4")
    s = r.scene
    history = {
        method: optimize(
            s.model, s.task, s.q0, dt=s.dt, costs=s.costs, guess=r.local.u, method=method, step=STEP,
            iterations=ITERATIONS, tolerance=0.0,
        ).history
        for method in ("conjugate-gradient", "steepest-descent")
    }  # fmt: skip
    least = min(float(cost.min()) for cost in history.values())
    first = {method: int(np.argmax(cost <= 1.01 * least)) for method, cost in history.items()}
    claims = (
        Claim(
            "superior convergence of the conjugate gradient method (5.6.3)",
            f"within 1 % of the least cost after {first['conjugate-gradient']} iterations instead of "
            f"{first['steepest-descent']}",
            first["conjugate-gradient"] < first["steepest-descent"],
            "fewer iterations",
        ),
    )
    data = {method: as_numbers(cost) for method, cost in history.items()}
    note = f"Global problem of the planar arm, constant step {STEP:g}."
    return Outcome(data, claims, lambda figure: _draw(figure, history, least), note)


def _draw(figure: Figure, history: dict[str, FloatArray], least: float) -> None:
    axes = figure.subplots()
    for (method, cost), color in zip(history.items(), ("#1f78b4", "#222222"), strict=True):
        axes.semilogy(np.maximum(cost / least - 1.0, 1e-12), color=color, label=method.replace("-", " "))
    clean(axes, "iteration", "cost above the least one, relative")
    axes.legend(frameon=False, fontsize=9)


FIGURE = PaperFigure("5.32", "conjugate gradients against steepest descent", measure)
