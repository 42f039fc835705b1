"""Pictures of robots by the software renderer: how many a second of one processor, once their meshes are prepared."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.contestants import robot_file
from benchmarks.section import Section
from benchmarks.target import Target
from tarsus.errors import ModelWarning
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of_configurations

DRAWN = {"talos": "talos_data/robots/talos_reduced.urdf", "panda": "panda_description/urdf/panda.urdf"}
"""Files of example-robot-data."""
SIZE = (640, 480)
_PICTURES = 4
_SPEED = 0.02
"""Change of every joint from picture to picture [rad or m]."""


@dataclass(frozen=True)
class Drawing:
    """Processor times of one robot [s].

    Attributes
    ----------
    preparation : float
        Reading the meshes and preparing them.
    picture : float
        One picture of a video, the best of some.
    """

    robot: str
    preparation: float
    picture: float

    @property
    def rate(self) -> float:
        """Pictures a second."""
        return 1.0 / self.picture


def measure_drawing(robot: str) -> Drawing:
    """Preparation and pictures of one of `DRAWN`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = ts.load(robot_file(DRAWN[robot]))
    steps = np.arange(_PICTURES + 1)
    q = np.stack([model.integrate(model.reference, np.full(model.nv, _SPEED * k), 1.0) for k in steps])
    playback = playback_of_configurations(model, q, 0.04 * steps)
    start = time.process_time()
    renderer = Renderer(playback, size=SIZE)
    preparation = time.process_time() - start
    times = []
    for k in steps:
        start = time.process_time()
        renderer.picture(int(k))
        times.append(time.process_time() - start)
    return Drawing(robot, preparation, min(times))


PICTURE_RATE = 2.0
"""Pictures a second that videos of 640 x 480 pixels are to reach."""


def drawing_table(rows: Iterable[Drawing]) -> Table:
    """Pictures by the software renderer."""
    table = empty_table(
        "pictures of 640 x 480 pixels, processor time",
        ("robot", "preparing the meshes, s", "a picture, s", "pictures a second"),
        left=("robot",),
    )
    for row in rows:
        table.add_row(row.robot, f"{row.preparation:.2f}", f"{row.picture:.3f}", f"{row.rate:.1f}")
    return table


def judge_drawing(rows: Sequence[Drawing]) -> list[Target]:
    """Pictures of videos."""
    rates = {row.robot: row.rate for row in rows}
    text = "pictures of 640 x 480 pixels a second of the processor"
    return [Target(f"{robot}: {text}", PICTURE_RATE, None, rates.get(robot)) for robot in DRAWN]


SECTION = Section(
    "drawing",
    lambda options: (measure_drawing(robot) for robot in DRAWN),
    lambda rows: [drawing_table(rows)],
    judge_drawing,
)
