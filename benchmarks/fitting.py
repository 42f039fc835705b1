"""Fitting of swept-sphere volumes: time of the processor and tightness, robot by robot."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.contestants import PANDA, robot_file
from benchmarks.section import Section
from benchmarks.target import Target
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


def fitting_table(rows: Iterable[FittedRobot]) -> Table:
    """Volumes around robots."""
    table = empty_table(
        "fitting of swept-sphere volumes, at most four a link",
        ("robot", "s CPU", "links", "volumes", "most of a link", "enclosed / hulls"),
        left=("robot",),
    )
    for row in rows:
        numbers = (f"{row.seconds:.1f}", str(row.links), str(row.volumes), str(row.largest), f"{row.tightness:.2f}")
        table.add_row(row.robot, *numbers)
    return table


def judge_fitting(fitting: Sequence[FittedRobot]) -> list[Target]:
    """Volumes with at most four a link: how tight they are, and what they cost."""
    found = {row.robot: row for row in fitting}
    targets = []
    for robot in ROBOTS:
        row = found.get(robot)
        tightness = None if row is None else row.tightness
        targets.append(Target(f"fit of {robot}: enclosed volume / convex hulls", None, 1.6, tightness))
        targets.append(Target(f"fit of {robot}: s CPU", None, 10.0, None if row is None else row.seconds))
    return targets


SECTION = Section("fitting", lambda options: measure_fitting(), lambda rows: [fitting_table(rows)], judge_fitting)
