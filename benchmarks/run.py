"""The benchmark: ``python -m benchmarks.run [--quick] [--only NAME ...] [--robots talos ...] [--json PATH]``.

Every ratio comes from calls that alternate in one process: arguments prepared, results discarded, the best block
counts. Results are compared with the peer's before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.coil import plot_coil
from benchmarks.contestants import ROBOTS
from benchmarks.machine import machine_facts
from benchmarks.registry import SECTIONS
from benchmarks.report import Report, compare_table, print_report
from benchmarks.section import Options

PACKAGES = ("numpy", "pin", "coal", "mujoco", "example-robot-data", "daqp")
FILE_WIDTH = 120
"""Width of tables that go to a file [characters]."""
RESULTS = Path(__file__).parent / "results" / "benchmark.json"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Speed of tarsus beside its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, batches up to 1024")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), default=list(SECTIONS), help="parts to measure")
    parser.add_argument("--robots", nargs="+", choices=list(ROBOTS), default=list(ROBOTS), help="robots to compare")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for the numbers; coil.png is put beside it")
    parser.add_argument("--compare", type=Path, help="file of an older run to compare with")
    return parser.parse_args(arguments)


def measure(names: Sequence[str], options: Options, progress: Progress) -> Report:
    """Run the parts that are asked for."""
    task = progress.add_task("", total=len(names))
    report = Report(machine_facts(PACKAGES))
    for name in names:
        results = report.results.setdefault(name, [])
        progress.update(task, description=name)
        for result in SECTIONS[name].measure(options):
            results.append(result)
            progress.update(task, description=f"{name} {len(results)}")
        progress.advance(task)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, save; the exit code is 1 where results disagree with a peer's, whatever the times."""
    options = parse(arguments)
    console = Console()
    console = Console(width=max(console.width, FILE_WIDTH)) if not console.is_terminal else console
    older = None if options.compare is None else json.loads(options.compare.read_text())
    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        report = measure(options.only, Options(options.quick, options.robots), progress)
    print_report(console, report)
    report.save(options.json)
    written = [options.json]
    for coil in report.results.get("coil", []):
        written.append(options.json.with_name("coil.png"))
        plot_coil(coil.points, coil.bandwidth, written[-1])
    if older is not None:
        console.print(compare_table(report.as_json(), older))
    console.print(f"written: {' and '.join(map(str, written))}", soft_wrap=True)
    for row in report.disagreements:
        console.print(
            f"[red]{row.quantity} of {row.robot} disagrees with {row.peer} ({row.call}) by {row.disagreement:.1e}; "
            "not timed[/]"
        )
    return 1 if report.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
