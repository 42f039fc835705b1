"""One step of whole-body control beside TSID and PlaCo, each in its own environment: `python -m benchmarks.whole_body`.

Talos (38 freedoms) and hrp2 (36) on two feet, patches, with the centre of mass, the orientation of the trunk and the
posture as tasks, limits of all torques, positions and velocities of joints, feedback of contacts and tasks included, as
a controller calls it from Python: state in, command out. States are some steps of 1 ms after each of many pushes;
torque limits are taken smaller and smaller, so that rows become active, and ratios are told for each bucket of active
rows. Programs take turns; times are processor times of the thread that computes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table, micro, ratio
from benchmarks.ik_peers import ROBOTS, joint_values, plain, velocity_limits
from benchmarks.peers.environment import BUILT, available
from benchmarks.peers.plain_urdf import write_plain
from benchmarks.peers.worker import Worker
from benchmarks.section import Options, Section
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.contact_place import contact_place
from tarsus.model import Model

TALOS = "talos_data/robots/talos_reduced.urdf"
PEERS = ("tsid", "placo")
FRICTION = 0.6
GAINS = {"contact": 20.0, "task": 10.0}
"""Rates [1/s]; all programs have them as gain^2 of the error and 2 gain of its rate."""
WEIGHTS = {"com": 1.0, "trunk": 0.1, "posture": 0.01, "force": 1e-8}
"""Of squares, as the peers count."""
ALIKE = 0.03
"""Difference of accelerations of the centre of mass, median over states: weights of forces are not quite the same."""
SMALL = 1e-3
"""Weight of accelerations: peers have none."""
FORCES = (5.0, 1000.0)
"""Least and largest normal force of a foot [N]."""
DT = 1e-3
SHARES = (1.0, 0.3, 0.2, 0.12, 0.08)
"""Of the torque limits of the robot."""
BUCKETS = ((0, 0), (1, 3), (4, 7), (8, 99))
"""Of active rows: torques at their limit, facets of cones, normal forces and limits of joints."""
ACTIVE = 1e-6
"""Distance to a bound, relative to the weight of the robot, that counts as active."""
PUSHES, WHILE, STEPS = (0.05, 0.1, 0.2, 0.4), 0.05, 10
"""Velocities that pushes give [rad/s, m/s], the time for which they lasted [s], and steps after each of them."""
ROOM = 0.2
"""Distance of the posture to limits of joints [rad, m], which some peers do not bear to be touched."""
FLOORS, AIMS = {"tsid": 6.0, "placo": 4.5}, {"tsid": 10.0, "placo": 8.0}
SLOWEST = 3e-4
"""99th percentile of a run [s]."""
TURNS = 2
"""In which each program takes all states; the shorter time of each state counts."""
ROBOT_COUNT, BATCH_FLOOR = 1024, 2.0
METHODS = ("three-parameters", "eliminated", "multiplier")


@dataclass(frozen=True)
class Problem:
    """A robot on its feet.

    Attributes
    ----------
    model, solid : Model
        As the peers know it, and with the shapes that it stands on.
    urdf : Path
        For the peers.
    corners : ndarray, shape (4, 3)
        Of the soles, in axes of the frames `feet`.
    """

    name: str
    model: Model
    solid: Model
    urdf: Path
    q: FloatArray
    feet: tuple[str, str]
    corners: FloatArray
    trunk: str

    def torques(self, share: float) -> FloatArray:
        """Limits of all torques, shape (nv,); 50 N m where the file has none."""
        most = np.where(np.isfinite(self.model.tau_max) & (self.model.tau_max > 1.0), self.model.tau_max, 50.0)
        return np.where(self.model.actuated, share * most, np.inf)

    def body(self, share: float, method: Any = "reduced") -> WholeBody:
        """Our controller."""
        model, q = self.model, self.q
        contacts = [
            Contact(
                foot, self.corners, friction=FRICTION, pose=ts.frame_pose(model, q, foot), gain=GAINS["contact"],
                min_force=FORCES[0], max_force=FORCES[1],
            )
            for foot in self.feet
        ]  # fmt: skip
        gain = GAINS["task"]
        tasks = [
            ts.tasks.CenterOfMass(ts.center_of_mass(model, q), weight=WEIGHTS["com"] ** 0.5, gain=gain),
            ts.tasks.Orientation(
                self.trunk, ts.frame_pose(model, q, self.trunk)[:3, :3], weight=WEIGHTS["trunk"] ** 0.5, gain=gain
            ),
            ts.tasks.Posture(q, weight=WEIGHTS["posture"] ** 0.5, gain=gain),
        ]
        limits = self.torques(share)
        return WholeBody(model, tasks, contacts, method=method, torque_limits=limits, acceleration_weight=SMALL)

    def push(self, rng: np.random.Generator) -> FloatArray:
        """A random velocity that leaves the feet where they are, shape (nv,)."""
        J = np.concatenate([ts.jacobian(self.model, self.q, foot) for foot in self.feet])
        v = rng.normal(size=self.model.nv)
        return np.asarray(v - np.linalg.pinv(J) @ (J @ v))

    def states(self, count: int, seed: int = 3) -> list[tuple[FloatArray, FloatArray]]:
        """Steps after pushes: velocities that leave the feet where they are, and where they lead to in a while."""
        rng = np.random.default_rng(seed)
        model = self.model
        body, found = self.body(1.0), []
        for k in range(-(-count // STEPS)):
            v = PUSHES[k % len(PUSHES)] * self.push(rng)
            q = model.integrate(self.q, WHILE * v)
            for _ in range(STEPS):
                found.append((q, v))
                v = v + DT * body.solve(q, v).vdot
                q = model.integrate(q, DT * v)
        return found[:count]


def within(model: Model, q: FloatArray) -> FloatArray:
    """The posture with joints not nearer to their limits than `ROOM`, and in the middle of narrow ranges."""
    low, high = model.q_min, model.q_max
    room = np.minimum(ROOM, 0.5 * (high - low))
    return np.asarray(np.clip(q, low + room, high - room))


def talos() -> Problem:
    """Talos without meshes, standing."""
    path = plain(TALOS)
    model = ts.load(path, base="free")
    solid = ts.load(ROBOTS / TALOS, base="free")
    q = within(model, ts.ik.standing(solid))
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
    return Problem("talos", model, solid, path, q, ("left_sole_link", "right_sole_link"), corners, "torso_2_link")


def hrp2() -> Problem:
    """The built-in hrp2, written as URDF for the peers."""
    own = ts.robots.hrp2()
    whole = BUILT / "models" / "hrp2_with_shapes.urdf"
    whole.parent.mkdir(parents=True, exist_ok=True)
    ts.write_urdf(own, whole)
    path = write_plain(whole, BUILT / "models" / "hrp2.urdf")
    model = ts.load(path, base="free")
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
    return Problem("hrp2", model, own, path, within(model, own.reference), ("l_sole", "r_sole"), corners, "BODY")


@dataclass(frozen=True)
class Step:
    """Times of one step in one bucket of active rows [s].

    Attributes
    ----------
    rows : str
        The bucket.
    count : int
        States in it.
    median, p99 : float
    ours : float
        Median of ours for the same states.
    solved : float
        Share of them.
    """

    robot: str
    program: str
    rows: str
    count: int
    median: float
    p99: float
    ours: float
    solved: float

    @property
    def ratio(self) -> float:
        """How much longer the program takes than ours."""
        return self.median / self.ours


@dataclass(frozen=True)
class Run:
    """60 s of standing under pushes at 1 kHz: times of single steps [s]."""

    robot: str
    steps: int
    median: float
    p99: float
    worst: float


@dataclass(frozen=True)
class Batch:
    """Many robots in one call [s a robot], and one by one."""

    robot: str
    robots: int
    together: float
    apart: float

    @property
    def ratio(self) -> float:
        """Throughput."""
        return self.apart / self.together


@dataclass(frozen=True)
class Change:
    """What a controller does between steps [s]: other targets of the centre of mass, other bounds of a foot's force."""

    robot: str
    target: float
    force: float


