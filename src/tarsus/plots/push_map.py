"""Picture of the limits of pushes around a robot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from tarsus.analysis.push_limits import PushMap
from tarsus.errors import ArgumentError
from tarsus.plots.figure_file import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

_RECOVERS, _FALLS = "#1f4fd8", "#c62828"
_NAMED = {0: "ahead", 90: "left", 180: "back", 270: "right"}
"""Directions with names [degrees]."""


def plot_push_map(
    pushes: PushMap, path: str | os.PathLike[str] | None = None, *, floor: float | None = None, title: str = ""
) -> Figure:
    """Draw limits of pushes as a polar plot, seen from above with the x axis of the world upwards.

    Parameters
    ----------
    pushes : PushMap
    path : path-like, optional
        Picture to write (``.png``, ``.pdf``, ``.svg``).
    floor : float, optional
        Impulse that shall be recovered from everywhere, as a circle [N s].

    Returns
    -------
    matplotlib.figure.Figure
    """
    if len(pushes.angle) == 0:
        raise ArgumentError("the push map has no directions")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 5.8), layout="constrained")
    axes: PolarAxes = figure.add_subplot(projection="polar")  # type: ignore[assignment]
    axes.set_theta_zero_location("N")
    angle, limit = np.append(pushes.angle, pushes.angle[0]), np.append(pushes.limit, pushes.limit[0])
    axes.fill(angle, limit, color=_RECOVERS, alpha=0.18, lw=0)
    axes.plot(angle, limit, "o-", color=_RECOVERS, ms=4, lw=1.6, label="largest push recovered from")
    fallen = np.isfinite(pushes.fall)
    if fallen.any():
        axes.plot(pushes.angle[fallen], pushes.fall[fallen], "x", color=_FALLS, ms=5, label="smallest push not")
    if floor is not None:
        circle = np.linspace(0.0, 2.0 * np.pi, 181)
        axes.plot(circle, np.full_like(circle, floor), "--", color="black", lw=1.0, label=f"{floor:g} N s")
    turns = np.arange(0, 360, 30)
    axes.set_thetagrids(turns, [_NAMED.get(int(turn), f"{turn}°") for turn in turns])
    axes.set_rmin(0.0)
    axes.set_rlabel_position(15.0)
    axes.tick_params(labelsize=8)
    axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(-0.05, -0.12))
    figure.suptitle(title or "Impulse of a push [N s], by its direction", fontsize=11)
    write_figure(figure, path)
    return figure
