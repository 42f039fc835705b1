"""Lola goes up stairs, and down again: docs/pictures/climbing.png.

python -m docs.pictures.make_climbing
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.viewer.drawing.still import draw_moment

HERE = Path(__file__).parent
RISE, RUN = 0.08, 0.3
"""Of the stairs [m]."""
MOMENTS = 4
"""Of each walk."""


def main() -> None:
    """Write the picture."""
    walker = ts.walking.Walker(ts.robots.lola())
    figure, panels = plt.subplots(2, MOMENTS, figsize=(12, 7.0))
    for row, rise in zip(panels, (RISE, -RISE), strict=True):
        outcome = ts.walking.climb(walker, ts.walking.Stairs(3, rise, RUN))
        print(outcome)
        for k, axes in enumerate(row):
            t = outcome.time * (0.3 + 0.6 * k / (MOMENTS - 1))
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "robot.png"
                draw_moment(outcome.trajectory, t, path, view=(-70.0, 12.0), size=(480, 560))
                axes.imshow(plt.imread(path))
            axes.set_axis_off()
            axes.set_title(f"{t:.1f} s", fontsize=9)
    figure.tight_layout()
    figure.savefig(HERE / "climbing.png", dpi=90)


if __name__ == "__main__":
    main()
