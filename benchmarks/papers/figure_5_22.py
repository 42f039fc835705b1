"""Figure 5.22: the lateral centre of mass with stabilisation via planning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tarsus.arrays import FloatArray
    from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion


def measure(run: Run) -> Outcome:
    """Every step planned anew, no feedback in between."""
    found = kineto_walk.motion(run, "planning")
    bounds = _bounds(found)
    exact = float(np.abs(found.wrench.pressure - found.pressure).max())
    changed = np.abs(found.pressure - found.known.path.at(found.times)).max(axis=1)
    single = ~found.known.feet.standing[: len(found.times)].all(axis=1)
    claims = (
        Claim(
            "the divergent component at the end of a step stabilises the CoM",
            "it walks to the end" if found.diverged is None else f"given up at {found.diverged:.2f} s: {found.reason}",
            found.diverged is None,
            "to the end of the walk",
        ),
        Claim(
            "the CoP stays within the permissible bounds and is tracked exactly",
            f"{-1e3 * found.beyond:.1f} mm inside at least, off by {exact:.1g} m at most",
            found.beyond <= 1e-9 and exact < 1e-9,
            "inside in every sample, and off by less than a nanometre",
        ),
        Claim(
            "we can choose the time when the forces should be modified",
            f"changed by {1e3 * changed[~single].max():.1f} mm at most on both feet, "
            f"{1e3 * changed[single].max():.1g} mm on one",
            bool(changed[single].max() < 0.02 * changed[~single].max()),
            "on one foot by less than a fiftieth of that",
        ),
    )
    data = {
        "time": found.times[::4].tolist(),
        "com": found.com[::4, 1].tolist(),
        "pressure": found.wrench.pressure[::4, 1].tolist(),
        "lower": bounds[::4, 0].tolist(),
        "upper": bounds[::4, 1].tolist(),
    }
    return Outcome(data, claims, lambda figure: _draw(figure, found, bounds), "", (7.0, 3.6))


def _bounds(found: GeneratedMotion) -> FloatArray:
    """Lowest and highest y of the support at every cycle, shape (n, 2) [m]."""
    supports = found.known.supports[: len(found.times)]
    return np.array([(s.corners[:, 1].min(), s.corners[:, 1].max()) for s in supports])


def _draw(figure: Figure, found: GeneratedMotion, bounds: FloatArray) -> None:
    axes = figure.subplots()
    axes.fill_between(found.times, bounds[:, 0], bounds[:, 1], color="#dfe7ee", lw=0, label="support")
    axes.plot(found.times, found.wrench.pressure[:, 1], color=kineto_walk.RED, lw=1.2, label="CoP, inverse dynamics")
    axes.plot(found.times, found.com[:, 1], color=kineto_walk.BLUE, label="CoM of the whole robot")
    axes.plot(found.times, found.reference[:, 1], color="black", lw=0.9, ls="--", label="three masses")
    clean(axes, "time [s]", "lateral [m]", "Stabilisation via planning")
    axes.set_ylim(-0.2, 0.26)
    axes.legend(frameon=False, fontsize=7, ncol=4, loc="upper center")


FIGURE = PaperFigure("5.22", "stabilisation via planning", measure)
