"""A robot of the zoo in `tarsus.simulate`, with all defaults."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace

import numpy as np

import tarsus as ts
from benchmarks.zoo.drop import DT, DURATION, Drive, fall_energy, law, lowest, start
from benchmarks.zoo.outcome import Outcome
from benchmarks.zoo.robots import Robot
from tarsus.arrays import FloatArray
from tarsus.contact import flat
from tarsus.errors import SimulationError
from tarsus.recording.energies import total_energy

STRETCH = 0.25
"""Motion that is kept at once [s]: every step is a sample, with all contacts."""
MECHANICAL = ("kinetic", "potential", "ground_stored", "joint_stored")
"""Energies that a limp robot has and that only fall."""


def drop(robot: Robot, drive: Drive, seed: int, *, timed: bool = False) -> Outcome:
    """Let a robot go; energy and depth are looked at after every step. A timed run is one more, sampled by default."""
    q = start(robot, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what a run warns of is judged here
        outcome = _watch(robot, drive, seed, q)
        return replace(outcome, cpu=_cpu_time(robot, drive, q)) if timed and not outcome.failure else outcome


def _watch(robot: Robot, drive: Drive, seed: int, q: FloatArray) -> Outcome:
    model = robot.load()
    controller = law(model, drive, q)
    energies, depth, failure = [], 0.0, ""
    run: ts.Trajectory | None = None
    while not failure and (run is None or run.time[-1] < DURATION - 0.5 * DT):
        try:
            run = ts.simulate(model, q if run is None else None, controller=controller, ground=flat(), sample_dt=DT,
                              duration=STRETCH, resume=run, resumable=True, progress=False)  # fmt: skip
        except SimulationError as error:
            run, failure = error.trajectory, str(error)
        energies.append(_watched(run, drive))
        depth = max(depth, -float(lowest(model, run.q).min()))
    energy = np.concatenate(energies) / fall_energy(model)
    gain = float(np.max(energy - energy[0]))
    rise = float(np.max(energy - np.minimum.accumulate(energy)))
    return Outcome(robot.name, drive, "tarsus", seed, failure, gain, rise, depth)


def _watched(run: ts.Trajectory, drive: Drive) -> FloatArray:
    """Energy that must not rise, at every sample [J]."""
    if drive == "limp":
        return np.asarray(np.sum([run.energy[name] for name in MECHANICAL], axis=0))
    return run.energy["integration"] if "integration" in run.energy else total_energy(run.energy)


def _cpu_time(robot: Robot, drive: Drive, q: FloatArray) -> float:
    """CPU time of a second of motion of one robot [s]."""
    model = robot.load()
    controller = law(model, drive, q)
    begin = time.process_time()
    ts.simulate(model, q, controller=controller, ground=flat(), duration=DURATION, progress=False)
    return (time.process_time() - begin) / DURATION
