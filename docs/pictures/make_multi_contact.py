"""HRP-2 on its way into a handstand as it is planned, and on a stair and rising from its knees as it was simulated."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.scenarios.catalogue import find
from tarsus.scenarios.stances.handstand import handstand
from tarsus.viewer.drawing.still import draw_moment

SHOWN = ("standing", "right hand down", "lean", "left foot off", "tuck", "two hands", "one hand")


MOMENTS = {"stair": (3.0, 11.0, 17.0, 22.0, 29.0, 37.0), "kneeling": (0.0, 1.6, 6.0, 9.0, 16.0, 22.0)}
"""Of the runs that are drawn [s]."""


def main() -> None:
    """Draw stances and moments of runs beside each other."""
    planned()
    for name in MOMENTS:
        simulated(name)


def simulated(name: str) -> None:
    """Moments of a run, with the forces of what is touched."""
    run = ts.scenarios.run(find(name).make(ts.robots.hrp2()), control_dt=4e-3).trajectory
    figure = Figure(figsize=(14.0, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    with TemporaryDirectory() as directory:
        for axes, time in zip(figure.subplots(1, len(MOMENTS[name])), MOMENTS[name], strict=True):
            path = Path(directory) / "moment.png"
            draw_moment(run, min(time, float(run.time[-1])), path, view=(-50.0, 14.0), size=(460, 640))
            axes.imshow(matplotlib.image.imread(path))
            axes.set_title(f"{time:g} s", fontsize=9)
            axes.axis("off")
    figure.savefig(Path(__file__).parent / f"{name}-run.png", dpi=100)


def planned() -> None:
    """Stances of the handstand."""
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
