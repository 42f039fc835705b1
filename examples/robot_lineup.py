"""All robots that come with tarsus, side by side and to scale.

Run as ``python examples/robot_lineup.py [picture.png]``.
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.viewer import draw

VIEW = (28.0, 12.0)
LINEUP = (  # name, model, place in the line [m], height above the ground [m]
    ("lola", ts.robots.lola(), 0.0, 0.0),
    ("hrp2", ts.robots.hrp2(), 0.95, 0.0),
    ("feng18", ts.robots.feng18(), 1.75, 0.0),
    ("shah7", ts.robots.shah7(), 2.65, 0.0),
    ("rabbit", ts.robots.rabbit(), 3.35, 0.0),
    ("crops9", ts.robots.crops9(), 4.75, 0.0),
    ("coil(64)", ts.robots.coil(64), 5.75, 0.0),
    ("dill(5)", ts.robots.dill(5), 6.85, 0.5),
    ("planar4", ts.robots.planar4(), 7.5, 0.0),
)


def main(path: str = "robots.png") -> None:
    """Draw every robot in its reference pose into one picture."""
    figure = Figure(figsize=(15.0, 4.2), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    azimuth = np.radians(VIEW[0])
    to_the_right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    for name, model, place, height in LINEUP:
        position = place * to_the_right + np.array([0.0, 0.0, height])
        draw(model, view=VIEW, size=(500, 500), position=position, ax=axes)
        left, right, _, _ = axes.images[-1].get_extent()
        axes.text((left + right) / 2.0, -0.42, name, ha="center", fontsize=11, color="0.25", zorder=5)
    axes.set_ylim(-0.5, 1.92)
    axes.set_xlim(-0.5, 8.2)
    figure.savefig(path, dpi=100)
    print(f"{len(LINEUP)} robots in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
