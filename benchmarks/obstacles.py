"""Lola steps over a beam: the cycle of the reactive layer, and the laws of Buschmann 2014, 5.4, side by side.

A cycle is what is new between two set-points: distances with filtered Jacobians, potentials, the modification of the
foot, and inverse kinematics. Times are those of the thread, single calls from Python near the beam.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from tarsus.arrays import FloatArray
from tarsus.walking.obstacles.experiments import CYCLE, STEP_TIME, beam
from tarsus.walking.obstacles.law_comparison import LawOutcome, compare_laws
from tarsus.walking.obstacles.obstacle_plan import ObstaclePlan, plan_past_obstacles
from tarsus.walking.obstacles.reactive_avoidance import ReactiveAvoidance, displaced
from tarsus.walking.stabilizer.joint_setpoints import JointSetpoints
from tarsus.walking.walker.gait.gait_choice import GaitChoice

SPEED, STEPS, CLEARANCE = 0.3, 5, 0.05
"""Of the walk [m/s, 1, m]."""
NEAR = 0.9
"""Where the beam stands [m]."""


@dataclass(frozen=True)
class ObstacleCycle:
    """Times of a cycle [us], and laws side by side.

    `reactive` is the reactive layer alone, `whole` with inverse kinematics: mean and 99th percentile.
    """

    reactive: tuple[float, float]
    whole: tuple[float, float]
    laws: dict[str, LawOutcome]


def measure_obstacles(rounds: int = 10) -> ObstacleCycle:
    """Cycles along the swings past the beam, again and again."""
    biped = ts.walking.Biped.of(ts.robots.lola())
    plan = plan_past_obstacles(biped, [beam(NEAR)], SPEED, STEPS, GaitChoice(STEP_TIME, 0.2, CLEARANCE))
    samples = np.concatenate([_cycles(plan) for _ in range(rounds)])
    mean, late = samples.mean(axis=0), np.percentile(samples, 99, axis=0)
    laws = compare_laws(plan)
    return ObstacleCycle((float(mean[0]), float(late[0])), (float(mean[1]), float(late[1])), laws)


def _cycles(plan: ObstaclePlan) -> FloatArray:
    """Times of the reactive layer and of the whole cycle, shape (n, 2) [us], where a foot is near the beam."""
    walk, biped = plan.walk, plan.walk.biped
    avoidance, setpoints = ReactiveAvoidance(biped, plan.obstructions, CYCLE), JointSetpoints(biped, CYCLE)
    found = []
    for number, phase in enumerate(walk.phases):
        if phase.swing is None:
            continue
        foot, own = int(not phase.swing[1].left), np.flatnonzero(walk.feet.phase == number)
        avoidance.lift()
        for k in own:
            q, t = walk.q[k][biped.lower.q], float(walk.times[k])
            soles = [ts.frame_pose(biped.model, walk.q[k], leg.sole) for leg in biped.legs]
            base = ts.frame_pose(biped.lower.model, q, next(iter(biped.lower.model.bodies)))
            looked, begin = avoidance.looked, time.thread_time()
            e = avoidance.step(foot, q, t, (t - phase.start) / (phase.end - phase.start), phase.end - t)
            soles[foot] = displaced(soles[foot], e)
            middle = time.thread_time()
            setpoints.solve(soles[0], soles[1], base, q[:7])
            if avoidance.looked > looked:
                found.append((middle - begin, time.thread_time() - begin))
    return 1e6 * np.array(found)


def obstacle_tables(result: ObstacleCycle) -> list[Table]:
    """Cycle and laws."""
    cycle = empty_table("Lola over a beam: cycle of 2 ms from Python", ("", "mean, us", "99 %, us"), left=("",))
    cycle.add_row("reactive avoidance", *(f"{x:.0f}" for x in result.reactive))
    cycle.add_row("with inverse kinematics", *(f"{x:.0f}" for x in result.whole))
    laws = empty_table(
        "laws of task-space modification, foot 2 cm from the beam",
        ("", "us", "fall of H by w'", "at the centre of mass, m/s", "at the foot that stands, m/s"),
        left=("",),
    )
    for name, law in result.laws.items():
        laws.add_row(name, f"{law.time:.1f}", f"{law.fall:.3g}", f"{law.com:.2g}", f"{law.stance:.2g}")
    return [cycle, laws]


def judge_obstacles(result: ObstacleCycle | None) -> list[Target]:
    """Cycles in real time."""
    mean, late = (None, None) if result is None else result.whole
    return [
        Target("lola, obstacle cycle from Python, mean [us]", None, 300.0, mean),
        Target("lola, obstacle cycle from Python, 99th percentile [us]", None, 1000.0, late),
    ]


SECTION = Section(
    "obstacles",
    lambda options: iter([measure_obstacles(options.rounds(10, 2))]),
    lambda found: obstacle_tables(found[0]),
    lambda found: judge_obstacles(found[0] if found else None),
    as_one,
)
