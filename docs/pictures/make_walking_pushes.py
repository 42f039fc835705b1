"""Limits of pushes while HRP-2 walks: docs/pictures/walking-pushes.png. Takes some minutes.

python -m docs.pictures.make_walking_pushes
"""

from __future__ import annotations

import functools
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

import tarsus as ts
from tarsus.analysis import PushMap, ankle_limit, push_map, recovers_walking, walking_biped, walking_push_start

HERE = Path(__file__).parent
ROBOT = "robot:hrp2"
FASTEST, PRECISION = 1.5, 0.08
"""Largest change of velocity that is tried, and resolution [m/s]."""


def main() -> None:
    """Find the limits, and draw them."""
    mass = walking_biped(ROBOT).model.total_mass
    start = walking_push_start(ROBOT)
    found = push_map(
        functools.partial(recovers_walking, robot=ROBOT), "pelvis", start=start, largest=FASTEST * mass,
        precision=PRECISION * mass,
    )  # fmt: skip
    draw(found)


def draw(found: PushMap) -> None:
    """Write the picture of limits, with the bound of ankles alone beside them."""
    biped = walking_biped(ROBOT)
    figure = ts.plot_push_map(found, title="HRP-2 walks at 0.3 m/s: push at the pelvis [N s]")
    axes = figure.axes[0]
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    ankles = biped.model.total_mass * np.array([ankle_limit(biped, a) for a in angle])
    axes.plot(angle, ankles, "--", color="black", lw=1.2, label="m w d: ankles alone")
    axes.plot(angle, 2.0 * ankles, ":", color="black", lw=1.0, label="twice that")
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.07), ncol=2)
    figure.savefig(HERE / "walking-pushes.png", dpi=110)


if __name__ == "__main__":
    main()
