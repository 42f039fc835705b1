"""Picture of the energy audit: where the energy is, and whether the sum stays constant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from tarsus.errors import ArgumentError
from tarsus.plots.figure_file import clean, finish_figure
from tarsus.recording.curves import one_simulation
from tarsus.recording.energies import ENERGY_SIGNS
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LINES = {
    "kinetic": ("#1f4fd8", "-"),
    "potential": ("#2e7d32", "-"),
    "ground_stored": ("#d9730d", "-"),
    "ground_dissipated": ("#d9730d", "--"),
    "joint_stored": ("#7b1fa2", "-"),
    "joint_dissipated": ("#7b1fa2", "--"),
    "impact": ("#c62828", "--"),
    "actuator": ("#00838f", ":"),
    "external": ("#6d4c41", ":"),
    "constraint": ("#ad1457", ":"),
    "integration": ("#000000", ":"),
}
"""Colours and lines: stored energies are solid, lost ones dashed, work from outside dotted."""
assert _LINES.keys() == ENERGY_SIGNS.keys()


def plot_energy(
    trajectory: Trajectory, path: str | os.PathLike[str] | None = None, *, simulation: int | None = None
) -> Figure:
    """Draw the energy audit: every part that is not zero, their total, and the deviation of the total from its start.

    Potential energy is drawn from its lowest value of the run, so that its arbitrary zero does not hide the other
    parts; the total is moved with it.

    Parameters
    ----------
    trajectory : Trajectory
    path : path-like, optional
        Picture to write (``.png``, ``.pdf``, ``.svg``); it appears complete or not at all.
    simulation : int, optional
        Which simulation of a batch.

    Returns
    -------
    matplotlib.figure.Figure
    """
    run = one_simulation(trajectory, simulation)
    if not run.energy:
        raise ArgumentError("the trajectory holds no energies")
    if not len(run):
        raise ArgumentError("the trajectory has no samples")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 5.6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3.2, 1.0))
    _draw_parts(upper, run)
    _draw_deviation(lower, run)
    finish_figure(figure, run, ": energy audit", path)
    return figure


def _draw_parts(axes: Axes, run: Trajectory) -> None:
    zero = float(np.min(run.energy["potential"])) if "potential" in run.energy else 0.0
    for name, (color, line) in _LINES.items():
        values = run.energy.get(name)
        if values is None or not np.any(values):
            continue
        shift = zero if name == "potential" else 0.0
        label = name.replace("_", " ") + (" (subtracted)" if ENERGY_SIGNS[name] < 0.0 else "")
        axes.plot(run.time, values - shift, color=color, ls=line, lw=1.4, label=label)
    axes.plot(run.time, run.total_energy - zero, color="black", lw=2.2, label="total")
    clean(axes, "", "energy [J]")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _draw_deviation(axes: Axes, run: Trajectory) -> None:
    total = run.total_energy
    deviation = total - total[0]
    axes.plot(run.time, deviation, color="black", lw=1.2)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3), useMathText=True)
    clean(axes, "time [s]", "total - start [J]")
    largest, exchanged = float(np.abs(deviation).max()), exchanged_energy(run)
    text = f"largest deviation {largest:.2g} J"
    if exchanged > 0.0:
        text += f", {100.0 * largest / exchanged:.2g} % of the {exchanged:.3g} J exchanged"
    axes.set_title(text, loc="left", fontsize=9)


def exchanged_energy(trajectory: Trajectory) -> float:
    """Energy that went from one part of the audit to another: half of all changes between samples, summed up [J].

    A pendulum of energy E that swings once from rest to rest exchanges 2 E: down and up again.
    """
    changes = sum(np.abs(np.diff(values, axis=0)).sum() for values in trajectory.energy.values())
    return 0.5 * float(changes)
