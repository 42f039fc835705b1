"""Lola walks on sensors at a cycle of 1.5 ms: her controller from Python, a call of the planner, the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.section import Section, as_one
from benchmarks.target import Target
from benchmarks.timing import call_times
from tarsus.contact import ViscoElasticSole, flat
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.scenarios.model_errors import heavier
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.analytic import Analytic
from tarsus.walking.stabilizer.sensing.perception import SensedState
from tarsus.walking.stabilizer.walk_controller import WalkController
from tarsus.walking.steps.footsteps import StepLimits, footsteps
from tarsus.walking.steps.gait import Gait
from tarsus.walking.walker.drive_loop import steps_of

CYCLE, STEP_TIME, CLEARANCE, SPEED = 1.5e-3, 0.8, 0.05, 2.5 / 3.6
"""Of Lola's controller [s] and of her walk at 2.5 km/h [s, m, m/s] (Buschmann 2014)."""
AHEAD, KNOTS = 3, 5e-3
"""Steps that a call of the planner looks ahead, and its time between knots [s]: those of plans on the way."""
MEAN, SLOWEST, PLAN, REAL_TIME = 300.0, 1000.0, 1000.0, 0.5
"""Mean and 99th percentile that a cycle may take, a call of the planner [us], and a second of the walk [s]."""


@dataclass(frozen=True)
class WalkTimes:
    """Processor times of one thread.

    Attributes
    ----------
    mean, slow : float
        Cycle of the controller with perception, mean and 99th percentile [us].
    plan, slow_plan : float
        Call of the planner, the same [us].
    second, driven : float
        Of a simulated second, all included but the plan [s]; with drives, visco-elastic soles and wrong masses.
    """

    mean: float
    slow: float
    plan: float
    slow_plan: float
    second: float
    driven: float


def measure_walk(steps: int = 10, plans: int = 1000) -> WalkTimes:
    """A walk cycle by cycle, and plans of its next steps again and again."""
    cycles, second = _walked(steps)
    calls = 1e6 * call_times(plans, _planner_call())
    return WalkTimes(
        float(cycles.mean()),
        float(np.percentile(cycles, 99)),
        float(calls.mean()),
        float(np.percentile(calls, 99)),
        second,
        _driven(steps),
    )


def _driven(steps: int) -> float:
    """Of a second of the walk with everything that the text has [s]."""
    walker = ts.walking.Walker(ts.robots.lola(), step_time=STEP_TIME, clearance=CLEARANCE, control_dt=CYCLE)
    robot = heavier(walker.biped.model, 0.05)
    drives, ground = ts.actuators.servo_drives(robot), flat(law=ViscoElasticSole())
    plan, choice = walker.plan(SPEED, steps=steps)
    begin = time.thread_time()
    outcome = walker.follow(plan, choice, sensed=True, simulated=robot, drives=drives, ground=ground, progress=False)
    return (time.thread_time() - begin) / float(outcome.trajectory.time[-1])


def _walked(steps: int) -> tuple[np.ndarray, float]:
    """Times of cycles, shape (n,) [us], and of a second of the run [s]."""
    walker = ts.walking.Walker(ts.robots.lola(), step_time=STEP_TIME, clearance=CLEARANCE, control_dt=CYCLE)
    plan, choice = walker.plan(SPEED, steps=steps)
    told = SensedState(walker.biped, plan.q[0], CYCLE)
    control = WalkController(walker.biped, plan, CYCLE, choice.clearance, perception=told)
    found: list[float] = []

    def timed(observation: Observation) -> JointLaw:
        begin = time.thread_time()
        law = control(observation)
        found.append(time.thread_time() - begin)
        return law

    begin = time.thread_time()
    run = ts.simulate(
        walker.biped.model, plan.q[0], duration=int(plan.duration / CYCLE) * CYCLE, controller=timed, control_dt=CYCLE,
        dt=CYCLE / steps_of(CYCLE), ground=flat(), contacts=walker.biped.soles, sensors=told.sensors, progress=False,
    )  # fmt: skip
    return 1e6 * np.array(found), (time.thread_time() - begin) / float(run.time[-1])


def _planner_call() -> Callable[[int], object]:
    """Plan the next steps from a state on the way."""
    biped = ts.walking.Biped.of(ts.robots.lola())
    half = biped.legs[0].half
    gait = Gait(STEP_TIME, 0.2, (float(half[0]), float(half[1])), settling=STEP_TIME)
    feet = footsteps([SPEED, 0.0, 0.0], STEP_TIME, AHEAD, biped.width, StepLimits(0.6, 0.3, 0.4))
    path, planner = gait.pressure_path(feet), Analytic(LinearInvertedPendulum(biped.height, biped.gravity), KNOTS)
    start = MassState(np.array([0.01, 0.0]), np.array([0.1, 0.0]))
    return lambda _: planner.plan(path, start)


def walk_table(found: WalkTimes) -> Table:
    """Cycle, plan and run."""
    table = empty_table(
        "lola walks at 2.5 km/h on sensors, cycle of 1.5 ms", ("", "us, mean", "us, 99th percentile"), left=("",)
    )
    table.add_row("cycle of the controller", f"{found.mean:.0f}", f"{found.slow:.0f}")
    table.add_row(f"call of the planner, {AHEAD} steps", f"{found.plan:.0f}", f"{found.slow_plan:.0f}")
    table.add_row("a second of the run", f"{1e6 * found.second:.0f}", "")
    table.add_row("the same with drives, soles, wrong masses", f"{1e6 * found.driven:.0f}", "")
    return table


def judge_walk(found: WalkTimes | None) -> list[Target]:
    """A walk, from Python."""

    def row(what: str, most: float, name: str) -> Target:
        return Target(f"lola walks on sensors, {what}", None, most, None if found is None else getattr(found, name))

    return [
        row("control cycle: us, mean", MEAN, "mean"),
        row("control cycle: us, 99th percentile", SLOWEST, "slow"),
        row("call of the planner: us, mean", PLAN, "plan"),
        row("a second of the run: s of one core", REAL_TIME, "second"),
    ]


SECTION = Section(
    "walking",
    lambda options: iter([measure_walk(options.rounds(10, 4), options.rounds(1000, 200))]),
    lambda found: [walk_table(found[0])],
    lambda found: judge_walk(found[0] if found else None),
    as_one,
)
