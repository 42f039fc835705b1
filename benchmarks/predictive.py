"""Predictive inverse kinematics of crops9 over 2 s in steps of 10 ms: `python -m benchmarks.predictive [--json]`.

One warm-started iteration with its line search, called from Python, and several of them in a control cycle; Crocoddyl
in an environment of its own on the same path, without collisions. Processor time of the calling thread, in turn.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.cells import empty_table
from benchmarks.peers.environment import PeerUnavailable
from benchmarks.peers.worker import Worker
from benchmarks.section import Options, Section
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.ik.predictive import Costs, PostureCost, RecedingHorizon, task_path
from tarsus.ik.predictive.scenes import Scene, crops9_beside_itself
from tarsus.io.urdf.writer import write_urdf

HORIZON, CYCLE = 200, 0.01
TARGETS = {"one iteration": 2e-3, "five iterations": 10e-3}
"""Processor time [s] that is wanted, of the 90th percentile."""


def cycles(scene: Scene, costs: Costs, iterations: int, count: int) -> tuple[FloatArray, FloatArray]:
    """Times [s] of the cycles of a motion, the first one left out, and the iterations that each took."""
    path = task_path(scene.model, scene.task, scene.dt, None)
    receding = RecedingHorizon(scene.model, costs, iterations=30, tolerance=0.0)
    q, seconds, taken = scene.q0, [], []
    for k in range(min(count, path.steps - HORIZON)):
        window = path.window(k, HORIZON)
        begin = time.thread_time()
        plan = receding.cycle(window, q)
        spent = time.thread_time() - begin
        if k > 0:
            seconds.append(spent)
            taken.append(plan.iterations)
        receding.iterations = iterations
        q = plan.q[1]
    return np.array(seconds), np.array(taken)


def percentiles(seconds: FloatArray) -> dict[str, float]:
    """Median, 90th percentile and largest [ms]."""
    return {
        "median_ms": 1e3 * float(np.median(seconds)),
        "p90_ms": 1e3 * float(np.percentile(seconds, 90)),
        "most_ms": 1e3 * float(seconds.max()),
    }


def ours(count: int) -> dict[str, Any]:
    """With collisions and limits, as in figure 5.35."""
    scene = crops9_beside_itself()
    found: dict[str, Any] = {}
    for name, iterations in (("one iteration", 1), ("five iterations", 5), ("ten iterations", 10)):
        seconds, taken = cycles(scene, scene.costs, iterations, count)
        found[name] = {**percentiles(seconds), "iterations": float(taken.mean())}
        if name in TARGETS:
            found[name]["target_ms"] = 1e3 * TARGETS[name]
            found[name]["reached"] = bool(np.percentile(seconds, 90) <= TARGETS[name])
    return found


def against_crocoddyl(rounds: int) -> dict[str, Any]:
    """Ten warm-started iterations each on the same path, without collisions and limits, in turn.

    The problems are alike, not the same: there torques are chosen, poses are tracked by a penalty, and iterations are
    of second order; here nullspace velocities are chosen, and poses are followed.
    """
    scene = crops9_beside_itself()
    costs = Costs(1e-2, posture=PostureCost(1e-2, scene.q0))
    poses = np.asarray(scene.task.pose)[: HORIZON + 1]  # type: ignore[attr-defined]
    path = task_path(scene.model, scene.task, scene.dt, None).window(0, HORIZON)
    receding = RecedingHorizon(scene.model, costs, iterations=30, tolerance=0.0)
    plan = receding.cycle(path, scene.q0)
    receding.iterations = 10
    with tempfile.TemporaryDirectory() as directory, Worker("crocoddyl") as peer:
        urdf = Path(directory) / "crops9.urdf"
        urdf.write_text(re.sub(r"<(visual|collision)\b.*?</\1>", "", write_urdf(scene.model), flags=re.DOTALL))
        version = peer.ask(
            "problem", urdf=str(urdf), frame="tool", names=[f"q{k}" for k in range(1, 10)], start=scene.q0.tolist(),
            poses=poses.tolist(), dt=scene.dt, velocity=1e-2, posture=1e-2, tracking=1e4,
        )["version"]  # fmt: skip
        solved = peer.ask("solve", iterations=100)
        mine, theirs, counts = [], [], []
        rng = np.random.default_rng(0)
        for _ in range(rounds):
            receding._input = plan.input + 1e-2 * rng.normal(size=plan.input.shape)
            begin = time.thread_time()
            plan = receding.cycle(path, scene.q0)
            mine.append(time.thread_time() - begin)
            answer = peer.ask("improve", iterations=10)
            theirs.append(answer["seconds"])
            counts.append([plan.iterations, answer["iterations"]])
    each = np.stack([mine, theirs], axis=1) / counts
    return {
        "version": version,
        "ours": percentiles(np.array(mine)),
        "ours_task_error_m": float(plan.task_error.max()),
        "crocoddyl": percentiles(np.array(theirs)),
        "crocoddyl_task_error_m": solved["error"],
        "crocoddyl_from_nothing": {"seconds": solved["seconds"], "iterations": solved["iterations"]},
        "iterations": dict(zip(("ours", "crocoddyl"), np.mean(counts, axis=0).tolist(), strict=True)),
        "ratio_of_an_iteration": float(np.median(each[:, 1]) / np.median(each[:, 0])),
    }


@dataclass(frozen=True)
class Cycles:
    """Processor times of warm-started control cycles [s]."""

    name: str
    median: float
    p90: float
    most: float


def _measured(options: Options) -> Iterator[Cycles]:
    for name, row in ours(options.rounds(150, 30)).items():
        yield Cycles(name, *(1e-3 * row[key] for key in ("median_ms", "p90_ms", "most_ms")))


def _tables(rows: Sequence[Cycles]) -> list[Table]:
    columns = ("a cycle of", "median, ms", "90 %", "most")
    table = empty_table("predictive: crops9, 2 s ahead, with collisions and limits", columns, left=("a cycle of",))
    for row in rows:
        table.add_row(row.name, *(f"{1e3 * x:.2f}" for x in (row.median, row.p90, row.most)))
    return [table]


def judge_predictive(rows: Sequence[Cycles]) -> list[Target]:
    """Cycles of one and of five iterations."""
    found = {row.name: 1e3 * row.p90 for row in rows}
    return [
        Target(f"predictive, crops9, {name}: ms, 90 % of cycles", None, 1e3 * most, found.get(name))
        for name, most in TARGETS.items()
    ]


SECTION = Section("predictive", _measured, _tables, judge_predictive)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=150, help="control cycles that are timed")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each program")
    parser.add_argument("--no-peer", action="store_true", help="without Crocoddyl")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args()
    result: dict[str, Any] = {"cycles": ours(given.cycles)}
    if not given.no_peer:
        try:
            result["peer"] = against_crocoddyl(given.rounds)
        except PeerUnavailable as error:
            result["peer"] = {"unavailable": str(error)}
    if given.json:
        print(json.dumps(result, indent=2))
        return
    print("crops9, 2 s ahead in steps of 10 ms, with collisions and limits; processor time [ms]")
    for name, row in result["cycles"].items():
        times = f"median {row['median_ms']:6.2f}  90 % {row['p90_ms']:6.2f}  most {row['most_ms']:6.2f}"
        wanted = (
            f"  wanted {row['target_ms']:g}: {'reached' if row['reached'] else 'missed'}" if "reached" in row else ""
        )
        print(f"  {name:<16} {times}{wanted}")
    for name, row in result.get("peer", {}).items():
        print(f"  {name}: {row}")


if __name__ == "__main__":
    main()
