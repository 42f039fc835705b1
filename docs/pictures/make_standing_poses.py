"""Legged robots in the poses that were found for them to stand in: docs/pictures/standing-poses.png.

python docs/pictures/make_standing_poses.py (with the package example-robot-data)
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
FILES = (
    "talos_data/robots/talos_reduced.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "go2_description/urdf/go2.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
)


def main() -> None:
    """One picture a robot."""
    from robot_data import robot_data_path

    figure, axes = plt.subplots(1, len(FILES), figsize=(15, 4.5))
    for ax, path in zip(axes, FILES, strict=True):
        model = ts.load(robot_data_path(path), base="free")
        ts.draw(model, ts.ik.standing(model), ax=ax, view=(50.0, 10.0), size=(400, 500), com=True)
        ax.set_title(model.name)
        ax.set_axis_off()
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("standing-poses.png"), dpi=80)


if __name__ == "__main__":
    main()
