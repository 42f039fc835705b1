"""hrp2 stands under pushes: poses and signals of examples/stand_hrp2.py in docs/pictures/standing.png.

python -m docs.pictures.make_standing, from the root of the repository.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from examples.stand_hrp2 import FORCE, PUSH_TIME, pushes, stand

from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
WAYS = ("forward", "back", "left", "right")
LATER = 0.15
"""Time after the end of a push at which a pose is shown: about when it has moved the body most [s]."""
SOLES = {"forward, x": (-0.115, 0.115), "to the left, y": (-0.17, 0.17)}
"""How far the soles reach from their middle [m]."""


def main() -> None:
    """Draw robots above, curves below."""
    run, pushed = stand(), pushes()
    playback = playback_of(run)
    moments = [
        (0.9, "before"),
        *((p.start + PUSH_TIME + LATER, w) for p, w in zip(pushed, WAYS, strict=False)),
        (10.0, "end"),
    ]
    samples = [playback.index_at(t) for t, _ in moments]
    renderer = Renderer(playback, size=(300, 460), view=(50.0, 10.0), samples=samples)
    figure = plt.figure(figsize=(11.0, 7.2), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(1.1, 1.0))
    for axes, k, (t, what) in zip(upper.subplots(1, len(samples)), samples, moments, strict=True):
        axes.imshow(renderer.picture(k))
        axes.set_axis_off()
        axes.set_title(f"{what}, {t:.2f} s", fontsize=10)
    for axes, axis, (name, reach) in zip(lower.subplots(1, 2), range(2), SOLES.items(), strict=True):
        for p in pushed:
            if abs(p.wrench[axis]) > 0.0:
                axes.axvspan(p.start, p.start + PUSH_TIME, color="#d9730d", alpha=0.25, lw=0.0)
        axes.axhspan(1e3 * reach[0], 1e3 * reach[1], color="#2e7d32", alpha=0.08, lw=0.0)
        pressure, capture = (1e3 * run.signals[signal][:, axis] for signal in ("pressure", "capture_point"))
        axes.plot(run.time, pressure, color="#90a4ae", lw=0.9, label="centre of pressure, measured")
        axes.plot(run.time, capture, color="#1f4fd8", lw=1.6, label="capture point, estimated")
        axes.set_title(f"{name}; pushes of {FORCE:g} N (orange), soles (green)", loc="left", fontsize=10)
        axes.set(xlabel="time [s]", ylabel="from the middle of the soles [mm]")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(HERE / "standing.png", dpi=110)


if __name__ == "__main__":
    main()
