"""The zoo: ``python -m benchmarks.zoo [--robots solo12 ...] [--seeds 20] [--drives limp held] [--peer mujoco]``.

Robots are let go 0.3 m above the ground in random attitudes, with all defaults. The exit code is 1 where a run of ours
fails, gains energy or sinks in by more than is allowed, or takes longer than the motion.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks.machine import machine_facts
from benchmarks.zoo import ours
from benchmarks.zoo.drop import DRIVES, Drive
from benchmarks.zoo.outcome import Outcome
from benchmarks.zoo.report import as_json, summaries, zoo_table
from benchmarks.zoo.robots import ROBOTS
from tarsus.files import write_whole

PACKAGES = ("numpy", "mujoco", "example-robot-data", "gymnasium", "gymnasium-robotics")
SEEDS = 20
WIDTH = 140
"""Of the table where it goes to a file [characters]."""
RESULTS = Path(__file__).parents[1] / "results" / "zoo.json"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zoo", description="Robots dropped with all defaults.")
    parser.add_argument("--robots", nargs="+", choices=list(ROBOTS), default=list(ROBOTS), metavar="ROBOT",
                        help=f"some of {', '.join(ROBOTS)}")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=SEEDS, help="starts of every robot")
    parser.add_argument("--drives", nargs="+", choices=DRIVES, default=list(DRIVES), help="limp, or held by PD")
    parser.add_argument("--peer", choices=["mujoco"], help="the same there")
    parser.add_argument("--jobs", type=int, default=1, help="processes; more than there are idle cores spoil the times")
    parser.add_argument("--json", type=Path, default=RESULTS, help="file for the numbers")
    return parser.parse_args(arguments)


def measure(name: str, drive: Drive, seeds: int, peer: str | None) -> list[Outcome]:
    """All starts of one robot, in both simulators where a peer takes it."""
    robot = ROBOTS[name]
    found = [ours.drop(robot, drive, seed, timed=True) for seed in range(seeds)]
    if peer is not None:
        from benchmarks.zoo import peer_mujoco

        if peer_mujoco.takes(robot):
            found += [peer_mujoco.drop(robot, drive, seed) for seed in range(seeds)]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, save."""
    options = parse(arguments)
    console = Console()
    console = Console(width=max(console.width, WIDTH)) if not console.is_terminal else console
    tasks = [(name, drive, options.seeds, options.peer) for name in options.robots for drive in options.drives]
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(measure, *task) for task in tasks]
        try:
            for future in track(waiting, "zoo", console=console, transient=True, disable=not console.is_terminal):
                outcomes += future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    rows = summaries(outcomes)
    console.print(zoo_table(rows))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    write_whole(options.json, f"{json.dumps(as_json(machine_facts(PACKAGES), outcomes), indent=1)}\n".encode())
    console.print(f"written: {options.json}", soft_wrap=True)
    return 0 if all(row.good for row in rows if row.simulator == "tarsus") else 1


if __name__ == "__main__":
    sys.exit(main())
