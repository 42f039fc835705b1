"""Pictures of chosen signals of a trajectory over time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.plots.figure_file import clean, finish_figure
from tarsus.recording.curves import Curve, curves_of, one_simulation, select_curves
from tarsus.recording.energies import ENERGY_SIGNS
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_NAMED = 10
"""Curves of a panel that the legend names: those that move most."""
_SINCE_START = "energy since the start"
_TITLES = {
    "q": "positions",
    "v": "velocities",
    "tau": "joint forces",
    "force": "contact forces",
    "position": "contact positions",
    "energy": "energy",
    _SINCE_START: _SINCE_START,
    "signals": "signals",
}


def plot_signals(
    trajectory: Trajectory,
    signals: Iterable[str] | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    simulation: int | None = None,
) -> Figure:
    """Draw signals of a trajectory over time, one panel for each kind and unit.

    Parameters
    ----------
    trajectory : Trajectory
    signals : iterable of str, optional
        What to draw, as for `tarsus.recording.curves.select_curves`: "q.knee", "force.l_sole", "energy", "knee" or
        patterns such as "tau.left_*". By default the positions, velocities and forces of the joints, the vertical
        contact forces, and what has changed of the energies and their sum since the start.
    path, simulation : optional
        Picture to write, and the number of a simulation in a batch, as for `tarsus.plot_energy`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    run = one_simulation(trajectory, simulation)
    chosen = _overview(run) if signals is None else select_curves(run, signals)
    if not len(run) or not chosen:
        raise ArgumentError("there is nothing to draw: the trajectory is empty")
    from matplotlib.figure import Figure

    panels = _panels(chosen)
    figure = Figure(figsize=(9.5, 1.1 + 2.1 * len(panels)), layout="constrained")
    for axes, (title, curves) in zip(
        figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0], panels, strict=True
    ):
        _draw(axes, run.time, title, curves)
    axes.set_xlabel("time [s]")
    finish_figure(figure, run, "", path)
    return figure


def _overview(run: Trajectory) -> list[Curve]:
    """What is drawn unless something is chosen; the base moves by metres and gets no torque, so it is left out."""
    chosen = []
    for curve in curves_of(run).values():
        base = curve.group in ("q", "v", "tau") and curve.name.split(".")[1] == "base"
        sideways = curve.group == "force" and not curve.name.endswith(".z")
        if not (base or sideways or curve.group in ("position", "signals")):
            chosen.append(_since_start(curve) if curve.group == "energy" else curve)
    return chosen or list(curves_of(run).values())


def _since_start(curve: Curve) -> Curve:
    """What has changed of an energy: a potential energy of hundreds of joules would hide all the others."""
    return curve._replace(group=_SINCE_START, values=curve.values - curve.values[:1])


def _panels(curves: Sequence[Curve]) -> list[tuple[str, list[Curve]]]:
    panels: dict[tuple[str, str], list[Curve]] = {}
    for curve in curves:
        panels.setdefault((curve.group, curve.unit), []).append(curve)
    return [(_title(group, unit), members) for (group, unit), members in panels.items()]


def _title(group: str, unit: str) -> str:
    return f"{_TITLES[group]} [{unit}]" if unit else _TITLES[group]


def _draw(axes: Axes, time: np.ndarray[tuple[int], np.dtype[np.float64]], title: str, curves: list[Curve]) -> None:
    from matplotlib import colormaps

    moving = [float(np.ptp(curve.values.astype(float))) for curve in curves]
    order = np.argsort(moving, kind="stable")[::-1]
    named = {int(k) for k in (order[:MOST_NAMED] if len(curves) > MOST_NAMED else order)}
    colors = colormaps["tab20" if len(named) > MOST_NAMED else "tab10"]
    number = 0
    for k, curve in enumerate(curves):
        total = curve.name == "energy.total"
        if k in named or total:
            color = "black" if total else colors(number % colors.N)
            number += not total
            short = curve.name.partition(".")[2]
            sign = " (subtracted)" if curve.name.startswith("energy.") and ENERGY_SIGNS.get(short, 1.0) < 0.0 else ""
            axes.plot(time, curve.values, color=color, lw=2.0 if total else 1.2, label=short + sign, zorder=3)
        else:
            axes.plot(time, curve.values, color="#b0b0b0", lw=0.7, zorder=2)
    clean(axes, "", "", title)
    more = len(curves) - len(named)
    axes.legend(
        frameon=False,
        fontsize=7,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.05),
        title=f"and {more} more in grey" if more > 0 else None,
        title_fontsize=7,
    )
