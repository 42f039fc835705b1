"""The report: tables on the terminal and the same numbers as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.coil import BATCH, CoilPoint
from benchmarks.footprint import Footprint
from benchmarks.result import PARITY, Row
from benchmarks.targets import Target, judge
from benchmarks.threads import ThreadRow


@dataclass
class Report:
    """Everything that one run measured."""

    machine: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    threads: list[ThreadRow] = field(default_factory=list)
    coil: list[CoilPoint] = field(default_factory=list)
    bandwidth: float | None = None
    footprint: Footprint | None = None

    @property
    def targets(self) -> list[Target]:
        """The targets and whether they were reached."""
        return judge(self.rows, self.threads, self.coil, self.footprint)

    @property
    def disagreements(self) -> list[Row]:
        """Rows whose results differ from the peer's, so that their times were not compared; one for each quantity."""
        found: dict[tuple[str, str, str], Row] = {}
        for row in self.rows:
            if not row.disagreement <= PARITY:
                found.setdefault((row.robot, row.quantity, row.peer), row)
        return list(found.values())

    def as_json(self) -> dict[str, Any]:
        """Plain data; times in seconds per state."""
        return {
            "machine": self.machine,
            "targets": [asdict(target) | {"reached": target.reached} for target in self.targets],
            "comparison": [asdict(row) | {"ratio": row.ratio, "ratio_out": row.ratio_out} for row in self.rows],
            "threads": [asdict(row) | {"ratio": row.ratio} for row in self.threads],
            "coil": {"bandwidth": self.bandwidth, "batch": BATCH, "points": [asdict(point) for point in self.coil]},
            "footprint": None if self.footprint is None else asdict(self.footprint),
        }

    def save(self, path: Path) -> None:
        """Write the JSON file, completely or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_text(json.dumps(self.as_json(), indent=1) + "\n")
        os.replace(unfinished, path)


def print_report(console: Console, report: Report) -> None:
    """All tables."""
    for robot in dict.fromkeys(row.robot for row in report.rows):
        console.print(comparison_table(robot, [row for row in report.rows if row.robot == robot]))
    if report.threads:
        console.print(thread_table(report.threads))
    if report.coil:
        console.print(coil_table(report.coil))
    if report.bandwidth is not None:
        console.print(f"memory copies at {report.bandwidth / 1e9:.1f} GB/s, read and write counted")
    console.print(target_table(report.targets))


def comparison_table(robot: str, rows: Iterable[Row]) -> Table:
    """Ratios of one robot, a line per quantity and batch size."""
    table = Table(title=f"{robot}: time per state, ratio = peer / ours", title_justify="left")
    for name in ("quantity", "states"):
        table.add_column(name, justify="right" if name == "states" else "left")
    for name in ("ours, us", "out=, us", "peer", "peer, us", "ratio", "ratio out=", "difference"):
        table.add_column(name, justify="left" if name == "peer" else "right")
    for row in rows:
        table.add_row(
            row.quantity,
            str(row.states),
            _micro(row.ours),
            _micro(row.ours_out),
            row.peer,
            _micro(row.peer_time),
            _ratio(row.ratio),
            _ratio(row.ratio_out),
            f"[red]{row.disagreement:.0e}[/]" if not row.disagreement <= PARITY else f"{row.disagreement:.0e}",
        )
    return table


def thread_table(rows: Iterable[ThreadRow]) -> Table:
    """Two threads against one."""
    table = Table(title="two threads against one", title_justify="left")
    for name in ("robot", "quantity", "states", "one, us", "two, us", "ratio"):
        table.add_column(name, justify="left" if name in ("robot", "quantity") else "right")
    for row in rows:
        table.add_row(row.robot, row.quantity, str(row.states), _micro(row.one), _micro(row.two), _ratio(row.ratio))
    return table


def coil_table(points: Iterable[CoilPoint]) -> Table:
    """Forward dynamics of Coil(n)."""
    table = Table(title="forward dynamics of Coil(n), time per body", title_justify="left")
    for name in ("n", "one state, ns", f"{BATCH} states, ns per state"):
        table.add_column(name, justify="right")
    for point in points:
        table.add_row(str(point.n), f"{1e9 * point.single:.1f}", f"{1e9 * point.batch:.1f}")
    return table


def target_table(targets: Iterable[Target]) -> Table:
    """Targets, measured values, verdicts."""
    table = Table(title="targets", title_justify="left")
    table.add_column("target")
    table.add_column("asked", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("")
    for target in targets:
        asked = f">= {target.floor:g}" if target.floor is not None else f"<= {target.ceiling:g}"
        verdict = {True: "[green]reached[/]", False: "[red]missed[/]", None: "not measured"}[target.reached]
        table.add_row(target.text, asked, "" if target.measured is None else f"{target.measured:.2f}", verdict)
    return table


def compare_table(new: dict[str, Any], old: dict[str, Any]) -> Table:
    """Show times of this run beside those of an older one, where both have them."""
    table = Table(title="against the older run: time per state, ratio = old / new", title_justify="left")
    for name in ("robot", "quantity", "states", "old, us", "new, us", "ratio"):
        table.add_column(name, justify="left" if name in ("robot", "quantity") else "right")
    before = {(row["robot"], row["quantity"], row["states"]): row["ours"] for row in old.get("comparison", ())}
    seen = set()
    for row in new["comparison"]:
        key = (row["robot"], row["quantity"], row["states"])
        if key in seen or before.get(key) is None or row["ours"] is None:
            continue
        seen.add(key)
        ratio = before[key] / row["ours"]
        table.add_row(key[0], key[1], str(key[2]), _micro(before[key]), _micro(row["ours"]), _ratio(ratio))
    return table


def _micro(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e6 * seconds:.3g}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"[bold]{ratio:.2f}[/]"
