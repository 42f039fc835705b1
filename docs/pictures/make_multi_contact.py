"""Strip of the planned stances of HRP-2 on its way into a handstand."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.scenarios.stances.handstand import handstand

SHOWN = ("standing", "right hand down", "lean", "left foot off", "tuck", "two hands", "one hand")


def main() -> None:
    """Draw the stances beside each other."""
    model = ts.robots.hrp2()
    stances = {stance.name: stance for stance in handstand(model, back=False).stances}
    figure = Figure(figsize=(14.0, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    with TemporaryDirectory() as directory:
        for axes, name in zip(figure.subplots(1, len(SHOWN)), SHOWN, strict=True):
            path = Path(directory) / "stance.png"
            ts.draw(model, stances[name].q, path=path, size=(420, 640))
            axes.imshow(matplotlib.image.imread(path))
            axes.set_title(f"{name}\n{stances[name].equilibrium.load:.0%} of torques", fontsize=9)
            axes.axis("off")
    figure.savefig(Path(__file__).parent / "handstand.png", dpi=100)


if __name__ == "__main__":
    main()
