"""Quantities of joints against their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.plots.figure_file import clean
from tarsus.plots.report.section import MOST_LINES, Missing, Section, drawable, lines, most
from tarsus.recording.curves import coordinate_names
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TORQUES, SPEEDS = "Torques against their limits", "Joint speeds against their limits"
_ROUNDING = 1e-6
"""Share of a limit by which a value may be beyond it."""
_MOST_BARS = 60


def torque_section(run: Trajectory) -> Section | Missing:
    """Shares of torque limits: the largest of each joint, and over time those of the most loaded."""
    if not np.any(run.tau):
        return Missing(TORQUES, "the recording holds no joint forces")
    return _section(run, TORQUES, run.tau, np.asarray(run.model.tau_max), "torque", "N m, N")


def speed_section(run: Trajectory) -> Section | Missing:
    """Shares of speed limits: the largest of each joint, and over time those of the fastest."""
    if not np.any(run.v):
        return Missing(SPEEDS, "nothing moves in the recording")
    moving = np.array(run.v)
    moving[:, [k for joint in run.model.joints.values() if joint.name == "base" for k in _range(joint.v_index)]] = 0.0
    return _section(run, SPEEDS, moving, np.asarray(run.model.v_max), "speed", "rad/s, m/s")


def _range(index: slice) -> range:
    return range(index.start, index.stop)


def _section(
    run: Trajectory, title: str, values: FloatArray, limit: FloatArray, what: str, unit: str
) -> Section | Missing:
    names = coordinate_names(run.model, "tau")
    limited = np.flatnonzero(np.isfinite(limit) & (limit > 0.0))
    if not len(limited):
        return Missing(title, f"{run.model.name} has no {what} limits")
    share = drawable(np.abs(values[:, limited]) / limit[limited])
    peak, kept = most(share, axis=0), {names[k]: share[:, i] for i, k in enumerate(limited)}
    order = np.argsort(-peak, kind="stable")
    over = [names[limited[i]] for i in order if peak[i] > 1.0 + _ROUNDING]
    free = [names[k] for k in np.flatnonzero(np.any(values != 0.0, axis=0)) if k not in set(limited.tolist())]
    note = f"Largest share: {100.0 * peak[order[0]]:.1f} % of the limit, of {names[limited[order[0]]]}."
    if over:
        note += f" Beyond their limits: {', '.join(over)}."
    if free:
        note += f" Without a limit: {', '.join(free)}."
    rows = [
        (
            names[limited[i]],
            f"{limit[limited[i]]:g}",
            f"{peak[i] * limit[limited[i]]:.4g}",
            f"{100.0 * peak[i]:.1f} %",
            f"{100.0 * _rms(share[:, i]):.1f} %",
        )
        for i in order
    ]
    figure = _figure(run.time, {names[limited[i]]: peak[i] for i in order[:_MOST_BARS]}, kept)
    header = ("joint", f"limit [{unit}]", "largest", "share", "root mean square")
    return Section(title, note, figure, header, rows, warning=bool(over))


def _rms(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else 0.0


def _figure(time: FloatArray, peaks: dict[str, float], shares: dict[str, FloatArray]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 5.6), layout="constrained")
    bars, curves = figure.subplots(2, 1)
    place = np.arange(len(peaks))
    height = 100.0 * np.array(list(peaks.values()))
    bars.bar(place, height, color=["#c62828" if h > 100.0 * (1 + _ROUNDING) else "#1f4fd8" for h in height], width=0.75)
    bars.set_axisbelow(True)
    bars.axhline(100.0, color="black", lw=0.9, ls="--")
    bars.set_xticks(place, list(peaks), rotation=90, fontsize=6)
    clean(bars, "", "largest share of the limit [%]")
    lines(curves, time, {name: 100.0 * values for name, values in shares.items()}, "share of the limit [%]",
          f"the {MOST_LINES} most loaded" if len(shares) > MOST_LINES else "")  # fmt: skip
    curves.axhline(100.0, color="black", lw=0.9, ls="--")
    curves.set_xlabel("time [s]")
    return figure
