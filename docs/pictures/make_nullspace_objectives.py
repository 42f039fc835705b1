"""An arm that avoids its own platform, potentials, and a step with little angular momentum: nullspace-objectives.png.

PYTHONPATH=. python docs/pictures/make_nullspace_objectives.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from benchmarks.papers import crops_scene
from matplotlib.axes import Axes

import tarsus as ts
from tarsus.ik import objectives

MOMENTS = (0.0, 1.2, 1.7, 3.0)
RED, GREEN, GREY = "#c0392b", "#1d8a5b", "#9a9a9a"


def main() -> None:
    """Two rows of pictures of the arm, one row of curves."""
    figure = plt.figure(figsize=(13, 11.5))
    grid = figure.add_gridspec(3, 12, height_ratios=(1.15, 1.15, 1.0), hspace=0.18, wspace=1.6)
    motions = [crops_scene.move(avoiding) for avoiding in (False, True)]
    model = ts.robots.crops9()
    for row, motion in enumerate(motions):
        for column, t in enumerate(MOMENTS):
            k = int(np.argmin(np.abs(motion.t - t)))
            ax = figure.add_subplot(grid[row, 3 * column : 3 * column + 3])
            ts.draw(model, motion.q[k], ax=ax, view=(60.0, 15.0), size=(420, 420), witnesses=1)
            label = "without" if row == 0 else "with"
            color = RED if motion.distance[k] < 0 else "black"
            ax.set_title(f"{label}, {t:.1f} s: {1e3 * motion.distance[k]:.0f} mm", fontsize=10, color=color)
            ax.set_axis_off()
    _distances(figure.add_subplot(grid[2, 0:4]), motions)
    _potential(figure.add_subplot(grid[2, 4:8]))
    _momentum(figure.add_subplot(grid[2, 8:12]))
    figure.savefig(Path(__file__).with_name("nullspace-objectives.png"), dpi=75, bbox_inches="tight")


def _distances(ax: Axes, motions: list[crops_scene.Motion]) -> None:
    for motion, color, label in zip(motions, (RED, GREEN), ("without", "with objectives"), strict=True):
        ax.plot(motion.t, 1e3 * motion.distance, color=color, label=label)
    ax.axhline(0.0, color="black", lw=0.8)
    _clean(ax, "time [s]", "smallest distance [mm]")
    ax.legend(frameon=False)


def _potential(ax: Axes) -> None:
    potential = objectives.PiecewisePotential(0.1)
    d = np.linspace(-0.03, 0.14, 200)
    ax.plot(d, 10 * potential.value(d), color="#2e6da4", label="10 H")
    ax.plot(d, potential.slope(d), "--", color="#8e5bb5", label="dH/dd")
    for x in (0.0, 0.05, 0.1):
        ax.axvline(x, color=GREY, lw=0.8, ls=":")
    _clean(ax, "distance [m]; dotted: 0, t d_a, d_a", "piecewise potential (5.58)")
    ax.legend(frameon=False)


def _momentum(ax: Axes) -> None:
    model = ts.robots.hrp2()
    for wish, color, label in (
        ([], RED, "without"),
        ([objectives.AngularMomentum(gamma=0.008)], GREEN, "with (5.62)"),
    ):
        path = ts.ik.follow(model, step_of(model), model.reference, duration=0.6, dt=0.01, objectives=wish)
        ax.plot(path.t, ts.momentum(model, path.q, path.v)[:, 5], color=color, label=label)
    _clean(ax, "time [s]", "$L_z$ of HRP-2 in a step [kg m²/s]")
    ax.legend(frameon=False)


def step_of(model: ts.Model, length: float = 0.25, duration: float = 0.6):
    """Tasks of a step of the right foot; left foot, chest and centre of mass are given, arms are not."""
    q0 = model.reference
    left, right = (ts.frame_pose(model, q0, foot) for foot in ("l_sole", "r_sole"))
    com, R = ts.center_of_mass(model, q0), ts.frame_pose(model, q0, "CHEST_LINK1")[:3, :3]
    half = np.array([0.5 * length, 0.0, 0.0])

    def step(t: float) -> list[ts.tasks.Task]:
        x = t / duration
        way, rate = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / duration
        X = right.copy()
        X[:3, 3] += [length * way, 0.0, 0.06 * np.sin(np.pi * way)]
        V = [length * rate, 0.0, 0.06 * np.pi * np.cos(np.pi * way) * rate, 0.0, 0.0, 0.0]
        return [
            ts.tasks.FramePose("l_sole", left, gain=20.0),
            ts.tasks.FramePose("r_sole", X, velocity=V, gain=20.0),
            ts.tasks.CenterOfMass(com + way * half, velocity=rate * half, gain=20.0),
            ts.tasks.Orientation("CHEST_LINK1", R, gain=20.0),
        ]

    return step


def _clean(ax: Axes, x: str, title: str) -> None:
    ax.set_xlabel(x)
    ax.set_title(title, loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


if __name__ == "__main__":
    main()
