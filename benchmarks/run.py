"""The benchmark: ``python -m benchmarks.run [--quick] [--robots talos ...] [--json PATH] [--compare OLD.json]``.

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
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from benchmarks.alternating import measure_alternating
from benchmarks.batch import measure_batch
from benchmarks.coil import SIZES, measure_coil, plot_coil
from benchmarks.constrained import STEPS as CONSTRAINED_STEPS
from benchmarks.constrained import measure_constrained
from benchmarks.contestants import ROBOTS, TALOS, robot_file
from benchmarks.control_step import measure_control_step
from benchmarks.distances import measure_distances
from benchmarks.drawing import DRAWN, measure_drawing
from benchmarks.driven_coil import SIZES as DRIVEN_SIZES
from benchmarks.driven_coil import measure_driven_coil
from benchmarks.fitting import ROBOTS as FITTED_ROBOTS
from benchmarks.fitting import measure_fitting
from benchmarks.footprint import measure_footprint
from benchmarks.loops import BATCHES as LOOP_BATCHES
from benchmarks.loops import measure_loops
from benchmarks.machine import machine_facts
from benchmarks.memory import copy_bandwidth
from benchmarks.methods import EQUIVALENTS, measure_methods
from benchmarks.quadratic_programs import measure_programs
from benchmarks.quantity import QUANTITIES, random_states
from benchmarks.report import Report, compare_table, print_report
from benchmarks.rival import CHECKED_STATES
from benchmarks.single import measure_single
from benchmarks.standing import measure_standing
from benchmarks.threads import QUANTITIES as THREADED
from benchmarks.threads import measure_threads
from benchmarks.timing import FULL, QUICK, Effort
from benchmarks.trotting import measure_trotting

PACKAGES = ("numpy", "pin", "coal", "mujoco", "example-robot-data", "daqp")
LARGE_COPY = 256 * 1024
"""Kilobytes, much more than the caches."""
BATCHES = (64, 1024, 16384)
THREAD_BATCHES = (1024, 16384)
ALTERNATING = 1024
"""States of the batches that are called in turn."""
FURTHER_STEPS = 2 * len(LOOP_BATCHES) + len(DRIVEN_SIZES) + len(EQUIVALENTS) + CONSTRAINED_STEPS + 4
FURTHER_STEPS += 1 + len(DRAWN) + len(FITTED_ROBOTS)
"""Steps of loops, gears, chains, methods, robots that stand and trot, controllers, programs, distances, pictures."""
FILE_WIDTH = 120
"""Width of tables that go to a file [characters]."""
RESULTS = Path(__file__).parent / "results" / "benchmark.json"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Speed of tarsus beside its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, batches up to 1024")
    parser.add_argument("--robots", nargs="+", choices=list(ROBOTS), default=list(ROBOTS), help="robots to compare")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for the numbers; coil.png is put beside it")
    parser.add_argument("--compare", type=Path, help="file of an older run to compare with")
    return parser.parse_args(arguments)


def measure(options: argparse.Namespace, progress: Progress) -> Report:
    """Run everything."""
    effort = QUICK if options.quick else FULL
    batches = BATCHES[:2] if options.quick else BATCHES
    thread_batches = THREAD_BATCHES[:1] if options.quick else THREAD_BATCHES
    per_robot = (1 + len(batches)) * len(QUANTITIES) * 2 + 1
    threads = len(thread_batches) * len(THREADED) if "talos" in options.robots else 0
    task = progress.add_task("", total=len(options.robots) * per_robot + threads + len(SIZES) + 1 + FURTHER_STEPS)
    report = Report(machine_facts(PACKAGES))
    for name in options.robots:
        progress.update(task, description=name)
        contestant = ROBOTS[name]()
        states = random_states(contestant.model, max(batches))
        for row in measure_single(contestant, states.first(64), effort):
            report.rows.append(row)
            progress.advance(task)
        for count in batches:
            for row in measure_batch(contestant, states.first(count), effort):
                report.rows.append(row)
                progress.advance(task)
        report.alternating += measure_alternating(contestant, states.first(ALTERNATING), effort)
        progress.advance(task)
        for count in thread_batches if name == "talos" else ():
            for pair in measure_threads(contestant, states.first(count), effort):
                report.threads.append(pair)
                progress.advance(task)
    progress.update(task, description="coil")
    report.bandwidth = copy_bandwidth(LARGE_COPY)
    for point in measure_coil(effort):
        report.coil.append(point)
        progress.advance(task)
    measure_further(report, effort, progress, task)
    progress.update(task, description="footprint")
    report.footprint = measure_footprint(robot_file(TALOS), effort, repeats=3 if options.quick else 7)
    progress.advance(task)
    return report


def measure_further(report: Report, effort: Effort, progress: Progress, task: TaskID) -> None:
    """Mechanisms with loops and gears, methods of forward dynamics, robots that stand, quadratic programs."""
    progress.update(task, description="loops")
    for rows in measure_loops(effort):
        report.loops += rows
        progress.advance(task)
    progress.update(task, description="drives")
    for point in measure_driven_coil(effort):
        report.driven.append(point)
        progress.advance(task)
    progress.update(task, description="methods")
    model = ROBOTS["talos"]().model
    for row in measure_methods(model, random_states(model, CHECKED_STATES), effort):
        report.methods.append(row)
        progress.advance(task)
    progress.update(task, description="standing")
    for rows in measure_constrained(effort):
        report.constrained += rows
        progress.advance(task)
    progress.update(task, description="mujoco")
    report.standing = measure_standing(rounds=3 if effort is QUICK else 15)
    progress.advance(task)
    progress.update(task, description="control")
    report.control = measure_control_step(rounds=5 if effort is QUICK else 25)
    progress.advance(task)
    progress.update(task, description="mujoco")
    report.trotting = measure_trotting(rounds=2 if effort is QUICK else 10)
    progress.advance(task)
    progress.update(task, description="pictures")
    for robot in DRAWN:
        report.drawing.append(measure_drawing(robot))
        progress.advance(task)
    progress.update(task, description="programs")
    report.programs = measure_programs(rounds=5 if effort is QUICK else 20)
    progress.advance(task)
    progress.update(task, description="fitting")
    for fitted in measure_fitting():
        report.fitting.append(fitted)
        progress.advance(task)
    progress.update(task, description="distances")
    report.distances = measure_distances(rounds=5 if effort is QUICK else 25)
    progress.advance(task)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, save; the exit code is 1 where results disagree with a peer's, whatever the times."""
    options = parse(arguments)
    console = Console()
    console = Console(width=max(console.width, FILE_WIDTH)) if not console.is_terminal else console
    older = None if options.compare is None else json.loads(options.compare.read_text())
    columns = (TextColumn("{task.description:10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        report = measure(options, progress)
    print_report(console, report)
    report.save(options.json)
    picture = options.json.with_name("coil.png")
    if report.coil and report.bandwidth is not None:
        plot_coil(report.coil, report.bandwidth, picture)
    if older is not None:
        console.print(compare_table(report.as_json(), older))
    console.print(f"written: {options.json} and {picture}", soft_wrap=True)
    for row in report.disagreements:
        console.print(
            f"[red]{row.quantity} of {row.robot} disagrees with {row.peer} ({row.call}) by {row.disagreement:.1e}; "
            "not timed[/]"
        )
    return 1 if report.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
