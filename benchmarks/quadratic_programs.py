"""Warm-started sequences of quadratic programs from Python: ours beside bare DAQP.

The programs have the shape of whole-body control with contact wrenches (32 variables, 98 two-sided rows: 32 of
torques, 32 of accelerations, 34 of contact cones) and random numbers that change a little from program to program: all
of them, or the gradient and the bounds only. Times are those of the processor, calls take turns, the best of all rounds
counts for each program. Bare DAQP is called in the fastest way there is: a workspace that is updated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import daqp
import numpy as np
from rich.table import Table

from benchmarks.cells import difference, empty_table, micro, ratio
from benchmarks.section import Section
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.optimization import QP

VARIABLES, TORQUES, CONES = 32, 32, 34
TASKS = 12
PROGRAMS = 100
FEW, MANY = 1.8, 1.4
"""Widths of the bounds that make about 8 rows active, as in whole-body control, and about 19."""
TARGETED = "all new, few rows active"
"""The sequence that targets are about."""
CHANGE = 0.02
"""Change of matrices from program to program, relative to their entries."""

Program = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""H, g, A, lower, upper"""


@dataclass(frozen=True)
class ProgramRow:
    """Processor times of one program [s], medians over a sequence: new numbers and a warm solution.

    Attributes
    ----------
    active : float
        Active rows, on the average.
    disagreement : float
        Largest difference of the optima from those of bare DAQP, relative to the largest entry.
    """

    what: str
    active: float
    bare: float
    native: float
    through_us: float
    disagreement: float

    @property
    def ratio(self) -> float:
        """Bare DAQP / native."""
        return self.bare / self.native

    @property
    def overhead(self) -> float:
        """DAQP through `QP` / bare DAQP."""
        return self.through_us / self.bare


def sequence(width: float, whole: bool = True, count: int = PROGRAMS, seed: int = 0) -> list[Program]:
    """Programs that change a little from one to the next; with the same H and A where not the `whole` changes."""
    rng = np.random.default_rng(seed)
    n = VARIABLES
    J, target = rng.standard_normal((TASKS, n)), 6.0 * rng.standard_normal(TASKS)
    torque, cone = rng.standard_normal((TORQUES, n)), rng.standard_normal((CONES, n))
    limit = width * np.concatenate([np.full(TORQUES, 4.0), np.full(n, 2.0), np.full(CONES, 3.0)])
    programs = []
    for _ in range(count):
        if whole:
            J, torque, cone = (a + CHANGE * rng.standard_normal(a.shape) for a in (J, torque, cone))
        target = target + 10.0 * CHANGE * rng.standard_normal(TASKS)
        upper = limit * (1.0 + CHANGE * rng.standard_normal(len(limit)))
        A = np.vstack([torque, np.eye(n), cone])
        programs.append((J.T @ J + 0.1 * np.eye(n), -J.T @ target, A, -upper, upper))
    return programs


def contestants(programs: Sequence[Program], whole: bool) -> dict[str, Callable[[Program], FloatArray]]:
    """Calls that bring in a program and return its optimum; `whole`: all arrays change, otherwise g and bounds."""
    H, g, A, lower, upper = programs[0]
    model = daqp.Model()
    model.setup(H, g, A, upper, lower, np.zeros(len(lower), dtype=np.intc))
    model.solve()
    native, through_us = QP(H, g, A, lower, upper), QP(H, g, A, lower, upper)

    def bare(program: Program) -> FloatArray:
        H, g, A, lower, upper = program
        if whole:
            model.update(H, g, A, upper, lower)
        else:
            model.update(None, g, None, upper, lower)
        x: FloatArray = model.solve()[0]
        return x

    def ours(qp: QP, backend: str) -> Callable[[Program], FloatArray]:
        def solve(program: Program) -> FloatArray:
            H, g, A, lower, upper = program
            if whole:
                qp.update(H=H, g=g, A=A, lower=lower, upper=upper)
            else:
                qp.update(g=g, lower=lower, upper=upper)
            return qp.solve(backend, warm=True).x

        return solve

    return {"bare": bare, "native": ours(native, "native"), "through_us": ours(through_us, "daqp")}


def measure_sequence(what: str, width: float, whole: bool, rounds: int) -> ProgramRow:
    """One sequence by everybody in turn."""
    programs = sequence(width, whole)
    calls = contestants(programs, whole)
    found = {name: [call(program) for program in programs] for name, call in calls.items()}
    scale = max(float(np.abs(x).max()) for x in found["bare"])
    worst = max(
        float(np.abs(a - b).max()) / scale
        for name in ("native", "through_us")
        for a, b in zip(found[name], found["bare"], strict=True)
    )
    active = np.mean([np.count_nonzero(QP(*program).solve("native").active) for program in programs])
    best = {name: np.full(len(programs), np.inf) for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            for i, program in enumerate(programs):
                begin = time.thread_time_ns()
                call(program)
                best[name][i] = min(best[name][i], time.thread_time_ns() - begin)
    times = {name: float(np.median(ns)) * 1e-9 for name, ns in best.items()}
    return ProgramRow(what, float(active), times["bare"], times["native"], times["through_us"], worst)


def measure_programs(rounds: int = 20) -> list[ProgramRow]:
    """Few and many active rows with all numbers new, and new gradients and bounds only."""
    return [
        measure_sequence(TARGETED, FEW, True, rounds),
        measure_sequence("all new, many rows active", MANY, True, rounds),
        measure_sequence("gradient and bounds new", FEW, False, rounds),
    ]


def program_table(rows: Iterable[ProgramRow]) -> Table:
    """Sequences of quadratic programs."""
    table = empty_table(
        "quadratic programs from Python: 32 variables, 98 rows, warm",
        (
            "sequence",
            "active",
            "native, us",
            "daqp through QP, us",
            "bare daqp, us",
            "bare / native",
            "through QP / bare",
            "difference",
        ),
        left=("sequence",),
    )
    for row in rows:
        times = micro(row.native), micro(row.through_us), micro(row.bare)
        ratios = ratio(row.ratio), ratio(row.overhead), difference(row.disagreement)
        table.add_row(row.what, f"{row.active:.1f}", *times, *ratios)
    return table


def judge_programs(programs: Sequence[ProgramRow]) -> list[Target]:
    """Warm-started quadratic programs with 32 variables and 98 rows, against bare DAQP."""
    row = next((row for row in programs if row.what == TARGETED), None)
    what = f"quadratic programs, {TARGETED}"
    return [
        Target(f"{what}: bare daqp / native", 2.0, None, None if row is None else row.ratio),
        Target(f"{what}: daqp through QP / bare daqp", None, 1.3, None if row is None else row.overhead),
    ]


SECTION = Section(
    "programs",
    lambda options: iter(measure_programs(options.rounds(20, 5))),
    lambda rows: [program_table(rows)],
    judge_programs,
)


if __name__ == "__main__":
    for row in measure_programs():
        print(
            f"{row.what} ({row.active:.1f} active): bare DAQP {1e6 * row.bare:.1f} us, "
            f"native {1e6 * row.native:.1f} us ({row.ratio:.2f} times faster), "
            f"DAQP through QP {1e6 * row.through_us:.1f} us ({row.overhead:.2f} times), "
            f"difference {row.disagreement:.1e}"
        )
