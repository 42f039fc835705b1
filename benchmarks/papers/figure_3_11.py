"""Figure 3.11: largest constraint violation and cost against the stabilisation parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.pendulum import TOLERANCE, swing
from benchmarks.papers.plot import GREY, clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONSTANT = 1.5
"""Evaluations are almost constant within this factor."""
NEAR = 30.0
"""The violation is about the tolerance within this factor."""
STRONG = 5.0
"""The number of steps increases strongly from this factor on."""


def measure(run: Run) -> Outcome:
    """Simulate the pendulum with alphas from 0.01 to 316 per second."""
    duration = run.choose(10.0, 100.0)
    alphas = np.logspace(-2.0, run.choose(1.5, 2.5), run.choose(5, 19)).tolist()
    violation, evaluations = [], []
    for alpha in alphas:
        run.say(f"pendulum, alpha = {alpha:.3g}")
        motion = swing(alpha, duration)
        violation.append(float(motion.largest[-1]))
        evaluations.append(motion.evaluations)
    data = {
        "duration": duration,
        "tolerance": TOLERANCE,
        "alpha": alphas,
        "violation": violation,
        "evaluations": evaluations,
    }
    note = f"The pendulum of figure 3.10 for {duration:g} s; Dormand-Prince 5(4), tolerances {TOLERANCE:g}."
    found = claims(run, alphas, violation, evaluations)
    return Outcome(data, found, lambda figure: _draw(figure, alphas, violation, evaluations), note)


def claims(run: Run, alphas: list[float], violation: list[float], evaluations: list[int]) -> tuple[Claim, ...]:
    """Compare violations and costs with the text."""
    small = [count for alpha, count in zip(alphas, evaluations, strict=True) if alpha <= 1.0]
    middle = [error for alpha, error in zip(alphas, violation, strict=True) if 0.9 <= alpha <= 20.0]
    rise = evaluations[-1] / min(evaluations)
    return (
        Claim(
            "evaluations are almost constant for small alpha",
            f"{min(small)} to {max(small)} for alpha <= 1",
            max(small) / min(small) < CONSTANT,
            f"constant within a factor of {CONSTANT:g}",
        ),
        Claim(
            "large alpha makes the equations stiff and strongly increases the number of steps",
            f"{evaluations[-1]} evaluations at alpha = {alphas[-1]:.0f}, {rise:.0f} times the fewest",
            run.judge(rise > STRONG),
            f"more than {STRONG:g} times",
        ),
        Claim(
            "the violation is approximately the error bound of the integrator, and smaller for large alpha",
            f"{min(middle):.0e} to {max(middle):.0e} m for alpha of 1 to 20 with tolerance {TOLERANCE:g}; "
            f"{violation[-1]:.0e} m at alpha = {alphas[-1]:.0f}",
            max(middle) < NEAR * TOLERANCE and min(middle) > TOLERANCE / NEAR and violation[-1] < max(middle),
            f"the tolerance within a factor of {NEAR:g}, and less at the largest alpha",
        ),
    )


def _draw(figure: Figure, alphas: list[float], violation: list[float], evaluations: list[int]) -> None:
    axes = figure.subplots()
    axes.loglog(alphas, violation, "o-", color="#b5442e", ms=4, label="largest violation")
    axes.axhline(TOLERANCE, color=GREY, lw=0.8, ls="--", label="tolerance of the integrator")
    clean(axes, "stabilisation parameter $\\alpha$ [1/s]", "largest error of the rod's length [m]")
    axes.yaxis.label.set_color("#b5442e")
    cost = axes.twinx()
    cost.loglog(alphas, evaluations, "s-", color="#2f6db3", ms=4, label="evaluations")
    cost.set_ylim(0.5 * min(evaluations), 4.0 * max(evaluations))
    cost.set_ylabel("evaluations of the right-hand side", color="#2f6db3")
    cost.spines["top"].set_visible(False)
    handles = [*axes.get_lines(), *cost.get_lines()]
    axes.legend(handles, [str(line.get_label()) for line in handles], frameon=False, fontsize=8, loc="upper center")


FIGURE = PaperFigure("3.11", "constraint violation and cost against alpha", measure)
