"""Lola passes the obstacles of Buschmann 2014, 5.4.3: docs/pictures/obstacles.png and obstacles-paths.png.

python -m docs.pictures.make_obstacles
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Polygon, Rectangle

import tarsus as ts
from tarsus.viewer.drawing.still import draw_moment
from tarsus.walking.obstacles.experiments import CYCLE, STEP_TIME, beam, triangle
from tarsus.walking.obstacles.obstacle_walk import ObstacleWalk, walk_past_obstacles
from tarsus.walking.obstacles.scene_shapes import scene_shapes

HERE = Path(__file__).parent
COLORS = ("C3", "C2")
"""Of the left and the right foot, as in figure 5.17."""


def main() -> None:
    """Write the pictures."""
    walker = ts.walking.Walker(ts.robots.lola(), step_time=STEP_TIME, clearance=0.05, control_dt=CYCLE)
    walks = [walk_past_obstacles(walker, [one], 0.3, steps=9) for one in (beam(), triangle())]
    for walk in walks:
        print(walk)
    _strips(walks)
    _paths(walks)


def _strips(walks: list[ObstacleWalk]) -> None:
    """Moments of both walks, with volumes of the obstacle and swings before and after."""
    figure, panels = plt.subplots(2, 4, figsize=(12, 6.6))
    for row, walk in zip(panels, walks, strict=True):
        middle = walk.nearest.time
        for axes, t in zip(row, np.array([-0.45, 0.0, 0.55, 1.0]) + round(middle, 1), strict=True):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "robot.png"
                draw_moment(walk.outcome.trajectory, float(t), path, ground=scene_shapes(walk.plan), view=(50.0, 14.0),
                            size=(480, 520))  # fmt: skip
                axes.imshow(plt.imread(path))
            axes.set_axis_off()
            axes.set_title(f"{walk.plan.situations[0].name}, {t:.2f} s", fontsize=9)
    figure.tight_layout()
    figure.savefig(HERE / "obstacles.png", dpi=100)


def _paths(walks: list[ObstacleWalk]) -> None:
    """Figures 5.16, 5.17 and 5.19: feet from above, and their lateral and vertical paths over time."""
    figure, panels = plt.subplots(3, 2, figsize=(12, 8.0))
    for column, walk in zip(panels.T, walks, strict=True):
        _above(column[0], walk)
        plan = walk.plan
        for axes, axis, name in ((column[1], 1, "y"), (column[2], 2, "z")):
            for foot, color in enumerate(COLORS):
                t = plan.walk.times
                axes.plot(t, 100 * plan.plain[:, foot, axis], ":", color="0.5", linewidth=1.0)
                axes.plot(t, 100 * plan.walk.feet.place[:, foot, axis], "--", color=color, linewidth=1.0)
                axes.plot(t, 100 * plan.moved[:, foot, axis], color=color, linewidth=1.3)
            axes.set(xlim=(5.0, 10.5), xlabel="t [s]", ylabel=f"${name}_F$ [cm]")
    panels[1, 0].plot([], [], ":", color="0.5", label="nothing in the way")
    panels[1, 0].plot([], [], "--", color="k", label="heuristic")
    panels[1, 0].plot([], [], color="k", label="with the reactive layer")
    panels[1, 0].legend(fontsize=8, loc="center right")
    figure.tight_layout()
    figure.savefig(HERE / "obstacles-paths.png", dpi=100)


def _above(axes: plt.Axes, walk: ObstacleWalk) -> None:
    plan = walk.plan
    low, high = plan.obstructions[0].box()
    axes.add_patch(Rectangle(low[:2], *(high - low)[:2], facecolor="C1", alpha=0.6))
    for foot in plan.walk.footsteps:
        side = 0 if foot.left else 1
        corners = (plan.walk.biped.legs[side].corners @ foot.X_WS[:3, :3].T + foot.position)[:, :2]
        axes.add_patch(Polygon(corners, closed=True, facecolor=COLORS[side], alpha=0.15, edgecolor=COLORS[side]))
    for foot, color in enumerate(COLORS):
        axes.plot(plan.plain[:, foot, 0], plan.plain[:, foot, 1], ":", color="0.5", linewidth=1.0)
        axes.plot(plan.moved[:, foot, 0], plan.moved[:, foot, 1], color=color, linewidth=1.3)
    axes.set(xlim=(0.4, 2.6), ylim=(-0.32, 0.28), aspect="equal", xlabel="x [m]", ylabel="y [m]")
    axes.set_title(f"{plan.situations[0].name}: nearest {walk.nearest}", fontsize=9)


if __name__ == "__main__":
    main()
