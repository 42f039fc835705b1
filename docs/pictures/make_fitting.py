"""Draw docs/pictures/fitting.png: lola's shapes, the volumes that ship with it, and a box with one to eight volumes."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.model import Box, Shape


def box() -> ts.Model:
    """A link that is one box."""
    shape = Shape(Box((0.3, 0.2, 0.2)), ts.pose((0.0, 0.0, 0.0)))
    builder = ts.ModelBuilder("box", base="free")
    return builder.add_link("box", ts.Inertia.of_sphere(1.0, 0.1), visuals=[shape], collisions=[shape]).build()


def main() -> None:
    """Draw it."""
    figure = plt.figure(figsize=(11.0, 6.4), dpi=110)
    lola = ts.robots.lola()
    for k, (volumes, title) in enumerate(((False, "shapes"), (True, "49 volumes"))):
        axes = figure.add_axes((0.0 + 0.31 * k, 0.0, 0.31, 0.93))
        ts.draw(lola, ax=axes, volumes=volumes, size=(600, 1200), view=(25.0, 8.0))
        axes.set_title(f"lola: {title}")
        axes.set_axis_off()
    model = box()
    for k, count in enumerate((1, 2, 4, 8)):
        axes = figure.add_axes((0.63 + 0.185 * (k % 2), 0.5 - 0.47 * (k // 2), 0.18, 0.4))
        fitted = ts.collision.fit(model, max_volumes=count, min_gain=0.0)
        ts.draw(model.with_volumes(fitted), ax=axes, volumes=True, ground=False, size=(400, 400), view=(30.0, 25.0))
        axes.set_title(f"{fitted.count}: {fitted.tightness:.2f} times the box", fontsize=10)
        axes.set_axis_off()
    figure.savefig(Path(__file__).with_name("fitting.png"), facecolor="white")


if __name__ == "__main__":
    main()
