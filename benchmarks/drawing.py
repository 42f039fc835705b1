"""Pictures of robots by the software renderer: how many a second of one processor, once their meshes are prepared."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

import tarsus as ts
from benchmarks.contestants import robot_file
from tarsus.errors import ModelWarning
from tarsus.viewer.playback import playback_of_configurations
from tarsus.viewer.still import Renderer

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
