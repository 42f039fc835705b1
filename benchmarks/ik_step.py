"""One step of velocity-level inverse kinematics, our side: `python -m benchmarks.ik_step`.

Talos (38 freedoms) with two feet, centre of mass, posture, and limits of positions and velocities, as PlaCo, Pink and
mink solve it: twelve targets of the centre of mass near that of the half-sitting pose, 25 steps of 10 ms to each;
errors are gone after one step where bounds allow (gain 1 / dt). Times are those of the thread, of single calls.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model.model import Model

TALOS, TALOS_POSES = "talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"
PANDA = "panda_description/urdf/panda.urdf"
PANDA_START = (0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8)
FEET = ("left_sole_link", "right_sole_link")
DT = 1e-2
GOALS, STEPS = 12, 25
SPREAD = np.array([0.02, 0.03, -0.05])
"""Of the targets of the centre of mass [m]."""
REACH = 0.1
"""Of the targets of the hand of Panda [m]."""
POSTURE = 1e-2
"""Weight of the posture beside 1 of the others; squares are what is minimised."""
ROBOTS = 1024

Goal = Callable[[np.random.Generator], None]


def robot_file(relative: str) -> Path:
    """File of the installed package example-robot-data."""
    root = distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")
    return Path(str(root)) / relative


def talos(hard: bool) -> tuple[Model, FloatArray, ts.ik.Stepper, Goal]:
    """Talos half sitting, its problem with feet that are hard or weighted, and what changes the target."""
    model = ts.load(robot_file(TALOS), base="free", srdf=robot_file(TALOS_POSES))
    q = model.poses["half_sitting"]
    gain = 1.0 / DT
    feet = [ts.tasks.FramePose(foot, ts.frame_pose(model, q, foot), gain=gain) for foot in FEET]
    place = ts.center_of_mass(model, q)
    others = [ts.tasks.CenterOfMass(place, gain=gain), ts.tasks.Posture(q, weight=POSTURE, gain=gain)]
    step = ts.ik.Stepper(model, [feet, others] if hard else [*feet, *others], dt=DT, limits=ts.ik.Limits())
    target = step.target(2)

    def aim(rng: np.random.Generator) -> None:
        target[:] = place + SPREAD * rng.uniform(-1, 1, 3)

    return model, q, step, aim


def panda() -> tuple[Model, FloatArray, ts.ik.Stepper, Goal]:
    """Panda with the pose of its hand, posture and limits."""
    model = ts.load(robot_file(PANDA))
    q = model.neutral()
    q[:7] = PANDA_START
    X = ts.frame_pose(model, q, "panda_hand")
    tasks = [ts.tasks.FramePose("panda_hand", X, gain=1.0 / DT), ts.tasks.Posture(q, weight=1e-3, gain=1.0 / DT)]
    step = ts.ik.Stepper(model, tasks, dt=DT)
    target = step.target(0)

    def aim(rng: np.random.Generator) -> None:
        target[:3] = X[:3, 3] + rng.uniform(-REACH, REACH, 3)

    return model, q, step, aim


def single_steps(start: FloatArray, step: ts.ik.Stepper, aim: Goal, rounds: int) -> dict[str, Any]:
    """Percentiles of single calls [us], and what is left of the errors in the end."""
    rng = np.random.default_rng(0)
    times = []
    for _ in range(rounds):
        for _ in range(GOALS):
            aim(rng)
            q = start
            for _ in range(STEPS):
                begin = time.thread_time_ns()
                q = step(q)
                times.append((time.thread_time_ns() - begin) / 1e3)
    a = np.array(times)
    told = {
        f"{name}_us": round(float(x), 2)
        for name, x in zip(("p50", "p90", "p99"), np.percentile(a, [50, 90, 99]), strict=True)
    }
    return {
        "best_us": round(float(a.min()), 2),
        **told,
        "residuals": step.residuals.round(9).tolist(),
        "status": step.status,
    }


def batch_steps(model: Model, start: FloatArray, step: ts.ik.Stepper, threads: int) -> dict[str, Any]:
    """Processor time of a step of one of many robots [us]."""
    rng = np.random.default_rng(1)
    q = model.integrate(start, 0.02 * rng.normal(size=(ROBOTS, model.nv)))
    times = []
    for _ in range(5):
        begin, wall = time.process_time(), time.perf_counter()
        step.solve(q, threads=threads)
        times.append((time.process_time() - begin, time.perf_counter() - wall))
    cpu, wall = np.array(times).min(axis=0) / ROBOTS * 1e6
    return {"robots": ROBOTS, "threads": threads, "cpu_us": round(float(cpu), 2), "wall_us": round(float(wall), 2)}


def measure(rounds: int) -> dict[str, Any]:
    """Everything."""
    found: dict[str, Any] = {}
    for name, problem in (
        ("talos, weighted feet", talos(False)),
        ("talos, hard feet", talos(True)),
        ("panda", panda()),
    ):
        model, q, step, aim = problem
        found[name] = {"nv": model.nv, "single": single_steps(q, step, aim, rounds)}
        found[name]["batch"] = batch_steps(model, q, step, 2)
    return found


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times all targets")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print("| problem | nv | best | median | 90 % | 99 % [us] | of 1024 robots, CPU [us] |")
    print("|---|---|---|---|---|---|---|")
    for name, row in found.items():
        s = row["single"]
        times = " | ".join(str(s[f"{name}_us"]) for name in ("best", "p50", "p90", "p99"))
        print(f"| {name} | {row['nv']} | {times} | {row['batch']['cpu_us']} |")


if __name__ == "__main__":
    main()
