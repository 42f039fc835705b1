"""Draws docs/pictures/formulations.svg: where the mass matrix and its factors are zero, and what the methods cost.

python docs/pictures/make_formulations.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

import tarsus as ts
from tarsus.arrays import FloatArray

STYLE = {"svg.hashsalt": "formulations", "svg.fonttype": "path", "font.size": 9.5}
INK, GREY, EXTRA = "#222222", "#777777", "#d9730d"
METHODS = {
    "newton-euler": ("#c62828", "-"),
    "newton-euler-sparse": ("#c62828", "--"),
    "composite-body": ("#1f4fd8", "-"),
    "composite-body-sparse": ("#1f4fd8", "--"),
    "articulated-body": ("#2e7d32", "-"),
    "denoc": ("#7b1fa2", "-"),
}
CALLS, ROUNDS = 50, 25
THRESHOLD = 1e-13
"""Entries below this share of the largest one are rounding."""


def pattern(ax: Axes, matrix: FloatArray, inherent: FloatArray, title: str, note: str) -> None:
    """Mark what is not zero; what was filled in is orange."""
    there = np.abs(matrix) > THRESHOLD * np.abs(matrix).max()
    size = len(matrix)
    for mask, color in ((there & inherent, INK), (there & ~inherent, EXTRA)):
        rows, columns = np.nonzero(mask)
        ax.scatter(columns, rows, s=5.5, marker="s", color=color, linewidths=0)
    ax.set_xlim(-1, size)
    ax.set_ylim(size, -1)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color("#cccccc")
    ax.set_title(title, fontsize=10.5)
    ax.set_xlabel(note, color=GREY)


def patterns(axes: list[Axes]) -> None:
    """HRP-2 with its root fixed: two legs, chest with head and arms."""
    model = ts.robots.hrp2(base="fixed")
    q = model.random(np.random.default_rng(1))
    M = ts.mass_matrix(model, q)
    related = M != 0.0
    reversed_ = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T  # L of M = L^T L
    forward = np.linalg.cholesky(M)
    for ax, matrix, title in (
        (axes[0], M, "$M$"),
        (axes[1], forward, r"$L$ of $M = L\,L^T$"),
        (axes[2], reversed_, r"$L$ of $M = L^T L$"),
        (axes[3], ts.denoc_factors(model, q).U, r"$U$ of $M = U D\,U^T$"),
    ):
        entries = np.count_nonzero(np.abs(matrix) > THRESHOLD * np.abs(matrix).max())
        pattern(ax, matrix, related, title, f"{entries} entries")


def durations(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Best processor time of each call [us], all of them measured in turn."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], 1e6 * (time.process_time() - start) / CALLS)
    return best


def forward_dynamics(model: ts.Model, method: Any) -> Callable[[], object]:
    """Call at a random state."""
    rng = np.random.default_rng(2)
    q, v, tau = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    return lambda: ts.forward_dynamics(model, q, v, tau, method=method)


def costs(ax: Axes, title: str, models: list[ts.Model]) -> None:
    """Time of one forward dynamics from Python against the number of bodies."""
    sizes = [model.nv for model in models]
    times = [durations({method: forward_dynamics(model, method) for method in METHODS}) for model in models]
    for method, (color, line) in METHODS.items():
        values = [t[method] for t in times]
        ax.loglog(sizes, values, line, color=color, label=method, marker="o", markersize=2.5, lw=1.4)
    ax.set_title(title, fontsize=10.5)
    ax.set_xlabel("degrees of freedom")
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(ScalarFormatter())
    ax.grid(alpha=0.25, lw=0.6)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def main() -> None:
    """Write the picture next to this file."""
    figure = Figure(figsize=(10.2, 7.4))
    upper, lower = figure.subfigures(2, 1, height_ratios=(0.42, 0.58))
    upper.suptitle("HRP-2: zeros between branches, and what factorisations fill in (orange)", fontsize=11.5, color=INK)
    patterns(list(upper.subplots(1, 4)))
    upper.subplots_adjust(left=0.02, right=0.98, top=0.78, bottom=0.08, wspace=0.06)
    left, right = lower.subplots(1, 2, sharey=True)
    costs(left, "Coil(n): a chain", [ts.robots.coil(n) for n in (2, 4, 8, 16, 32, 64, 128)])
    costs(right, "Dill(L): a tree", [ts.robots.dill(level) for level in (1, 2, 3, 4, 5, 6, 7)])
    left.set_ylabel("one forward dynamics from Python [µs]")
    left.legend(frameon=False)
    lower.subplots_adjust(left=0.075, right=0.98, top=0.91, bottom=0.12, wspace=0.06)
    figure.savefig(Path(__file__).with_name("formulations.svg"), metadata={"Date": None})


if __name__ == "__main__":
    with rc_context(STYLE):
        main()
