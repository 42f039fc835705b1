"""Figure 5.29: pressure, planned centre of mass and that of inverse kineto-dynamics, of the same walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion

GAIN = 2e-4
NEAR = 0.02
"""Distance of the two centres of mass that is "quite similar" [m]."""


def measure(run: Run) -> Outcome:
    """Hybrid stabilisation with the gain of the experiments."""
    found = kineto_walk.motion(run, "hybrid", GAIN, kineto_walk.GROWING)
    start, end = kineto_walk.walking(found.known)
    own = (found.times > start) & (found.times < end)
    apart = float(np.abs(found.com - found.reference)[own].max())
    sway = [float(np.ptp(values[own, 1])) for values in (found.reference, found.com)]
    claims = (
        Claim(
            "on the position level, the CoM trajectories are quite similar",
            f"{1e3 * apart:.1f} mm apart at most, sways of {1e3 * sway[0]:.1f} mm planned and {1e3 * sway[1]:.1f} mm",
            apart < NEAR,
            f"within {100 * NEAR:g} cm",
        ),
        Claim(
            "the amplitude for the planned CoM is larger",
            f"{1e3 * sway[0]:.1f} mm against {1e3 * sway[1]:.1f} mm",
            run.judge(sway[0] > sway[1]),
            "larger",
            "with more mass on the feet the planned body sways otherwise",
        ),
    )
    data = {
        "time": found.times[::4].tolist(),
        "pressure": found.pressure[::4].tolist(),
        "planned": found.reference[::4].tolist(),
        "com": found.com[::4].tolist(),
    }
    return Outcome(data, claims, lambda figure: _draw(figure, found), "", (7.0, 4.2))


def _draw(figure: Figure, found: GeneratedMotion) -> None:
    start, end = kineto_walk.walking(found.known)
    own = (found.times > start) & (found.times < end)
    for row, axes in enumerate(figure.subplots(2, 1, sharex=True)):
        axis = 1 - row
        axes.plot(found.times[own], found.pressure[own, axis], color=kineto_walk.RED, lw=1.0, label="CoP")
        axes.plot(found.times[own], found.reference[own, axis], color="black", lw=1.2, ls="--", label="CoM, planned")
        axes.plot(found.times[own], found.com[own, axis], color=kineto_walk.BLUE, lw=1.2, label="CoM, IKD")
        clean(axes, "time [s]" if row else "", ("lateral [m]", "forward [m]")[row], "" if row else "k = 2e-4")
    figure.axes[0].set_ylim(-0.15, 0.19)
    figure.axes[0].legend(frameon=False, fontsize=8, ncol=3, loc="upper center")


FIGURE = PaperFigure("5.29", "pressure and centres of mass", measure)
