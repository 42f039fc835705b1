"""The eight solutions of a UR5 for one pose: docs/pictures/six-axis-arms.png.

python docs/pictures/make_six_axis_arms.py
"""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tarsus as ts

ROBOTS = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))


def main() -> None:
    """All postures side by side, the frame where it shall be as a triad."""
    model = ts.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf", package_dirs=[ROBOTS.parent.parent])
    X = ts.pose([0.4, 0.25, 0.5], ts.spatial.rotation_matrix_from_angles(np.radians([150, 20, 40]), "roll-pitch-yaw"))
    answer = ts.ik.branches(model, "ee_link", X)
    assert answer.count == 8
    figure, axes = plt.subplots(2, 4, figsize=(13, 6.6), sharex=True, sharey=True)
    for number, (ax, q) in enumerate(zip(axes.flat, answer.q, strict=True), 1):
        ts.draw(model, q, ax=ax, view=(-60.0, 15.0), size=(600, 600), frames=["ee_link"])
        angles = "  ".join(f"{angle:+.0f}" for angle in np.degrees(q))
        ax.set_title(f"{number}:  {angles}", fontsize=9)
        ax.set_xlim(-0.25, 0.7)
        ax.set_ylim(-0.15, 0.75)
        ax.set_axis_off()
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("six-axis-arms.png"), dpi=80)


if __name__ == "__main__":
    main()
