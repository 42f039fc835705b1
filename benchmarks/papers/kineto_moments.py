"""Contact moments of motions by inverse kineto-dynamics with several gains, drawn below each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers import kineto_walk
from benchmarks.papers.plot import clean
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = (kineto_walk.RED, kineto_walk.ORANGE, "#7a5ea8", kineto_walk.GREEN, kineto_walk.BLUE)
MOST = 90.0
"""Of moments that are drawn [N m]."""


def moment_data(motions: Mapping[float, GeneratedMotion]) -> dict[str, Any]:
    """T_x of every gain, and when it was given up."""
    return {
        "gain": list(motions),
        "diverged": [found.diverged for found in motions.values()],
        "time": [found.times[::4].tolist() for found in motions.values()],
        "moment_x": [found.moment[::4, 0].tolist() for found in motions.values()],
    }


def draw_moments(figure: Figure, motions: Mapping[float, GeneratedMotion], title: str) -> None:
    """T_x about the foot that stands, and how far it is from the ideal one."""
    upper, lower = figure.subplots(2, 1, sharex=True)
    longest = max(motions.values(), key=lambda found: len(found.times))
    upper.plot(longest.times, longest.ideal_moment[:, 0], color="black", lw=2.0, label="ideal")
    for color, (k, found) in zip(COLORS, motions.items(), strict=False):
        told = "" if found.diverged is None else f", until {found.diverged:.1f} s"
        upper.plot(found.times, np.clip(found.moment[:, 0], -MOST, MOST), color=color, lw=1.0, label=f"k = {k:g}{told}")
        lower.plot(found.times, np.clip(found.moment_error[:, 0], -MOST / 2, MOST / 2), color=color, lw=1.0)
    for axes in (upper, lower):
        for start, end in kineto_walk.double_supports(longest.known):
            axes.axvspan(start, end, color="#f5e6a8", alpha=0.5, lw=0)
    clean(upper, "", "$T_x$ [N m]", title)
    clean(lower, "time [s]", "$T_x$ - ideal [N m]")
    low, high = upper.get_ylim()
    upper.set_ylim(low, high + 0.45 * (high - low))
    upper.legend(frameon=False, fontsize=7, ncol=3, loc="upper center")


__all__ = ["draw_moments", "moment_data"]
