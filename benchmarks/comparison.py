"""Quantities of robots beside Pinocchio and MuJoCo: one state and batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table

from benchmarks.batch import measure_batch
from benchmarks.cells import difference, empty_table, micro, ratio
from benchmarks.contestants import ROBOTS
from benchmarks.quantity import random_states
from benchmarks.result import Row
from benchmarks.section import Options, Section
from benchmarks.single import measure_single
from benchmarks.target import Target

BATCHES = (64, 1024, 16384)
SINGLE_STATES = 64
"""States among which single calls are checked."""
_AGAINST_PIN = (
    # quantity, states, floor, with out=
    ("inverse_dynamics", 1, 8.0, False),
    ("forward_dynamics", 1, 6.0, False),
    ("mass_matrix", 1, 3.5, False),
    ("mass_matrix", 1, 4.0, True),
    ("joint_screws", 1, 4.0, False),
    ("inverse_dynamics", 1024, 18.0, False),
    ("forward_dynamics", 1024, 15.0, False),
    ("mass_matrix", 1024, 5.5, False),
    ("mass_matrix", 64, 7.0, False),
    ("joint_screws", 1024, 5.0, False),
)


def comparison_table(robot: str, rows: Iterable[Row]) -> Table:
    """Ratios of one robot, a line per quantity and batch size."""
    columns = ("quantity", "states", "ours, us", "out=, us", "peer", "peer, us", "ratio", "ratio out=", "difference")
    table = empty_table(f"{robot}: time per state, ratio = peer / ours", columns, left=("quantity", "peer"))
    for row in rows:
        table.add_row(
            row.quantity,
            str(row.states),
            micro(row.ours),
            micro(row.ours_out),
            row.peer,
            micro(row.peer_time),
            ratio(row.ratio),
            ratio(row.ratio_out),
            difference(row.disagreement),
        )
    return table


def judge_comparison(rows: Sequence[Row]) -> list[Target]:
    """Ratios of Talos with a free base."""
    talos = {(row.quantity, row.states): row for row in rows if row.robot == "talos" and row.peer == "pin"}
    targets = []
    for quantity, states, floor, out in _AGAINST_PIN:
        row = talos.get((quantity, states))
        measured = None if row is None else row.ratio_out if out else row.ratio
        what = f"{quantity}{' with out=' if out else ''}, {states} state{'s' if states > 1 else ''}: pin / ours"
        targets.append(Target(what, floor, None, measured))
    return targets


def _measured(options: Options) -> Iterator[Row]:
    batches = BATCHES[:2] if options.quick else BATCHES
    for name in options.robots:
        contestant = ROBOTS[name]()
        states = random_states(contestant.model, max(batches))
        yield from measure_single(contestant, states.first(SINGLE_STATES), options.effort)
        for count in batches:
            yield from measure_batch(contestant, states.first(count), options.effort)


def _tables(rows: Sequence[Row]) -> list[Table]:
    robots = dict.fromkeys(row.robot for row in rows)
    return [comparison_table(robot, [row for row in rows if row.robot == robot]) for robot in robots]


SECTION = Section("comparison", _measured, _tables, judge_comparison)
