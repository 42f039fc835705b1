"""Figure 3.13: Lola with rigid and with elastic gears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.comparison import LINEAR
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.methods import look, shared_paths, time_methods, usable_methods
from benchmarks.papers.plot import clean
from tarsus.model.model import Model
from tarsus.robots.lola import lola

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPARSE = ("newton-euler-sparse", "composite-body-sparse")
DENSE = "composite-body"
CLOSE = 3.0
""""Not much slower" is up to this factor."""

Times = Mapping[str, Mapping[str, float]]
"""By gears and method [s]."""
Paths = Mapping[str, Sequence[Sequence[str]]]
"""By gears: methods in groups that run the same code."""


def measure(run: Run) -> Outcome:
    """Time every method on both models."""
    models = {"rigid": lola(drives="rigid"), "elastic": lola(drives="elastic")}
    methods = [method for method in usable_methods(models["rigid"]) if method in usable_methods(models["elastic"])]
    times: dict[str, dict[str, float]] = {}
    for drives, model in models.items():
        run.say(f"Lola, {drives} gears")
        times[drives] = dict(zip(methods, time_methods(run, model, methods), strict=True))
    paths = {drives: shared_paths(model, methods) for drives, model in models.items()}
    data: dict[str, Any] = {
        drives: {"nv": model.nv, "bodies": model.nb, "times": times[drives], "same_code": paths[drives]}
        for drives, model in models.items()
    }
    note = (
        "One state, from Python. The text says 25 driven joints here and 24 drives in figure 2.13; the model has 24. "
        f"Base codes, which the text draws, too, are not made for loops. {_told(paths)}"
    )
    freedoms = {drives: model.nv for drives, model in models.items()}
    return Outcome(
        data, claims(times, paths, freedoms), lambda figure: _draw(figure, times, models, paths), note, (9.0, 4.6)
    )


def claims(times: Times, paths: Paths, freedoms: Mapping[str, int]) -> tuple[Claim, ...]:
    """Compare run times with the text.

    Parameters
    ----------
    freedoms : mapping
        Degrees of freedom by gears.
    """
    gain = {drives: table[DENSE] / table[LINEAR] for drives, table in times.items()}
    return (
        *(
            Claim(
                f"Lola with {drives} gears: the O(n) method is the most efficient",
                f"fastest: {look(_fastest(table)).label}; {_ratios(table)}",
                _fastest(table) == LINEAR,
                "the fastest of all",
            )
            for drives, table in times.items()
        ),
        _sparse_claim(times, paths),
        Claim(
            "the reduction is very high for elastic gears, which have more degrees of freedom",
            f"{look(DENSE).label} / O(n) = {gain['rigid']:.1f} rigid ({freedoms['rigid']} DoF), "
            f"{gain['elastic']:.1f} elastic ({freedoms['elastic']} DoF)",
            gain["elastic"] > gain["rigid"],
            "higher for elastic gears",
        ),
    )


def _sparse_claim(times: Times, paths: Paths) -> Claim:
    """How far methods that exploit branches are behind; no verdict where none of them has a code of its own."""
    states = "implementations that exploit the branches are not much slower"
    own = [
        (drives, method)
        for drives, groups in paths.items()
        for method in SPARSE
        if all(DENSE not in group for group in groups if method in group)
    ]
    worst = {
        drives: max(table[method] / table[LINEAR] for method in SPARSE if method in table)
        for drives, table in times.items()
    }
    found = ", ".join(f"at most {ratio:.1f} times the O(n) method ({drives})" for drives, ratio in worst.items())
    if not own:
        return Claim(states, f"{found}; but here they run the code of {look(DENSE).label}, which does not exploit them")
    ratios = [times[drives][method] / times[drives][LINEAR] for drives, method in own]
    return Claim(states, found, max(ratios) < CLOSE, f"below {CLOSE:g} times O(n)")


def _told(paths: Paths) -> str:
    """Which methods share their code, in words."""
    parts = []
    for drives, groups in paths.items():
        common = [" = ".join(look(method).label for method in group) for group in groups if len(group) > 1]
        if common:
            parts.append(f"{'; '.join(common)} ({drives})")
    if not parts:
        return "Each method runs a code of its own."
    return f"Same code, as equal results show: {'; '.join(parts)}."


def _fastest(table: Mapping[str, float]) -> str:
    return min(table, key=lambda method: table[method])


def _ratios(table: Mapping[str, float]) -> str:
    fast = table[LINEAR]
    return ", ".join(f"{look(m).label} {t / fast:.1f}" for m, t in table.items() if m != LINEAR) + " times"


def _draw(figure: Figure, times: Mapping[str, dict[str, float]], models: Mapping[str, Model], paths: Paths) -> None:
    axes = figure.subplots()
    methods = list(next(iter(times.values())))
    width = 0.86 / len(methods)
    number = {method: i for i, group in enumerate(_common_groups(paths), 1) for method in group if len(group) > 1}
    for i, method in enumerate(methods):
        x = np.arange(len(times)) + (i - 0.5 * (len(methods) - 1)) * width
        values = [1e6 * table[method] for table in times.values()]
        label = look(method).label + (f" (code {number[method]})" if method in number else "")
        hatch = "//" if method in number else None
        bars = axes.bar(x, values, 0.9 * width, color=look(method).color, label=label, hatch=hatch, edgecolor="white")
        axes.bar_label(bars, fmt="%.1f", fontsize=7)
    labels = [f"{drives} gears\n{models[drives].nv} DoF, {models[drives].nb} bodies" for drives in times]
    axes.set_xticks(np.arange(len(times)), labels)
    shared = "; hatched: methods with the same number run the same code" if number else ""
    clean(axes, "", "time for one evaluation of $\\ddot q$ [µs]", f"Lola{shared}")
    axes.grid(visible=False, axis="x")
    axes.legend(frameon=False, fontsize=8)


def _common_groups(paths: Paths) -> list[list[str]]:
    """Methods that share their code on every model, in groups."""
    keys: dict[tuple[int, ...], list[str]] = {}
    for method in (method for group in next(iter(paths.values())) for method in group):
        place = tuple(i for groups in paths.values() for i, group in enumerate(groups) if method in group)
        keys.setdefault(place, []).append(method)
    return sorted(keys.values(), key=len, reverse=True)


FIGURE = PaperFigure("3.13", "Lola with rigid and elastic gears", measure)
