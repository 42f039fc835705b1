"""A cycle of inverse kineto-dynamics from Python: Lola walks; every 1.5 ms steps are planned, stabilised and solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from benchmarks.timing import call_times
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics
from tarsus.walking.kineto_dynamics.kineto_walk_plan import known_walk
from tarsus.walking.kineto_dynamics.leg_ratio import leg_ratio
from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
from tarsus.walking.kineto_dynamics.upper_body import UpperBody
from tarsus.walking.steps.footsteps import StepLimits, footsteps
from tarsus.walking.steps.gait import Gait

MEAN, SLOWEST = 300.0, 1000.0
"""Mean and 99th percentile that a cycle may take [us]."""
GAIN, SPEED, STEP_TIME, CLEARANCE = 2e-4, 0.4, 0.8, 0.05


@dataclass(frozen=True)
class KinetoCycle:
    """Processor times of cycles [us], plans of steps included: mean and 99th percentile.

    Attributes
    ----------
    mean, slow : float
        With a stiff upper body, 18 freedoms.
    mean_swinging, slow_swinging : float
        With arms and waist in the nullspace, 28 freedoms.
    """

    mean: float
    slow: float
    mean_swinging: float
    slow_swinging: float


def measure_kineto_cycle(steps: int = 4) -> KinetoCycle:
    """Whole walks, cycle by cycle, on one thread."""
    stiff, swinging = _times(steps, False), _times(steps, True)
    return KinetoCycle(
        float(stiff.mean()), float(np.percentile(stiff, 99)), float(swinging.mean()), float(np.percentile(swinging, 99))
    )


def _times(steps: int, moves: bool) -> np.ndarray:
    biped = Biped.of(ts.robots.lola(), bend=0.1)
    upper = UpperBody.swinging(biped) if moves else None
    feet = footsteps([SPEED, 0.0, 0.0], STEP_TIME, steps, biped.width, StepLimits(0.5, 0.3, 0.4))
    half = biped.legs[0].half
    gait = Gait(STEP_TIME, 0.2, (float(half[0]), float(half[1])), settling=STEP_TIME)
    known = known_walk(biped, feet, gait, CLEARANCE, upper=upper)
    motion = InverseKinetoDynamics(ThreeMassPlan.of(known, leg_ratio(biped)), GAIN, "hybrid", upper=upper)

    def cycle(k: int) -> None:
        motion.cycle(k)
        motion.robot.advance()

    return 1e6 * call_times(len(known.times), cycle)


def kineto_table(found: KinetoCycle) -> Table:
    """Cycles with a stiff upper body and with one that moves."""
    table = empty_table(
        "lola walks by inverse kineto-dynamics, hybrid stabilisation, 1.5 ms",
        ("upper body", "us, mean", "us, 99th percentile"),
        left=("upper body",),
    )
    table.add_row("stiff", f"{found.mean:.0f}", f"{found.slow:.0f}")
    table.add_row("swinging", f"{found.mean_swinging:.0f}", f"{found.slow_swinging:.0f}")
    return table


def judge_kineto(found: KinetoCycle | None) -> list[Target]:
    """A cycle, from Python."""
    what = "lola, a cycle of inverse kineto-dynamics from Python"
    arms = f"{what}, arms swing"
    return [
        Target(f"{what}: us, mean", None, MEAN, None if found is None else found.mean),
        Target(f"{what}: us, 99th percentile", None, SLOWEST, None if found is None else found.slow),
        Target(f"{arms}: us, mean", None, MEAN, None if found is None else found.mean_swinging),
        Target(f"{arms}: us, 99th percentile", None, SLOWEST, None if found is None else found.slow_swinging),
    ]


SECTION = Section(
    "kineto",
    lambda options: iter([measure_kineto_cycle(options.rounds(8, 2))]),
    lambda found: [kineto_table(found[0])],
    lambda found: judge_kineto(found[0] if found else None),
    as_one,
)
