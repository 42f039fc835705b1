"""Figure 3.10: violation of a constraint over time, with and without stabilisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import slope
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.pendulum import TOLERANCE, Swing, swing
from benchmarks.papers.plot import GREY, clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUADRATIC = 0.25
"""A slope within this distance of 2 is quadratic; the errors of single steps add up unevenly."""
BOUNDED = 2.0
"""A violation is bounded where its maximum grows by less than this factor after the first tenth of the time."""


DURATION = 100.0
"""[s]."""


def measure(run: Run) -> Outcome:
    """Simulate with alpha = 0 and alpha = 1."""
    swings = {alpha: swing(alpha, DURATION) for alpha in (0.0, 1.0)}
    free = swings[0.0]
    drift = slope(free.t[1:], free.largest[1:], DURATION / 10.0)
    data = {
        "duration": DURATION,
        "tolerance": TOLERANCE,
        "swings": {
            f"alpha={alpha:g}": {"t": s.t.tolist(), "violation": s.violation.tolist(), "evaluations": s.evaluations}
            for alpha, s in swings.items()
        },
        "slope": drift,
    }
    note = (
        "Planar pendulum, 1 kg, 1 m, released at rest in horizontal position; multipliers (3.61); Dormand-Prince 5(4), "
        f"tolerances {TOLERANCE:g}."
    )
    return Outcome(data, claims(free, swings[1.0]), lambda figure: _draw(figure, swings, drift), note)


def claims(free: Swing, held: Swing) -> tuple[Claim, ...]:
    """Compare motions without and with stabilisation with the text."""
    drift = slope(free.t[1:], free.largest[1:], DURATION / 10.0)
    early = held.largest[np.searchsorted(held.t, DURATION / 10.0)]
    growth = held.largest[-1] / early
    return (
        Claim(
            "without stabilisation the violation grows quadratically (slope two)",
            f"slope {drift:.2f} of the largest violation so far; {free.largest[-1]:.1e} m after {DURATION:g} s",
            abs(drift - 2.0) < QUADRATIC,
            f"of slope 2 within {QUADRATIC:g}",
        ),
        Claim(
            "alpha > 0 bounds it",
            f"alpha = 1: {held.largest[-1]:.1e} m, {growth:.2f} times that of the first tenth",
            bool(growth < BOUNDED and held.largest[-1] < free.largest[-1]),
            f"smaller, and grown by less than {BOUNDED:g} after the first tenth of the time",
        ),
    )


def _draw(figure: Figure, swings: dict[float, Swing], drift: float) -> None:
    axes = figure.subplots()
    for (alpha, s), color in zip(swings.items(), ("#b5442e", "#1d8a5b"), strict=True):
        axes.loglog(s.t[1:], s.violation[1:], color=color, lw=0.6, alpha=0.55)
        axes.loglog(s.t[1:], s.largest[1:], color=color, label=f"$\\alpha$ = {alpha:g} 1/s (thick: largest so far)")
    free = swings[0.0]
    t = np.array([free.t[-1] / 10.0, free.t[-1]])
    axes.loglog(t, 3.0 * free.largest[-1] * (t / t[-1]) ** 2, ls=":", color=GREY, label="slope 2")
    axes.axhline(TOLERANCE, color=GREY, lw=0.8, ls="--", label="tolerance of the integrator")
    clean(
        axes,
        "time [s]",
        "error of the rod's length [m]",
        f"Constraint violation; slope {drift:.2f} without stabilisation",
    )
    axes.set_ylim(bottom=1e-10)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


FIGURE = PaperFigure("3.10", "constraint violation over time", measure)
