"""Figure 3.13: Lola with rigid and with elastic gears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.methods import look, time_methods, usable_methods
from benchmarks.papers.plot import clean
from tarsus.model.model import Model
from tarsus.robots.lola import lola

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPARSE = ("newton-euler-sparse", "composite-body-sparse")
CLOSE = 3.0
""""Not much slower" is up to this factor."""


def measure(run: Run) -> Outcome:
    """Time every method on both models."""
    models = {"rigid": lola(drives="rigid"), "elastic": lola(drives="elastic")}
    methods = [method for method in usable_methods(models["rigid"]) if method in usable_methods(models["elastic"])]
    times: dict[str, dict[str, float]] = {}
    for drives, model in models.items():
        run.say(f"Lola, {drives} gears")
        times[drives] = dict(zip(methods, time_methods(run, model, methods), strict=True))
    claims = [
        Claim(
            f"Lola with {drives} gears: the O(n) method is the most efficient",
            f"fastest: {_fastest(table)}; {_ratios(table)}",
            _fastest(table) == "articulated-body",
        )
        for drives, table in times.items()
    ]
    sparse = [method for method in SPARSE if method in methods]
    if sparse:
        worst = max(table[m] / table["articulated-body"] for table in times.values() for m in sparse)
        states = "implementations that exploit the branches are not much slower"
        claims.append(Claim(states, f"at most {worst:.1f} times the O(n) method", worst < CLOSE))
    dense = "composite-body"
    gain = {drives: table[dense] / table["articulated-body"] for drives, table in times.items()}
    claims.append(
        Claim(
            "the reduction is highest for elastic gears, which have more degrees of freedom",
            f"{dense} / O(n) = {gain['rigid']:.1f} rigid ({models['rigid'].nv} DoF), "
            f"{gain['elastic']:.1f} elastic ({models['elastic'].nv} DoF)",
            gain["elastic"] > gain["rigid"],
        )
    )
    data: dict[str, Any] = {
        drives: {"nv": models[drives].nv, "bodies": models[drives].nb, "times": table}
        for drives, table in times.items()
    }
    note = (
        "One state, from Python. The text says 25 driven joints here and 24 drives in figure 2.13; the model has 24. "
        "CRBA stands for all methods that go through the reduced mass matrix; branches are not exploited there."
    )
    return Outcome(data, tuple(claims), lambda figure: _draw(figure, times, models), note)


def _fastest(table: dict[str, float]) -> str:
    return min(table, key=lambda method: table[method])


def _ratios(table: dict[str, float]) -> str:
    fast = table["articulated-body"]
    return ", ".join(f"{look(m).label} {t / fast:.1f}" for m, t in table.items() if m != "articulated-body") + " times"


def _draw(figure: Figure, times: dict[str, dict[str, float]], models: dict[str, Model]) -> None:
    axes = figure.subplots()
    methods = list(next(iter(times.values())))
    width = 0.8 / len(methods)
    for i, method in enumerate(methods):
        x = np.arange(len(times)) + (i - 0.5 * (len(methods) - 1)) * width
        values = [1e6 * table[method] for table in times.values()]
        bars = axes.bar(x, values, 0.92 * width, color=look(method).color, label=look(method).label)
        axes.bar_label(bars, fmt="%.1f", fontsize=7)
    labels = [f"{drives} gears\n{models[drives].nv} DoF, {models[drives].nb} bodies" for drives in times]
    axes.set_xticks(np.arange(len(times)), labels)
    clean(axes, "", "time for one evaluation of $\\ddot q$ [µs]", "Lola")
    axes.grid(visible=False, axis="x")
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("3.13", "Lola with rigid and elastic gears", measure)
