"""Picture of HRP-2 that takes a box from a table with two hands, carries it and puts it down."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.image
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.scenarios.carry_box import carry_box
from tarsus.scenarios.run import run


def main() -> None:
    """Draw five moments beside each other."""
    scenario = carry_box(ts.robots.hrp2())
    outcome = run(scenario)
    times = {event.state: event.time for event in outcome.events}
    moments = {
        "start": 0.0,
        "grasp": times["lift"],
        "lifted": times["carry"],
        "carried": times["lower"],
        "put down": float(outcome.trajectory.time[-1]),
    }
    figure = Figure(figsize=(12.5, 3.1), layout="constrained")
    FigureCanvasAgg(figure)
    with TemporaryDirectory() as directory:
        for (name, t), axes in zip(moments.items(), figure.subplots(1, len(moments)), strict=True):
            path = Path(directory) / "moment.png"
            ts.draw(scenario.model, outcome.trajectory.at(t).q, path=path)
            axes.imshow(matplotlib.image.imread(path))
            axes.set_title(f"{name}, {t:.1f} s", loc="left", fontsize=10)
            axes.axis("off")
    figure.savefig(Path(__file__).parent / "carry-box.png", dpi=110)


if __name__ == "__main__":
    main()
