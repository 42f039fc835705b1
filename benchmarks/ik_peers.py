"""Inverse kinematics against Pink, mink and PlaCo, each in its own environment: `python -m benchmarks.ik_peers`.

Position level: random reachable poses of arms, from the same start, until every entry of the pose error is below the
tolerance. The peers are used as their examples do: a step of differential inverse kinematics within joint and velocity
limits, again and again; here with a step of time that suits them best. Ours is one call for all targets, on one thread.
Ratios are about the targets that the peer solves: its mean time of those, and that of ours in one call for just those.
One step: Talos on two feet with a target of the centre of mass, posture and limits, the same tasks and weights.
Programs take turns: peers a part of the targets each, ours all of them again; times are processor times of the thread
that computes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table, micro, ratio
from benchmarks.peers.environment import BUILT, available
from benchmarks.peers.plain_urdf import write_plain
from benchmarks.peers.worker import Worker
from benchmarks.section import Options, Section
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.model import Model

ROBOTS = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ee_link"),
}
TOLERANCES = (1e-4, 1e-6)
"""Of every entry of the pose error [m, rad]."""
MAX_STEPS = 200
"""Of a peer, for one target."""
PEER_STEP, PEER_DAMPING = 0.5, 1e-2
"""Step of time [s] and Levenberg-Marquardt damping of Pink and mink: one compromise for both arms among those that
`--tune` tries, not the best of each."""
TURNS = 10

TALOS = "talos_data/robots/talos_reduced.urdf"
FEET = ("leg_left_6_link", "leg_right_6_link")
COSTS = {"feet": 1.0, "com": 1.0, "posture": 1e-2}
STEP = 1e-2
"""Of time [s], in the step on Talos."""
STEPS_A_TARGET = 25


@dataclass(frozen=True)
class Reached:
    """How a program fared with the targets of an arm.

    Attributes
    ----------
    share : float
        Of targets solved.
    per_target, per_solved : float
        Processor time [s] of a target, and of one that was solved, all attempts counted.
    median, p90 : float or None
        Of single targets [s]; None for ours, which solves all in one call.
    steps : float
        Mean of the solved ones.
    easy, ours_easy : float or None
        Mean time of the targets that the peer solved [s], and ours for the same ones in one call.
    """

    robot: str
    program: str
    tolerance: float
    share: float
    per_target: float
    per_solved: float
    median: float | None
    p90: float | None
    steps: float
    easy: float | None = None
    ours_easy: float | None = None

    @property
    def ratio(self) -> float | None:
        """How much longer the peer takes, without what it spends on targets that it does not solve."""
        return None if self.easy is None or self.ours_easy is None else self.easy / self.ours_easy


@dataclass(frozen=True)
class Steps:
    """Times of one step [s], and the mean errors after the steps of a target: feet, centre of mass, posture."""

    program: str
    median: float
    p10: float
    p90: float
    errors: tuple[float, ...]


def plain(relative: str, floating: str | None = None) -> Path:
    name = Path(relative).stem + ("_floating" if floating else "")
    return write_plain(ROBOTS / relative, BUILT / "models" / f"{name}.urdf", floating=floating)


def one_value_joints(model: Model) -> list[str]:
    return [name for name, joint in model.joints.items() if name != "base" and joint.q_index.stop > joint.q_index.start]


def joint_values(model: Model, q: FloatArray) -> tuple[list[str], list[float]]:
    names = one_value_joints(model)
    return names, [float(q[model.joints[name].q_index.start]) for name in names]


def velocity_limits(model: Model) -> dict[str, float]:
    """Those of the file, 3 rad/s or m/s where it has none."""
    result = {}
    for name in one_value_joints(model):
        value = float(model.joints[name].v_max[0])
        result[name] = value if np.isfinite(value) and value > 0 else 3.0
    return result


def reach(robot: str, count: int, peers: Sequence[str], tolerance: float) -> list[Reached]:
    """Rows of all programs for one arm."""
    relative, frame = ARMS[robot]
    path = plain(relative)
    model = ts.load(path)
    q0 = 0.5 * (np.maximum(model.q_min, -np.pi) + np.minimum(model.q_max, np.pi))
    poses = ts.frame_pose(model, model.random(np.random.default_rng(7), (count,)), frame)
    parts = np.array_split(np.arange(count), TURNS)
    names, start = joint_values(model, q0)
    ours: dict[int, list[tuple[float, ts.ik.Answer]]] = {1: [], 30: []}
    theirs: dict[str, list[dict[str, list[Any]]]] = {peer: [] for peer in peers}
    with ExitStack() as stack:
        workers = {peer: stack.enter_context(Worker(peer)) for peer in peers}
        for peer, worker in workers.items():
            more = {"velocities": velocity_limits(model)} if peer == "mink" else {}
            settings = {"dt": PEER_STEP, "lm_damping": PEER_DAMPING}
            worker.ask("arm", urdf=str(path), frame=frame, names=names, start=start, **settings, **more)
            worker.ask("targets", poses=poses[:2].tolist(), tolerance=tolerance, max_steps=MAX_STEPS)  # warms up
        _our_turn(model, frame, poses, q0, 30, tolerance)
        for part in parts:
            for starts, taken in ours.items():
                taken.append(_our_turn(model, frame, poses, q0, starts, tolerance))
            for peer, worker in workers.items():
                answer = worker.ask("targets", poses=poses[part].tolist(), tolerance=tolerance, max_steps=MAX_STEPS)
                theirs[peer].append(answer)
    rows = [_our_row(robot, starts, tolerance, taken) for starts, taken in ours.items()]
    for peer, answers in theirs.items():
        told = {key: np.concatenate([answer[key] for answer in answers]) for key in ("seconds", "steps", "solved")}
        easy = poses[told["solved"].astype(bool)]
        again = [_our_turn(model, frame, easy, q0, 30, tolerance) for _ in range(TURNS)]
        rows.append(_their_row(robot, peer, tolerance, told, again))
    return rows


def _our_turn(
    model: Model, frame: str, poses: FloatArray, q0: FloatArray, starts: int, tolerance: float
) -> tuple[float, ts.ik.Answer]:
    begin = time.thread_time()
    answer = ts.ik.solve(model, ts.tasks.FramePose(frame, poses), q0, starts=starts, tolerance=tolerance)
    return time.thread_time() - begin, answer


def _our_row(robot: str, starts: int, tolerance: float, taken: list[tuple[float, ts.ik.Answer]]) -> Reached:
    answer = taken[0][1]
    per_target = _mean_time(taken)
    share = float(answer.success.mean())
    name = "tarsus" if starts == 30 else f"tarsus, {starts} start"
    mean = float(answer.iterations[answer.success].mean()) if share > 0 else np.nan
    return Reached(robot, name, tolerance, share, per_target, per_target / max(share, 1e-9), None, None, mean)


def _mean_time(taken: list[tuple[float, ts.ik.Answer]]) -> float:
    """Of a target [s], over all turns; not a number where there are no targets."""
    count = sum(answer.success.size for _, answer in taken)
    return sum(seconds for seconds, _ in taken) / count if count else np.nan


def _their_row(
    robot: str, peer: str, tolerance: float, told: dict[str, FloatArray], again: list[tuple[float, ts.ik.Answer]]
) -> Reached:
    """Row of a peer from what it told of all targets, and from our turns with those that it solved."""
    seconds, steps, solved = told["seconds"], told["steps"], told["solved"].astype(bool)
    return Reached(
        robot,
        peer,
        tolerance,
        float(solved.mean()),
        float(seconds.mean()),
        float(seconds.sum() / max(1, solved.sum())),
        float(np.median(seconds)),
        float(np.percentile(seconds, 90)),
        float(steps[solved].mean()) if solved.any() else np.nan,
        float(seconds[solved].mean()) if solved.any() else np.nan,
        _mean_time(again),
    )


def our_step(model: Model, q0: FloatArray, com: FloatArray) -> tuple[Callable[[FloatArray], FloatArray], list[Any]]:
    """A function that takes a configuration to the next one, and the tasks whose errors it brings down.

    The tasks have a gain of 1/dt and the weights of the peers' costs; limits of positions and velocities are kept, as
    by the peers.
    """
    gain = 1 / STEP
    feet = [ts.tasks.FramePose(f, ts.frame_pose(model, q0, f), gain=gain, weight=COSTS["feet"]) for f in FEET]
    mass = ts.tasks.CenterOfMass(com, gain=gain, weight=COSTS["com"])
    posture = ts.tasks.Posture(q0, gain=gain, weight=COSTS["posture"])
    tasks = [*feet, mass, posture]
    return ts.ik.Stepper(model, tasks, dt=STEP, limits=ts.ik.Limits()), tasks


def one_step(rounds: int, peers: Sequence[str]) -> list[Steps]:
    """Times of steps on Talos, ours first."""
    path, hanging = plain(TALOS), plain(TALOS, floating="base_link")
    model = ts.load(path, base="free")
    q0 = ts.ik.standing(ts.load(ROBOTS / TALOS, base="free"))  # the plain file has no soles to stand on
    names, values = joint_values(model, q0)
    base = q0[:7].tolist()
    offsets = np.random.default_rng(0).uniform(-1, 1, (rounds, 3)) * [0.02, 0.03, 0.05]
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in ("tarsus", *peers)}
    with ExitStack() as stack:
        workers = {peer: stack.enter_context(Worker(peer)) for peer in peers}
        for peer, worker in workers.items():
            own = {"urdf": str(path), "feet": FEET}
            if peer == "mink":
                own |= {"urdf": str(hanging), "velocities": velocity_limits(model)}
            told = worker.ask("humanoid", names=names, values=values, base=base, dt=STEP, costs=COSTS, **own)
            _same_place(peer, told["com"], ts.center_of_mass(model, q0))
            worker.ask("steps", offsets=[[0.0, 0.0, 0.0]], count=STEPS_A_TARGET)  # warms up
        _our_steps(model, q0, np.zeros(3))
        for offset in offsets:
            taken["tarsus"].append(_our_steps(model, q0, offset))
            for peer, worker in workers.items():
                taken[peer].append(worker.ask("steps", offsets=[offset.tolist()], count=STEPS_A_TARGET))
    return [_steps_row(name, parts) for name, parts in taken.items()]


def _same_place(peer: str, com: Sequence[float], own: FloatArray) -> None:
    """All programs have the same robot in the same posture."""
    off = float(np.abs(np.asarray(com) - own).max())
    if off > 1e-4:
        raise RuntimeError(f"{peer} has the centre of mass {off:.3g} m from where it is here; the robots differ")


def _our_steps(model: Model, q0: FloatArray, offset: FloatArray) -> dict[str, Any]:
    step, tasks = our_step(model, q0, ts.center_of_mass(model, q0) + offset)
    q, seconds = q0, []
    for _ in range(STEPS_A_TARGET):
        begin = time.thread_time_ns()
        q = step(q)
        seconds.append((time.thread_time_ns() - begin) * 1e-9)
    return {"seconds": seconds, "errors": [[float(np.linalg.norm(task.error(model, q))) for task in tasks]]}


def _steps_row(program: str, parts: list[dict[str, Any]]) -> Steps:
    seconds = np.concatenate([part["seconds"] for part in parts])
    errors = np.mean(np.concatenate([part["errors"] for part in parts]), axis=0)
    low, middle, high = (float(x) for x in np.percentile(seconds, [10, 50, 90]))
    return Steps(program, middle, low, high, tuple(float(x) for x in errors))


def tune(robot: str, peer: str, count: int = 40) -> None:
    """Print what other steps of time and dampings give."""
    global PEER_STEP, PEER_DAMPING
    for PEER_STEP in (0.05, 0.1, 0.2, 0.5, 1.0):
        for PEER_DAMPING in (0.0, 1e-3, 1e-2):
            row = reach(robot, count, [peer], 1e-4)[-1]
            print(
                f"{robot} {peer} dt {PEER_STEP} damping {PEER_DAMPING}: {row.share:.1%}, {1e3 * row.per_solved:.2f} ms"
            )


def tell_reached(rows: Sequence[Reached]) -> None:
    print(
        "| robot | program | tolerance | solved | steps | us a target | median | 90 % | us if solved | ours | ratio |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        parts = (row.per_target, row.median, row.p90, row.easy, row.ours_easy)
        times = " | ".join("" if x is None else f"{1e6 * x:.0f}" for x in parts)
        times_ours = "" if row.ratio is None else f"{row.ratio:.1f}"
        who = f"{row.robot} | {row.program} | {row.tolerance:g}"
        print(f"| {who} | {row.share:.1%} | {row.steps:.1f} | {times} | {times_ours} |")


def tell_steps(rows: Sequence[Steps]) -> None:
    print("| program | median us | 10 % | 90 % | ratio | left: feet | centre of mass | posture |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        times = " | ".join(f"{1e6 * x:.0f}" for x in (row.median, row.p10, row.p90))
        left = f"{max(row.errors[:2]):.1e} | {row.errors[2]:.1e} | {row.errors[3]:.1e}"
        print(f"| {row.program} | {times} | {row.median / rows[0].median:.1f} | {left} |")


def our_share(count: int) -> dict[str, float]:
    """Share of random reachable poses that one call with default settings solves."""
    models = {robot: (ts.load(plain(relative)), frame) for robot, (relative, frame) in ARMS.items()}
    hrp2 = ts.robots.hrp2(base="fixed")
    models |= {f"hrp2 {frame}": (hrp2, frame) for frame in ("l_hand", "r_hand")}
    result = {}
    for name, (model, frame) in models.items():
        poses = ts.frame_pose(model, model.random(np.random.default_rng(5), (count,)), frame)
        result[name] = float(np.mean(ts.ik.solve(model, ts.tasks.FramePose(frame, poses)).success))
    return result


REACH_FLOOR, SHARE_FLOOR = 20.0, 0.995
STEP_FLOORS = {"placo": 3.0, "pink": 20.0, "mink": 15.0}
"""Time of a peer over ours that is wanted, of targets and of a step; and share of targets to be solved."""


@dataclass(frozen=True)
class Share:
    """Part of random reachable poses that one call with default settings solves."""

    robot: str
    share: float


def _measured(options: Options) -> Iterator[Share | Reached | Steps]:
    count = options.rounds(1000, 200)
    yield from (Share(robot, share) for robot, share in our_share(count).items())
    there = available(("placo", "pink", "mink"))
    for robot in ARMS:
        yield from reach(robot, count, [peer for peer in there if peer != "placo"], TOLERANCES[-1])
    yield from one_step(options.rounds(12, 4), there)


def _tables(rows: Sequence[Share | Reached | Steps]) -> list[Table]:
    reached = empty_table(
        f"position level, {len(ARMS)} arms, to {TOLERANCES[-1]:g}: ours in one call, peers in a loop",
        ("robot", "program", "solved", "us a target", "us if solved", "ours, us", "ratio"),
        left=("robot", "program"),
    )
    steps = empty_table(
        "one step on talos: two feet, centre of mass, posture, limits",
        ("program", "median, us", "10 %", "90 %", "ratio"),
        left=("program",),
    )
    own = next((row.median for row in rows if isinstance(row, Steps)), None)
    for row in rows:
        if isinstance(row, Reached):
            times = micro(row.per_target), micro(row.easy), micro(row.ours_easy)
            reached.add_row(row.robot, row.program, f"{row.share:.1%}", *times, ratio(row.ratio))
        elif isinstance(row, Steps) and own is not None:
            steps.add_row(row.program, micro(row.median), micro(row.p10), micro(row.p90), ratio(row.median / own))
    return [reached, steps]


def judge_inverse_kinematics(rows: Sequence[Share | Reached | Steps]) -> list[Target]:
    """Shares, ratios of targets that peers solve, ratios of a step."""
    shares = {row.robot: row.share for row in rows if isinstance(row, Share)}
    targets = [
        Target(f"{robot}: share of random reachable poses solved", SHARE_FLOOR, None, shares.get(robot))
        for robot in (*ARMS, "hrp2 l_hand", "hrp2 r_hand")
    ]
    found = {(row.robot, row.program): row.ratio for row in rows if isinstance(row, Reached)}
    targets += [
        Target(f"{robot}, poses that {peer} solves: {peer} / ours", REACH_FLOOR, None, found.get((robot, peer)))
        for robot in ARMS
        for peer in ("pink", "mink")
    ]
    medians = {row.program: row.median for row in rows if isinstance(row, Steps)}
    for peer, floor in STEP_FLOORS.items():
        measured = medians[peer] / medians["tarsus"] if peer in medians else None
        targets.append(Target(f"one step on talos: {peer} / ours", floor, None, measured))
    return targets


SECTION = Section("inverse_kinematics", _measured, _tables, judge_inverse_kinematics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="targets of each arm")
    parser.add_argument("--rounds", type=int, default=12, help="targets of the centre of mass of Talos")
    parser.add_argument("--tune", action="store_true", help="try other settings of Pink and mink")
    parser.add_argument("--json", type=Path, help="write all rows there")
    options = parser.parse_args()
    if options.tune:
        for robot in ARMS:
            for peer in ("pink", "mink"):
                tune(robot, peer)
        return
    shares = our_share(options.count)
    print("solved with default settings:", ", ".join(f"{name} {share:.1%}" for name, share in shares.items()), "\n")
    reached = [
        row for robot in ARMS for tol in TOLERANCES for row in reach(robot, options.count, ("pink", "mink"), tol)
    ]
    tell_reached(reached)
    print()
    steps = one_step(options.rounds, ("placo", "pink", "mink"))
    tell_steps(steps)
    if options.json is not None:
        rows = {"shares": shares, "reached": [asdict(row) for row in reached], "steps": [asdict(row) for row in steps]}
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
