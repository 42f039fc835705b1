"""Lola at 2.5 km/h: docs/pictures/walking-long-steps.png.

python -m docs.pictures.make_walking_long_steps
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts

HERE = Path(__file__).parent
MOMENTS = (5.0, 5.15, 5.3, 5.45, 5.6, 5.75)
"""One step and a bit [s]."""


def main() -> None:
    """Write the picture."""
    walker = ts.walking.Walker(ts.robots.lola(), step_time=0.8, clearance=0.05)
    outcome = walker.walk(2.5 / 3.6, steps=8)
    print(outcome)
    figure, row = plt.subplots(1, len(MOMENTS), figsize=(13, 3.2))
    for axes, t in zip(row, MOMENTS, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "moment.png"
            ts.viewer.draw_moment(
                outcome.trajectory, t, path, ground=ts.contact.flat(), view=(80.0, 5.0), size=(380, 420)
            )
            axes.imshow(plt.imread(path))
        axes.set_axis_off()
        axes.set_title(f"{t:.2f} s", fontsize=10)
    figure.tight_layout()
    figure.savefig(HERE / "walking-long-steps.png", dpi=90)


if __name__ == "__main__":
    main()
