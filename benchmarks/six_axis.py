"""All solutions of six-axis arms, time for a pose: `python -m benchmarks.six_axis`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.io import DHRow, from_dh
from tarsus.model import Model

ROBOTS = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
PUMA_560 = ((0, 90, 0.672), (0.4318, 0, 0), (0.0203, -90, 0.15005), (0, 90, 0.4318), (0, -90, 0), (0, 0, 0.05625))
FANUC_CRX_10IA = ((0, -90, 0.245), (0.54, 180, 0), (0, -90, 0), (0, 90, -0.54), (0, -90, 0.15), (0, 180, -0.16))
DEGENERATE = ((0, 90, 0), (0, 90, 0.2), (0.3, 90, 0), (0, 90, 0), (0.3, 90, 0), (0, 90, 0.2))
"""Rows (a [m], alpha [deg], d [m]); of the last one elimination has to give up for some poses."""


def dh_arm(rows: Sequence[tuple[float, float, float]]) -> Model:
    ball = ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    table = [DHRow(a, np.radians(alpha), d, kind="continuous", inertia=ball) for a, alpha, d in rows]
    return from_dh(table, convention="distal").build()


def measure(name: str, model: Model, frame: str, count: int) -> None:
    """Print a row: processor time [us] of a pose in a batch, the median and the slowest of single calls, and counts."""
    q = model.random(np.random.default_rng(0), (count,))
    poses = ts.frame_pose(model, q, frame)
    ts.ik.branches(model, frame, poses[:2])
    begin = time.thread_time()
    answer = ts.ik.branches(model, frame, poses)
    batch = (time.thread_time() - begin) / count
    singles = []
    for X in poses[:20]:
        begin = time.thread_time()
        ts.ik.branches(model, frame, X)
        singles.append(time.thread_time() - begin)
    own = np.abs(np.angle(np.exp(1j * (answer.q - q[:, None])))).max(axis=-1)
    missing = np.count_nonzero(np.where(answer.found, own, np.inf).min(axis=-1) > 1e-6)
    times = " | ".join(f"{1e6 * x:.0f}" for x in (batch, np.median(singles), max(singles)))
    told = f"{answer.count.mean():.1f} | {answer.count.max()} | {np.mean(answer.complete):.1%} | {missing}"
    print(f"| {name} | {answer.method} | {times} | {told} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="poses of each arm; a tenth of them for general arms")
    count = parser.parse_args().count
    print("| arm | method | us a pose | one call | slowest | solutions | most | complete | missing |")
    print("|---|---|---|---|---|---|---|---|---|")
    measure("ur5", ts.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf"), "ee_link", count)
    measure("puma 560", dh_arm(PUMA_560), "body6", count)
    measure("fanuc crx-10ia", dh_arm(FANUC_CRX_10IA), "body6", max(2, count // 10))
    measure("right angles and zeros", dh_arm(DEGENERATE), "body6", max(2, count // 50))


if __name__ == "__main__":
    main()
