"""Fitting of swept-sphere volumes: time of the processor and tightness, robot by robot."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import tarsus as ts
from benchmarks.contestants import PANDA, robot_file
from tarsus.model.model import Model

TALOS_WITH_GRIPPERS = "talos_data/robots/talos_full_v2.urdf"
ROBOTS: dict[str, Callable[[], Model]] = {
    "hrp2": ts.robots.hrp2,
    "lola": ts.robots.lola,
    "talos": lambda: ts.load(robot_file(TALOS_WITH_GRIPPERS), "free", volumes=False),
    "panda": lambda: ts.load(robot_file(PANDA), volumes=False),
}


@dataclass(frozen=True)
class FittedRobot:
    """What a fit with at most four volumes a link took, and what it reached.

    Attributes
    ----------
    seconds : float
        Time of the processor [s].
    links, volumes, largest : int
        Links with volumes, volumes of the robot, and most volumes of a link.
    tightness : float
        Enclosed volume over that of the convex hulls.
    """

    robot: str
    seconds: float
    links: int
    volumes: int
    largest: int
    tightness: float


def measure_fitting() -> Iterator[FittedRobot]:
    """Each robot once; mesh files are read before."""
    for name, make in ROBOTS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make()
        start = time.process_time()
        found = ts.collision.fit(model)
        seconds = time.process_time() - start
        largest = max(link.count for link in found.links)
        yield FittedRobot(name, seconds, len(found), found.count, largest, found.tightness)
