"""Figure 3.12: chains with drive bodies against a plain chain of as many bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.comparison import SLOPE, fitted, ratio_at
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import driven_coil, random_state
from benchmarks.papers.methods import Curve
from benchmarks.papers.plot import GREY, clean, guide, log_log
from benchmarks.timing import Statement, race
from tarsus.dynamics.forward import forward_dynamics
from tarsus.model.model import Model
from tarsus.robots.coil import coil

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IDENTICAL = 0.15
"""Run times are practically identical within this part of them."""
CURVES = {
    "subsystems": ("drives that are not round: algorithms 5 to 8", "#b5442e", "s"),
    "folded": ("round drives: parts of the links that carry them", "#2f6db3", "D"),
    "plain": ("Coil without drives", "#1d8a5b", "o"),
}
"""Chains with as many bodies each: label, color, marker."""


def measure(run: Run) -> Outcome:
    """Time the three chains with the same number of bodies, alternating."""
    bodies = run.choose([8, 16, 32], [8, 16, 32, 64, 128, 256, 512, 1024])
    curves = {name: Curve(name) for name in CURVES}
    for n in bodies:
        run.say(f"driven Coil with {n} bodies")
        models = driven_coil(n // 2, round_rotors=False), driven_coil(n // 2, round_rotors=True), coil(n)
        for curve, time in zip(curves.values(), race([_statement(m) for m in models], run.effort), strict=True):
            curve.sizes.append(n)
            curve.times.append(time)
    ratios = {name: _ratios(curves, name) for name in ("subsystems", "folded")}
    data = {"bodies": bodies, "times": {name: curve.times for name, curve in curves.items()}, "ratio": ratios}
    note = (
        "One state, from Python, n/2 joints with drives against n joints. Drives whose inertia is not round about "
        "their axis are eliminated as bodies of subsystems, by algorithms 5 to 8 as in the text; round ones, of which "
        "the text says nothing, are parts of the links that carry them and cost next to nothing."
    )
    return Outcome(data, claims(run, curves), lambda figure: _draw(figure, curves), note, (9.5, 3.8))


def claims(run: Run, curves: Mapping[str, Curve]) -> tuple[Claim, ...]:
    """Compare run times with the text."""
    subsystems, folded = _ratios(curves, "subsystems"), _ratios(curves, "folded")
    n, last = ratio_at(curves["subsystems"], curves["plain"])
    growth = fitted(curves["subsystems"])
    return (
        Claim(
            "run times with drive bodies are practically identical to those of a chain with as many bodies",
            f"algorithms 5 to 8 / plain: {min(subsystems):.2f} to {max(subsystems):.2f}, {last:.2f} at {n} bodies",
            all(abs(ratio - 1.0) <= IDENTICAL for ratio in subsystems),
            f"identical within {IDENTICAL:.0%} at every size",
        ),
        Claim(
            "(nothing about drives that are round)",
            f"round drives, parts of their links / plain: {min(folded):.2f} to {max(folded):.2f}; a chain of half as "
            "many joints",
        ),
        Claim(
            "O(n) with loops",
            f"slope {growth:.2f} of the largest sizes, {fitted(curves['plain']):.2f} for the plain chain",
            run.judge(abs(growth - 1.0) < SLOPE),
            f"of slope 1 within {SLOPE:g}",
        ),
    )


def _ratios(curves: Mapping[str, Curve], name: str) -> list[float]:
    return [a / b for a, b in zip(curves[name].times, curves["plain"].times, strict=True)]


def _statement(model: Model) -> Statement:
    q, v, tau = random_state(model)
    names = {"f": forward_dynamics, "m": model, "q": q, "v": v, "tau": tau, "r": np.empty(model.nv)}
    return Statement("f(m, q, v, tau, out=r)", names)


def _draw(figure: Figure, curves: dict[str, Curve]) -> None:
    left, right = figure.subplots(1, 2)
    plain = curves["plain"]
    for name, (label, color, marker) in CURVES.items():
        curve = curves[name]
        left.plot(curve.sizes, 1e6 * np.array(curve.times), color=color, marker=marker, ms=4, label=label)
        if name != "plain":
            right.semilogx(curve.sizes, _ratios(curves, name), color=color, marker=marker, ms=4, base=2)
    guide(left, plain.sizes, [1e6 * t for t in plain.times], 1)
    log_log(left, "bodies, drives included", "time for one evaluation of $\\ddot q$ [µs]", "Run time", plain.sizes)
    left.legend(frameon=False, fontsize=7.5)
    right.axhspan(1.0 - IDENTICAL, 1.0 + IDENTICAL, color=GREY, alpha=0.15, lw=0)
    right.axhline(1.0, color=GREY, lw=0.8)
    right.set_ylim(0.0, max(1.5, 1.1 * max(max(_ratios(curves, name)) for name in curves)))
    clean(right, "bodies, drives included", "with drives / Coil without [-]", f"Ratio; band: {IDENTICAL:.0%}")


FIGURE = PaperFigure("3.12", "Coil with drive bodies against Coil", measure)
