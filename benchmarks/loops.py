"""Forward dynamics of mechanisms with loops and gears, in minimal coordinates, against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from benchmarks.fourbars import COUNT, fourbar_rivals, fourbar_states, fourbars
from benchmarks.geared import geared_rivals, geared_talos
from benchmarks.quantity import random_states
from benchmarks.result import Row
from benchmarks.rival import best_ratio, measure_rivals, rival_table
from benchmarks.section import Options, Section
from benchmarks.target import Target
from benchmarks.timing import Effort

FOURBARS = f"{COUNT} four-bars"
GEARED = "geared talos"
BATCHES = (1, 1024)


def measure_loops(effort: Effort) -> Iterator[list[Row]]:
    """Yield the rows of one mechanism and batch size, one for each way that Pinocchio offers."""
    chain, robot = fourbars(), geared_talos()
    cases = (
        (FOURBARS, chain, fourbar_rivals(chain), fourbar_states(chain, max(BATCHES))),
        (GEARED, robot, geared_rivals(robot), random_states(robot, max(BATCHES))),
    )
    for name, model, rivals, states in cases:
        for count in BATCHES:
            yield measure_rivals(name, model, rivals, states, count, effort)


_LOOPS = (
    # mechanism, states, floor
    (FOURBARS, 1, 8.0),
    (FOURBARS, 1024, 25.0),
    (GEARED, 1, 12.0),
)


def judge_loops(loops: Sequence[Row]) -> list[Target]:
    """Loops and gears in minimal coordinates, against the fastest way in Pinocchio."""
    targets = []
    for robot, states, floor in _LOOPS:
        rows = [row for row in loops if (row.robot, row.states) == (robot, states)]
        text = f"{robot}, forward_dynamics, {states} state{'s' if states > 1 else ''}: best of pin / ours"
        targets.append(Target(text, floor, None, best_ratio(rows)))
    return targets


def _measured(options: Options) -> Iterator[Row]:
    for rows in measure_loops(options.effort):
        yield from rows


def _tables(rows: Sequence[Row]) -> list[Table]:
    return [rival_table("forward dynamics with loops and gears, minimal coordinates", rows)]


SECTION = Section("loops", _measured, _tables, judge_loops)
