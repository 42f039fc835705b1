"""HRP-2 walks, is pushed and catches itself: docs/pictures/walking.png.

python -m docs.pictures.make_walking
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Polygon

import tarsus as ts

HERE = Path(__file__).parent
PUSHED = 3.6
"""When the push begins [s]."""


def main() -> None:
    """Write the picture."""
    walker = ts.walking.Walker(ts.robots.hrp2())
    biped = walker.biped
    force = np.array([0.0, -0.35 * biped.model.total_mass / 0.1, 0.0])
    push = ts.simulation.Push("pelvis", force, start=PUSHED, duration=0.1)
    outcome = walker.walk(0.3, steps=8, pushes=[push])
    print(outcome)
    run = outcome.trajectory
    figure = plt.figure(figsize=(12, 6.0))
    grid = figure.add_gridspec(2, 10, height_ratios=[1.25, 1.0])
    for k, t in enumerate((2.4, 3.55, 3.95, 4.3, 6.0)):
        axes = figure.add_subplot(grid[0, 2 * k : 2 * k + 2])
        sample = run.at(t)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.png"
            ts.draw(biped.model, sample.q, path=path, view=(25.0, 8.0), size=(420, 520))
            axes.imshow(plt.imread(path))
        axes.set_axis_off()
        axes.set_title(f"{t:.2f} s", fontsize=10)
    _above(figure.add_subplot(grid[1, :6]), outcome)
    _errors(figure.add_subplot(grid[1, 6:]), outcome)
    figure.tight_layout()
    figure.savefig(HERE / "walking.png", dpi=100)


def _above(axes: plt.Axes, outcome: ts.walking.WalkOutcome) -> None:
    """Footsteps as planned and as they came, and the centre of mass."""
    biped, run = outcome.biped, outcome.trajectory
    for foot in outcome.plan.footsteps:
        leg = biped.legs[0 if foot.left else 1]
        corners = (leg.corners @ foot.X_WS[:3, :3].T + foot.position)[:, :2]
        axes.add_patch(Polygon(corners, closed=True, fill=False, edgecolor="0.6", linestyle="--"))
    for leg, color in zip(biped.legs, ("C0", "C3"), strict=True):
        own = [k for k, name in enumerate(run.contacts) if name.split(".")[0] == leg.side]
        carries = run.contact_force[:, own, 2].sum(axis=1) > 0.9 * biped.weight
        for begin in np.flatnonzero(carries[1:] & ~carries[:-1]) + 1:
            X = ts.frame_pose(biped.model, run.q[begin], leg.sole)
            corners = (leg.corners @ X[:3, :3].T + X[:3, 3])[:, :2]
            axes.add_patch(Polygon(corners, closed=True, facecolor=color, alpha=0.12, edgecolor=color))
    com = ts.center_of_mass(biped.model, run.q)
    axes.plot(com[:, 0], com[:, 1], "k", linewidth=1.2, label="centre of mass")
    at = com[np.searchsorted(run.time, PUSHED)]
    arrow = {"arrowstyle": "->", "color": "C1"}
    axes.annotate("push", (at[0], at[1] - 0.05), (at[0], at[1] + 0.2), arrowprops=arrow, color="C1", ha="center")
    axes.set(xlabel="x [m]", ylabel="y [m]", title="from above: planned (dashed) and walked", aspect="equal")
    axes.set(xlim=(-0.2, 1.6), ylim=(-0.35, 0.3))


def _errors(axes: plt.Axes, outcome: ts.walking.WalkOutcome) -> None:
    run = outcome.trajectory
    axes.plot(run.time, 1e3 * run.signals["divergent_error"][:, 1], label="error of the divergent component, y")
    axes.plot(run.time, 1e3 * run.signals["step_shift"][:, 1], label="shift of the landing, y")
    axes.axvspan(PUSHED, PUSHED + 0.1, color="C1", alpha=0.3)
    axes.set(xlabel="t [s]", ylabel="[mm]", xlim=(2.0, 7.0), title="the landing moves with the divergent component")
    axes.legend(fontsize=8, loc="lower right")


if __name__ == "__main__":
    main()
