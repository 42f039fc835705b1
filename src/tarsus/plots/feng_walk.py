"""Pictures of the walk of Feng et al. 2015: figures 5 and 6, the graph of the gait, and the zero-moment point."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from tarsus.plots.figure_file import clean, write_figure
from tarsus.robots.feng18 import FOOT_WIDTH, HEEL, TOE_JOINT, TOE_TIP, Side
from tarsus.walking.feng.gait_graph import GaitGraph
from tarsus.walking.feng.gait_state import FEET, SUPPORTS, GaitState
from tarsus.walking.feng.phase_clouds import phase_cloud
from tarsus.walking.feng.walk import FengWalk
from tarsus.walking.feng.whole_walk import feet_distance, whole_walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS: dict[str, str] = {"right": "#1f4fd8", "left": "#d9730d"}
_SIDES: tuple[Side, Side] = ("right", "left")
_THINNEST, _THICKEST = 0.6, 3.5
"""Lines of edges that were taken least and most [points]."""
_BEND, _LABEL = 0.18, 0.07
"""Curvature of arrows, and distance of their numbers from them."""
_PLACES = {"floating": 0.0, "heel": 1.0, "toe": 2.0, "flat": 3.0}


def plot_phase_clouds(walks: list[FengWalk], path: str | os.PathLike[str] | None = None) -> Figure:
    """(q10, q10') of walks that begin with either foot, a row each: (a) right and (b) left leg supporting."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6 * len(walks)), layout="constrained")
    axes = np.atleast_2d(figure.subplots(len(walks), 2, sharex=True, sharey=True))
    for row, walk in zip(axes, walks, strict=True):
        for place, side, letter in zip(row, _SIDES, "ab", strict=True):
            cloud = phase_cloud(walk, side)
            place.plot(*cloud.T, ".", color=_COLORS[side], markersize=1.0)
            title = f"({letter}) {side} leg supports; {walk.first} foot first, {walk.walked} steps"
            clean(place, "q10 [rad]", "dq10/dt [rad/s]", title)
            place.margins(0.05)
    write_figure(figure, path)
    return figure


def plot_gait_graph(graph: GaitGraph, path: str | os.PathLike[str] | None = None) -> Figure:
    """States as nodes with their shares of the time, changes as arrows with their numbers, exchanges dashed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    axes = figure.subplots()
    whole = sum(graph.time.values())
    for support in SUPPORTS:
        for foot in FEET:
            state = GaitState(support, foot)
            share = graph.time.get(state, 0.0) / whole
            x, y = _place(state)
            label = f"{foot}\n{100 * share:.2f} %" if state in graph.time else f"{foot}\nnever"
            box = {"boxstyle": "round,pad=0.5", "fc": "#eef2ff" if share else "white", "ec": "#888888"}
            color = "black" if share else "#999999"
            axes.text(x, y, label, ha="center", va="center", fontsize=9, color=color, bbox=box)
    most = max([1, *graph.edges.values(), *graph.exchanges.values()])
    for edges, color, style in ((graph.edges, "#1f4fd8", "-"), (graph.exchanges, "#c62828", "--")):
        for (a, b), count in edges.items():
            _draw_edge(axes, a, b, count, most, color, style)
    axes.set(xlim=(-0.6, 3.6), ylim=(-0.6, 1.6), xticks=[])
    axes.set_yticks([1.0, 0.0], ["supporting foot\nflat (17)", "supporting heel\noff (18)"])
    axes.set_title("states of both feet and how often one follows another; dashed: exchange of supports", loc="left",
                   fontsize=10)  # fmt: skip
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    write_figure(figure, path)
    return figure


def plot_zero_moment_point(walk: FengWalk, path: str | os.PathLike[str] | None = None, *, steps: int = 8) -> Figure:
    """Zero-moment point of the last steps along the way and across, with the feet that support."""
    from matplotlib.figure import Figure

    last = FengWalk(walk.first, walk.steps[-steps:], walk.law, walk.means)
    run = whole_walk(last)
    point, outside = np.asarray(run.signals["zero_moment_point"]), np.asarray(run.signals["outside"]) > 0.0
    figure = Figure(figsize=(9.0, 5.6), layout="constrained")
    along, across = figure.subplots(2, 1, sharex=True)
    for axes, k in ((along, 0), (across, 1)):
        for step in last.steps:
            span = (step.begin, step.begin + step.duration)
            low, high = _foot_range(step.support, step.origin, k)
            axes.fill_between(span, low, high, color=_COLORS[step.support], alpha=0.2, linewidth=0.0)
        axes.plot(run.time, np.where(outside, np.nan, point[:, k]), ".", color="black", markersize=2)
        axes.plot(run.time, np.where(outside, point[:, k], np.nan), ".", color="#c62828", markersize=2)
        low, high = np.percentile(point[:, k], [1.0, 99.0])
        axes.set_ylim(low - 0.2, high + 0.2)
    clean(along, "", "x [m]", "zero-moment point along the way; red: outside of the hull of what touches")
    clean(across, "time [s]", "y [m]", "across; shaded: the supporting foot")
    write_figure(figure, path)
    return figure


def _foot_range(support: Side, origin: float, axis: int) -> tuple[float, float]:
    """Extent of the supporting foot along an axis [m]."""
    if axis == 0:
        return origin + HEEL - TOE_JOINT, origin + TOE_TIP - TOE_JOINT
    middle = 0.0 if support == "right" else feet_distance()
    return middle - FOOT_WIDTH / 2, middle + FOOT_WIDTH / 2


def _place(state: GaitState) -> tuple[float, float]:
    return _PLACES[state.foot], 1.0 if state.support == "flat" else 0.0


def _draw_edge(axes: Axes, a: GaitState, b: GaitState, count: int, most: int, color: str, style: str) -> None:
    """An arrow with its number; arrows to and fro bend apart."""
    (x0, y0), (x1, y1) = _place(a), _place(b)
    width = _THINNEST + (_THICKEST - _THINNEST) * np.log1p(count) / np.log1p(most)
    arrow = {"arrowstyle": "-|>", "color": color, "lw": width, "ls": style, "shrinkA": 24, "shrinkB": 24,
             "connectionstyle": f"arc3,rad={_BEND}", "alpha": 0.8}  # fmt: skip
    axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
    long = max(float(np.hypot(x1 - x0, y1 - y0)), 1e-9)
    off = (0.5 * _BEND * long + _LABEL) / long  # beside the middle of the arc
    x, y = 0.5 * (x0 + x1) + off * (y1 - y0), 0.5 * (y0 + y1) + off * (x0 - x1)
    axes.text(x, y, str(count), color=color, fontsize=8, ha="center", va="center")
