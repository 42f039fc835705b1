"""Figure 3.12: a chain with drive bodies against a plain chain of as many bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.comparison import fitted
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.figure_3_5 import LINEAR
from benchmarks.papers.mechanisms import random_state
from benchmarks.papers.methods import Curve
from benchmarks.papers.plot import clean, guide, log_log
from benchmarks.timing import Statement, race
from tarsus.dynamics.forward import forward_dynamics
from tarsus.model.model import Model
from tarsus.robots.coil import coil

if TYPE_CHECKING:
    from matplotlib.figure import Figure

IDENTICAL = 1.15
"""Run times are practically identical up to this ratio."""


def measure(run: Run) -> Outcome:
    """Time both chains with the same number of bodies, alternating."""
    bodies = run.choose([8, 16, 32], [8, 16, 32, 64, 128, 256, 512, 1024])
    driven, plain = Curve("driven"), Curve("plain")
    for n in bodies:
        run.say(f"driven Coil with {n} bodies")
        times = race([_statement(coil(n // 2, drives=True)), _statement(coil(n))], run.effort)
        for curve, time in zip((driven, plain), times, strict=True):
            curve.sizes.append(n)
            curve.times.append(time)
    ratios = [a / b for a, b in zip(driven.times, plain.times, strict=True)]
    claims = (
        Claim(
            "run times are practically identical for the same number of bodies",
            f"driven / plain: {min(ratios):.2f} to {max(ratios):.2f}, {ratios[-1]:.2f} at {bodies[-1]} bodies",
            max(ratios) <= IDENTICAL,
        ),
        Claim(
            "O(n) with loops",
            f"slope {fitted(driven):.2f} of the largest sizes, {fitted(plain):.2f} for the plain chain",
            run.judge(abs(fitted(driven) - 1.0) < LINEAR),
        ),
    )
    data = {"bodies": bodies, "driven": driven.times, "plain": plain.times, "ratio": ratios}
    note = (
        "One state, from Python, n/2 joints with drives against n. The text eliminates drives as bodies of subsystems "
        "(algorithms 5-8); here round rotors are parts of the links that carry them and cost next to nothing."
    )
    return Outcome(data, claims, lambda figure: _draw(figure, driven, plain), note, (9.0, 3.8))


def _statement(model: Model) -> Statement:
    q, v, tau = random_state(model)
    names = {"f": forward_dynamics, "m": model, "q": q, "v": v, "tau": tau, "r": np.empty(model.nv)}
    return Statement("f(m, q, v, tau, out=r)", names)


def _draw(figure: Figure, driven: Curve, plain: Curve) -> None:
    left, right = figure.subplots(1, 2)
    left.plot(driven.sizes, 1e6 * np.array(driven.times), "s-", color="#b5442e", ms=4, label="Coil with drive bodies")
    left.plot(plain.sizes, 1e6 * np.array(plain.times), "o-", color="#1d8a5b", ms=4, label="Coil")
    guide(left, plain.sizes, [1e6 * t for t in plain.times], 1)
    log_log(left, "bodies, drives included", "time for one evaluation of $\\ddot q$ [µs]", "Run time", plain.sizes)
    left.legend(frameon=False, fontsize=8)
    right.semilogx(driven.sizes, np.array(driven.times) / np.array(plain.times), "D-", color="#2f6db3", ms=4, base=2)
    right.axhline(1.0, color="#9a9a9a", lw=0.8)
    right.set_ylim(0.0, max(1.5, 1.1 * max(a / b for a, b in zip(driven.times, plain.times, strict=True))))
    clean(right, "bodies, drives included", "driven / plain [-]", "Ratio")


FIGURE = PaperFigure("3.12", "Coil with drive bodies against Coil", measure)
