"""The walk of Feng et al. 2015: time of the processor for each step on rigid ground.

``python -m benchmarks.feng_walk`` prints it for either foot first; 1000 steps of both together shall take less than ten
minutes of one core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from benchmarks.cells import empty_table
from benchmarks.section import Section
from benchmarks.target import Target
from tarsus.robots.feng18 import Side
from tarsus.walking.feng.walk import feng_walk

STEPS = 50
MOST = 0.3
"""CPU seconds a step that are wanted: 1000 steps with either foot first in 600 s."""


@dataclass(frozen=True)
class Row:
    """What was measured.

    Attributes
    ----------
    first : str
        Foot that steps first.
    steps : int
        Steps that were walked.
    cpu : float
        CPU seconds a step.
    """

    first: str
    steps: int
    cpu: float


def measure() -> Iterator[Row]:
    """A walk from either foot; what the first one of a process reads is none of its time."""
    feng_walk(1)
    sides: tuple[Side, Side] = ("right", "left")
    for first in sides:
        begin = time.process_time()
        walk = feng_walk(STEPS, first=first)
        yield Row(first, walk.walked, (time.process_time() - begin) / max(walk.walked, 1))


def _tables(rows: Sequence[Row]) -> list[Table]:
    table = empty_table("walk of Feng et al. 2015", ("first foot", "steps", "CPU s a step"), left=("first foot",))
    for row in rows:
        table.add_row(row.first, str(row.steps), f"{row.cpu:.3f}")
    return [table]


def judge_feng_walk(rows: Sequence[Row]) -> list[Target]:
    """Either foot first."""
    found = {row.first: row.cpu for row in rows}
    return [
        Target(f"walk of Feng et al. 2015, {first} foot first: CPU s a step", None, MOST, found.get(first))
        for first in ("right", "left")
    ]


SECTION = Section("feng_walk", lambda options: measure(), _tables, judge_feng_walk)


def main() -> None:
    """Print the rows."""
    for row in measure():
        print(f"{row.first:6} {row.steps:4d} steps {row.cpu:8.3f} CPU s a step")


if __name__ == "__main__":
    main()
