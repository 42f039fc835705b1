"""The scenes of predictive inverse kinematics: docs/pictures/predictive.png and predictive-crops9.png.

python docs/pictures/make_predictive.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import Circle

import tarsus as ts
from tarsus.ik.predictive.scenes import scene


def planar4() -> None:
    """The arm from above at several moments, and the pseudoenergies."""
    s = scene("planar4")
    here, ahead = s.local(), s.predictive()
    best = s.whole(ahead.u)
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.6), width_ratios=(1, 1, 1.3))
    for ax, (name, motion) in zip(axes[:2], (("local", here), ("predictive, 1 s ahead", ahead)), strict=True):
        ax.add_patch(Circle((0.85, -0.2), 0.12, color="#f0a030"))
        for k in (0, 150, 220, 260, 300, 400):
            points = ts.frame_poses(s.model, motion.q[k], ["link1", "link2", "link3", "link4", "tool"])[:, :2, 3]
            shade = 0.75 * (1 - k / 400)
            ax.plot(*points.T, "-o", color=(shade, shade, 0.35 + 0.6 * shade), lw=2.5, ms=5)
        ax.plot([1.4, 1.4], [0.9, -0.9], "--", color="#999999", lw=1)
        ax.set_aspect("equal")
        ax.set(title=f"planar4, {name}", xlabel="x [m]", ylabel="y [m]", xlim=(-0.1, 1.65))
        ax.spines[["top", "right"]].set_visible(False)
    for name, motion in (("local", here), ("predictive, 1 s", ahead), ("global", best)):
        axes[2].plot(motion.t[:-1], s.pseudo_energy(motion), label=name)
    axes[2].set(title="sum of squared joint velocities", xlabel="time [s]", ylabel="[rad²/s²]")
    axes[2].spines[["top", "right"]].set_visible(False)
    axes[2].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("predictive.png"), dpi=80)


def crops9() -> None:
    """The arm with its volumes at the moment when it would touch itself."""
    s = scene("crops9")
    motions = {"without avoidance": s.unaware(), "local": s.local(), "predictive, 2 s ahead": s.predictive()}
    k = int(np.argmin(motions["without avoidance"].clearance))
    model = s.model
    figure, axes = plt.subplots(1, 3, figsize=(13, 5.2))
    for ax, (name, motion) in zip(axes, motions.items(), strict=True):
        ts.draw(model, motion.q[k], ax=ax, view=(-60.0, 20.0), size=(520, 620), volumes=True, frames=["tool"])
        ax.set_title(f"{name}: smallest distance {1e3 * motion.clearance.min():+.0f} mm")
        ax.set_axis_off()
    figure.suptitle(f"crops9 at t = {motions['local'].t[k]:.2f} s")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("predictive-crops9.png"), dpi=80)


if __name__ == "__main__":
    planar4()
    crops9()
