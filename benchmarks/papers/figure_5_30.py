"""Figure 5.30: the planar arm passes an obstacle, locally and globally."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.predictive import COLORS, Resolutions, resolutions
from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_poses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_JOINTS = ("link1", "link2", "link3", "link4", "tool")


def measure(run: Run) -> Outcome:
    """Motions with and without knowledge of the obstacle."""
    r = resolutions(run, "planar4")
    unaware = r.scene.unaware()
    distance = {
        "without avoidance": float(unaware.clearance.min()),
        "local": float(r.local.clearance.min()),
        "global": float(r.best.clearance.min()),
    }
    claims = (
        Claim(
            "without avoidance the robot would collide with the obstacle (5.6.2)",
            f"smallest distance {distance['without avoidance']:.3f} m",
            distance["without avoidance"] < 0,
            "a distance below zero",
        ),
        Claim(
            "local and global avoidance prevent the collision (5.6.2)",
            f"smallest distances {distance['local']:.3f} m and {distance['global']:.3f} m",
            distance["local"] > 0 and distance["global"] > 0,
            "distances above zero",
        ),
    )
    note = "Sizes, path and obstacle are not printed; weights are 1.0, 1.0 and 0.6."
    return Outcome({"distance": distance}, claims, lambda figure: _draw(figure, r), note, (7.5, 4.2))


def _draw(figure: Figure, r: Resolutions) -> None:
    plots = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, (label, motion) in zip(plots, (("local", r.local), ("global", r.best)), strict=True):
        _arms(axes, r, motion.q, COLORS[label])
        axes.set_title(label, loc="left", fontsize=10)


def _arms(axes: Axes, r: Resolutions, q: FloatArray, color: str) -> None:
    from matplotlib.patches import Circle

    ball = r.scene.scene.obstacles[0].volumes[0]  # type: ignore[union-attr]
    axes.add_patch(Circle(tuple(np.asarray(ball.vertices)[0, :2]), ball.radius, color="#f0a030"))
    for k in np.linspace(0, len(q) - 1, 9).astype(int):
        points = frame_poses(r.scene.model, q[k], _JOINTS)[:, :2, 3]
        axes.plot(*points.T, "-o", color=color, ms=3, lw=1.2, alpha=0.35 + 0.65 * k / len(q))
    tool = np.array([frame_poses(r.scene.model, x, ["tool"])[0, :2, 3] for x in q[::10]])
    axes.plot(*tool.T, color="#999999", lw=1, ls="--")
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")


FIGURE = PaperFigure("5.30", "a planar arm passes an obstacle", measure)
