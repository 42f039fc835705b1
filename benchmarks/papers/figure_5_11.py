"""Figure 5.11: vertical angular momentum of Lola's walk with and without minimisation in the nullspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.plot import clean
from tarsus.arrays import FloatArray
from tarsus.dynamics import momentum_matrix
from tarsus.robots import lola
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.task_space import TaskSpace
from tarsus.walking.reference.walk_plan import WalkPlan, walk_plan
from tarsus.walking.steps.footsteps import StepLimits, footsteps
from tarsus.walking.steps.gait import Gait

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LENGTH, DURATION, GAMMA = 0.60, 0.8, 0.008
"""Of a step [m], [s], and the weight of velocities, as printed."""
BEND = 0.12
"""How much lower than it could Lola walks, in lengths of the leg."""
CLEARANCE = 0.05
"""Of swinging feet [m]."""
STEPS = 6


def measure(run: Run) -> Outcome:
    """Plan the same walk twice."""
    biped = Biped.of(lola(), bend=BEND)
    run.say("without minimisation")
    plain = _plan(biped, momentum=False)
    run.say("with minimisation")
    quiet = _plan(biped, momentum=True)
    spins = _spin(biped, plain), _spin(biped, quiet)
    peaks = [float(np.abs(spin).max()) for spin in spins]
    arm = biped.model.joints["tafl"].q_index.start
    swing = [float(np.degrees(np.ptp(walk.q[:, arm]))) for walk in (plain, quiet)]
    claims = (
        Claim(
            "a significant reduction of the resulting angular momentum",
            f"peak {peaks[0]:.2f} without, {peaks[1]:.2f} kg m²/s with it",
            peaks[1] < 0.5 * peaks[0],
            "less than half of it",
        ),
        Claim(
            "arm swinging counteracting the leg motion is the result of nullspace optimization",
            f"the left shoulder swings through {swing[0]:.0f}° without, {swing[1]:.0f}° with it",
            swing[1] > 2.0 * swing[0],
            "more than twice as far",
        ),
    )
    data = {
        "time": plain.times.tolist(),
        "angular_momentum": {"without": spins[0].tolist(), "with": spins[1].tolist()},
    }
    note = "Steps of 0.60 m in 0.8 s, as printed, of a plan; the text shows a simulation of it, and names no heights."
    return Outcome(data, claims, lambda figure: _draw(figure, plain.times, spins), note, (7.0, 3.4))


def _plan(biped: Biped, momentum: bool) -> WalkPlan:
    feet = footsteps([LENGTH / DURATION, 0.0, 0.0], DURATION, STEPS, biped.width, StepLimits(0.7, 0.3, 0.4))
    half = biped.legs[0].half
    gait = Gait(DURATION, half_sole=(float(half[0]), float(half[1])), settling=DURATION)
    space = TaskSpace.of(biped, momentum=momentum, gamma=GAMMA)
    return walk_plan(biped, feet, gait, CLEARANCE, postures=space.path)


def _spin(biped: Biped, walk: WalkPlan) -> FloatArray:
    return np.asarray(np.einsum("nj,nj->n", momentum_matrix(biped.model, walk.q)[:, 5], walk.v))


def _draw(figure: Figure, times: FloatArray, spins: tuple[FloatArray, FloatArray]) -> None:
    axes = figure.subplots()
    for spin, label, color in zip(spins, ("without", "with minimisation"), ("#c0392b", "#1d8a5b"), strict=True):
        axes.plot(times, spin, color=color, label=label)
    clean(axes, "time [s]", "vertical angular momentum [kg m²/s]", "Lola, steps of 0.60 m in 0.8 s")
    axes.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("5.11", "angular momentum, minimised in the nullspace", measure)
