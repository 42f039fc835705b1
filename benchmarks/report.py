"""The report: what all parts of the benchmark measured, as tables on the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.cells import empty_table, micro, ratio
from benchmarks.registry import SECTIONS
from benchmarks.result import PARITY, Row
from benchmarks.target import Target
from tarsus.files import write_whole


@dataclass
class Report:
    """Everything that one run measured: results by the name of their section."""

    machine: dict[str, Any]
    results: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def targets(self) -> list[Target]:
        """The targets and whether they were reached."""
        return [target for name, section in SECTIONS.items() for target in section.targets(self.results.get(name, []))]

    @property
    def disagreements(self) -> list[Row]:
        """Rows whose results differ from the peer's, so that their times were not compared; one for each call."""
        found: dict[tuple[str, str, str, str], Row] = {}
        for results in self.results.values():
            for row in results:
                if isinstance(row, Row) and not row.disagreement <= PARITY:
                    found.setdefault((row.robot, row.quantity, row.peer, row.call), row)
        return list(found.values())

    def as_json(self) -> dict[str, Any]:
        """Plain data; times in seconds per state unless their section says otherwise."""
        targets = [asdict(target) | {"reached": target.reached} for target in self.targets]
        saved = {name: section.saved(self.results.get(name, [])) for name, section in SECTIONS.items()}
        return {"machine": self.machine, "targets": targets} | saved

    def save(self, path: Path) -> None:
        """Write the JSON file, completely or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, f"{json.dumps(self.as_json(), indent=1)}\n".encode())


def print_report(console: Console, report: Report) -> None:
    """Tables of all parts that were measured, and their targets."""
    measured = [(section, report.results[name]) for name, section in SECTIONS.items() if name in report.results]
    for section, results in measured:
        for part in section.tables(results) if results else ():
            console.print(part)
    console.print(target_table(target for section, results in measured for target in section.targets(results)))


def target_table(targets: Iterable[Target]) -> Table:
    """Targets, measured values, verdicts."""
    table = empty_table("targets", ("target", "asked", "measured", ""), left=("target", ""))
    for target in targets:
        verdict = {True: "[green]reached[/]", False: "[red]missed[/]", None: "not measured"}[target.reached]
        table.add_row(target.text, target.asked, "" if target.measured is None else f"{target.measured:.2f}", verdict)
    return table


def compare_table(new: dict[str, Any], old: dict[str, Any]) -> Table:
    """Show times of this run beside those of an older one, where both have them."""
    columns = ("robot", "quantity", "states", "old, us", "new, us", "ratio")
    table = empty_table("against the older run: time per state, ratio = old / new", columns, ("robot", "quantity"))
    before = {(row["robot"], row["quantity"], row["states"]): row["ours"] for row in old.get("comparison", ())}
    seen = set()
    for row in new["comparison"]:
        key = (row["robot"], row["quantity"], row["states"])
        if key in seen or before.get(key) is None or row["ours"] is None:
            continue
        seen.add(key)
        faster = before[key] / row["ours"]
        table.add_row(key[0], key[1], str(key[2]), micro(before[key]), micro(row["ours"]), ratio(faster))
    return table