def active_rows(problem: Problem, body: WholeBody, share: float, q: FloatArray, v: FloatArray) -> int:
    """Rows of the program that hold with equality."""
    command, model = body.solve(q, v), problem.model
    size = 9.81 * model.total_mass
    near = ACTIVE * size
    count = int((np.abs(np.abs(command.tau) - problem.torques(share)) < near)[model.actuated].sum())
    for contact in body.contacts:
        X_WF = ts.frame_pose(model, q, contact.frame)
        y = contact_place(contact, X_WF).variables(contact, X_WF, command.wrenches[contact.frame])
        count += int((contact.cone @ y < near).sum())
        count += int(abs(y[2] - contact.min_force) < near) + int(abs(y[2] - contact.max_force) < near)
    return count


def timed(call: Any, states: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[list[float], list[Any]]:
    """Processor time of each step [s], and what it gave."""
    seconds, found = [], []
    for q, v in states:
        begin = time.thread_time_ns()
        command = call(q, v)
        seconds.append((time.thread_time_ns() - begin) * 1e-9)
        found.append(command)
    return seconds, found


def compare(problem: Problem, count: int, peers: Sequence[str], methods: Sequence[str] = METHODS) -> Iterator[Step]:
    """Steps of all programs at the same states, for each bucket."""
    model, states = problem.model, problem.states(count)
    names, _ = joint_values(model, problem.q)
    joints = [model.joints[name].v_index.start for name in names]
    taken: dict[str, list[tuple[int, float, float, bool]]] = {name: [] for name in ("tarsus", *peers, *methods)}
    with ExitStack() as stack:
        workers = {peer: stack.enter_context(Worker(peer)) for peer in peers}
        speeds = velocity_limits(model)
        for peer, worker in workers.items():
            told = worker.ask(
                "stand", urdf=str(problem.urdf), names=names, q=_listed(model, names, problem.q), feet=problem.feet,
                corners=problem.corners.tolist(), friction=FRICTION / 2**0.5, gains=GAINS, forces=FORCES, dt=DT,
                weights={**WEIGHTS, "trunk_frame": problem.trunk}, torques=problem.torques(1.0)[joints].tolist(),
                velocities=[speeds[name] for name in names],
            )  # fmt: skip
            off = np.abs(np.asarray(told["com"]) - ts.center_of_mass(model, problem.q)).max()
            if off > 1e-4 or abs(told["mass"] - model.total_mass) > 1e-4:
                raise RuntimeError(f"{peer} has another robot: centre of mass {off:.3g} m away, {told['mass']} kg")
            _same_motion(problem, peer, worker, names, joints, states[::7])
        for share in SHARES:
            body = problem.body(share)
            slow = {method: problem.body(share, method) for method in methods}
            active = [active_rows(problem, body, share, q, v) for q, v in states]
            timed(body.solve, states)
            seconds, found = timed(body.solve, states)
            _add(taken["tarsus"], active, seconds, seconds, [c.success for c in found])
            for peer, worker in workers.items():
                worker.ask("limit", torques=problem.torques(share)[joints].tolist())
                pairs = [_pair(model, names, q, v) for q, v in states]
                theirs, again = [], []
                for _ in range(TURNS):
                    again.append(timed(body.solve, states)[0])
                    theirs.append(worker.ask("commands", states=pairs))
                spent = np.min([part["seconds"] for part in theirs], axis=0)
                _add(taken[peer], active, spent.tolist(), np.min(again, axis=0).tolist(), theirs[0]["solved"])
            for method, other in slow.items():
                some = states[:: max(1, len(states) // 20)]
                spent, told = timed(other.solve, some)
                picked = range(0, len(states), max(1, len(states) // 20))
                rows, own = [active[k] for k in picked], [seconds[k] for k in picked]
                _add(taken[method], rows, spent, own, [c.success for c in told])
    for program, parts in taken.items():
        yield from _rows_of(problem.name, program, parts)


def _same_motion(
    problem: Problem, peer: str, worker: Worker, names: Sequence[str], joints: Sequence[int], states: Sequence[Any]
) -> None:
    """The centre of mass is accelerated alike where limits of torques are wide: all solve one problem."""
    model, body = problem.model, problem.body(1.0)
    theirs = worker.ask("commands", states=[_pair(model, names, q, v) for q, v in states])["vdot"]
    off = []
    for (q, v), found in zip(states, theirs, strict=True):
        vdot, J = np.zeros(model.nv), ts.com_jacobian(model, q)
        vdot[:6], vdot[joints] = found[:6], found[6:]
        own = J @ body.solve(q, v).vdot
        off.append(float(np.abs(J @ vdot - own).max() / np.abs(own).max()))
    if np.median(off) > ALIKE:
        raise RuntimeError(f"{peer} accelerates the centre of mass of {problem.name} by {np.median(off):.1%} otherwise")


def _add(
    to: list[tuple[int, float, float, bool]],
    active: Sequence[int],
    seconds: Sequence[float],
    ours: Sequence[float],
    solved: Sequence[bool],
) -> None:
    to.extend(zip(active, seconds, ours, solved, strict=True))


def _rows_of(robot: str, program: str, parts: Sequence[tuple[int, float, float, bool]]) -> Iterator[Step]:
    active, seconds, ours, solved = (np.array(column) for column in zip(*parts, strict=True))
    for low, high in BUCKETS:
        here = (active >= low) & (active <= high)
        if not here.any():
            continue
        name = str(low) if low == high else f"{low} to {high}" if high < 99 else f"{low} and more"
        yield Step(
            robot,
            program,
            name,
            int(here.sum()),
            float(np.median(seconds[here])),
            float(np.percentile(seconds[here], 99)),
            float(np.median(ours[here])),
            float(np.mean(solved[here])),
        )


def _listed(model: Model, names: Sequence[str], q: FloatArray) -> list[float]:
    """Base and joints by name."""
    return [*q[:7].tolist(), *(float(q[model.joints[name].q_index.start]) for name in names)]


def _pair(model: Model, names: Sequence[str], q: FloatArray, v: FloatArray) -> tuple[list[float], list[float]]:
    rates = [*v[:6].tolist(), *(float(v[model.joints[name].v_index.start]) for name in names)]
    return _listed(model, names, q), rates


def run_under_pushes(problem: Problem, seconds: float) -> Run:
    """A robot that stands in simulation and is pushed now and then; times of its steps."""
    problem = replace(problem, model=problem.solid)
    model, body = problem.model, problem.body(1.0)
    spent: list[float] = []

    def controller(t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        begin = time.thread_time_ns()
        command = body.solve(q, v)
        spent.append((time.thread_time_ns() - begin) * 1e-9)
        return command.tau

    q, v = problem.q, np.zeros(model.nv)
    rng = np.random.default_rng(9)
    for _ in range(max(1, round(seconds))):
        v += PUSHES[1] * problem.push(rng)
        run = ts.simulate(model, q, v, duration=1.0, dt=DT, ground=ts.contact.flat(), controller=controller)
        q, v = np.array(run.q[-1]), np.array(run.v[-1])
    times = np.array(spent)
    return Run(problem.name, len(times), *(float(np.percentile(times, p)) for p in (50, 99, 100)))


def many(problem: Problem, count: int) -> Batch:
    """As many robots in one call, and one by one, on one thread."""
    body, states = problem.body(1.0), problem.states(count, 5)
    q, v = (np.array(part) for part in zip(*states, strict=True))
    together, apart = np.inf, np.inf
    for _ in range(5):
        begin = time.process_time()
        body.solve_batch(q, v, threads=1)
        together = min(together, (time.process_time() - begin) / count)
        apart = min(apart, float(np.sum(timed(body.solve, states)[0])) / count)
    return Batch(problem.name, count, together, apart)


def changes(problem: Problem, rounds: int = 300) -> Change:
    """Time of other targets and of other bounds of forces, the new task or contact included."""
    body = problem.body(1.0)
    goal = ts.center_of_mass(problem.model, problem.q)

    def aim(k: int) -> None:
        first, *others = body.tasks
        body.update(tasks=[first.with_target(target=goal + 1e-5 * k), *others])

    def load(k: int) -> None:
        first, *others = body.contacts
        body.update(contacts=[first.with_force(500.0 + k), *others])

    found = []
    for call in (aim, load):
        times = []
        for k in range(rounds):
            begin = time.thread_time_ns()
            call(k)
            times.append((time.thread_time_ns() - begin) * 1e-9)
        found.append(float(np.median(times)))
    return Change(problem.name, *found)


def _measured(options: Options) -> Iterator[Step | Run | Batch | Change]:
    peers = available(PEERS)
    for problem in (talos(), hrp2()):
        yield from compare(problem, options.rounds(200, 60), peers)
        yield run_under_pushes(problem, options.rounds(60, 5))
        yield many(problem, ROBOT_COUNT)
        yield changes(problem)


def _tables(rows: Sequence[Any]) -> list[Table]:
    steps = empty_table(
        "one step of whole-body control on two feet, from Python",
        ("robot", "program", "active rows", "states", "median, us", "99 %", "ours, us", "ratio", "solved"),
        left=("robot", "program", "active rows"),
    )
    others = empty_table("the same in use", ("robot", "what", "us", "99 %", "ratio"), left=("robot", "what"))
    for row in rows:
        if isinstance(row, Step):
            times = micro(row.median), micro(row.p99), micro(row.ours)
            steps.add_row(
                row.robot, row.program, row.rows, str(row.count), *times, ratio(row.ratio), f"{row.solved:.1%}"
            )
        elif isinstance(row, Run):
            others.add_row(
                row.robot, f"{row.steps} steps under pushes, worst {micro(row.worst)}", micro(row.median),
                micro(row.p99), "",
            )  # fmt: skip
        elif isinstance(row, Batch):
            others.add_row(row.robot, f"{row.robots} robots in one call", micro(row.together), "", ratio(row.ratio))
        elif isinstance(row, Change):
            others.add_row(row.robot, "another target of a task", micro(row.target), "", "")
            others.add_row(row.robot, "other bounds of a contact's force", micro(row.force), "", "")
    return [steps, others]


def judge_whole_body(rows: Sequence[Any]) -> list[Target]:
    """Ratios in every bucket, the slowest steps, batches."""
    targets = []
    for robot in ("talos", "hrp2"):
        for peer, floor in FLOORS.items():
            own = [row.ratio for row in rows if isinstance(row, Step) and (row.robot, row.program) == (robot, peer)]
            text = f"whole-body step, {robot}, least of all buckets: {peer} / ours (aim {AIMS[peer]:g})"
            targets.append(Target(text, floor, None, min(own, default=None)))
        p99 = next((row.p99 for row in rows if isinstance(row, Run) and row.robot == robot), None)
        text = f"whole-body steps of a run, {robot}: 99th percentile [ms]"
        targets.append(Target(text, None, 1e3 * SLOWEST, None if p99 is None else 1e3 * p99))
        together = next((row.ratio for row in rows if isinstance(row, Batch) and row.robot == robot), None)
        targets.append(Target(f"{ROBOT_COUNT} whole-body steps in one call, {robot}", BATCH_FLOOR, None, together))
    return targets


SECTION = Section("whole_body", _measured, _tables, judge_whole_body)


def main() -> None:
    """Print tables and targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    rows = list(_measured(Options(quick=parser.parse_args().quick)))
    console = Console(width=140)
    for table in _tables(rows):
        console.print(table)
    for target in judge_whole_body(rows):
        console.print(f"{target.text}: {target.measured}, asked {target.asked}, reached {target.reached}")


if __name__ == "__main__":
    main()
