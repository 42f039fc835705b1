"""Limits of pushes while HRP-2, Talos and Lola walk: docs/pictures/walking-pushes.png. Takes a quarter of an hour.

python -m docs.pictures.make_walking_pushes
"""

from __future__ import annotations

import functools
import io
import math
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image

mpl.use("Agg")
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from robot_data import robot_data_path

import tarsus as ts
from tarsus.analysis import PushMap, ankle_limit, push_map, recovers_walking, walking_biped, walking_push_start

HERE = Path(__file__).parent
TALOS = str(robot_data_path("talos_data/robots/talos_reduced.urdf"))
ROBOTS = {"HRP-2": "robot:hrp2", "Talos": TALOS, "Lola": "robot:lola"}
FASTEST, PRECISION = 1.5, 0.04
"""Largest change of velocity that is tried, and resolution [m/s]."""


def main() -> None:
    """Find the limits, tell them in velocities and what ankles give, and draw them side by side."""
    drawn = []
    for name, robot in ROBOTS.items():
        steps, ankles = limits(robot), limits(robot, adapt=False)
        biped = walking_biped(robot)
        mass = biped.model.total_mass
        for angle, most, alone in zip(steps.angle, steps.limit / mass, ankles.limit / mass, strict=True):
            given = ankle_limit(biped, angle)
            print(
                f"{name:6} {math.degrees(angle):4.0f} deg  {most:.2f} m/s, {most / given:.1f} w d; ankles {alone:.2f}"
            )
        drawn.append(picture(name, robot, steps, ankles))
    whole = Image.new("RGB", (sum(one.width for one in drawn), max(one.height for one in drawn)), "white")
    for k, one in enumerate(drawn):
        whole.paste(one, (sum(before.width for before in drawn[:k]), 0))
    whole.save(HERE / "walking-pushes.png")


def limits(robot: str, adapt: bool = True) -> PushMap:
    """In twelve directions, by halving."""
    mass = walking_biped(robot).model.total_mass
    scenario = functools.partial(recovers_walking, robot=robot, adapt=adapt)
    return push_map(
        scenario, "pelvis", start=walking_push_start(robot), largest=FASTEST * mass, precision=PRECISION * mass
    )


def picture(name: str, robot: str, steps: PushMap, ankles: PushMap) -> Image.Image:
    """The limits, those of ankles alone as they were walked, and the bound of a pendulum."""
    biped = walking_biped(robot)
    figure = ts.plot_push_map(steps, title=f"{name} walks at 0.3 m/s: push at the pelvis [N s]")
    axes = figure.axes[0]
    around = np.append(ankles.angle, ankles.angle[0])
    axes.plot(around, np.append(ankles.limit, ankles.limit[0]), "-", color="0.5", lw=1.2, label="by ankles alone")
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    bound = biped.model.total_mass * np.array([ankle_limit(biped, a) for a in angle])
    axes.plot(angle, bound, "--", color="black", lw=1.2, label="m w d")
    axes.plot(angle, 2.0 * bound, ":", color="black", lw=1.0, label="twice that")
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.07), ncol=3)
    written = io.BytesIO()
    figure.savefig(written, dpi=80)
    return Image.open(written)


if __name__ == "__main__":
    main()
