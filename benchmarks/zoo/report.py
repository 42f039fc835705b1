"""The table of the zoo, and the same numbers as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.table import Table

from benchmarks.zoo.drop import DT, DURATION, HEIGHT
from benchmarks.zoo.outcome import Outcome, Summary, summarised
from benchmarks.zoo.robots import ROBOTS


def summaries(outcomes: Iterable[Outcome]) -> list[Summary]:
    """One for each robot, drive and simulator, in the order of the outcomes."""
    groups = groupby(outcomes, key=lambda outcome: (outcome.robot, outcome.drive, outcome.simulator))
    return [summarised(list(group)) for _, group in groups]


def zoo_table(rows: Sequence[Summary]) -> Table:
    """A line for each robot, drive and simulator; what misses the criteria is red."""
    title = f"dropped from {HEIGHT} m, {DURATION:g} s in steps of {1e3 * DT:g} ms, worst of all seeds"
    table = Table(title=title, title_justify="left")
    for name in ("robot", "kg", "dof", "drive", "simulator", "failed", "gain, %", "rise, %", "depth, mm",
                 "CPU s per s", "slowest"):  # fmt: skip
        table.add_column(name, justify="left" if name in ("robot", "drive", "simulator") else "right")
    for row in rows:
        model = ROBOTS[row.robot].load()
        table.add_row(
            row.robot,
            f"{model.total_mass:.3g}",
            str(model.nv),
            row.drive,
            row.simulator,
            f"{row.failures}/{row.seeds}",
            _number(row.gain, 100.0),
            _number(row.rise, 100.0),
            _number(row.penetration, 1e3),
            _number(row.cpu),
            _number(row.slowest),
            style=None if row.good or row.simulator != "tarsus" else "red",
        )
    return table


def as_json(machine: dict[str, Any], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Plain data; shares of the energy of the fall, metres, CPU seconds for a second of motion."""
    return {
        "machine": machine,
        "height": HEIGHT,
        "duration": DURATION,
        "dt": DT,
        "robots": [asdict(row) | {"good": row.good} for row in summaries(outcomes)],
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def _number(value: float | None, factor: float = 1.0) -> str:
    return "-" if value is None else f"{factor * value:.3g}"
