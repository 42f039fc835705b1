"""The walks of figures 5.21 to 5.29: Lola, steps of 0.8 s, of 0.40 m each or growing to 0.55 m."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.papers.figure import Run
from tarsus.arrays import FloatArray
from tarsus.robots import lola
from tarsus.walking.biped.biped import Biped
from tarsus.walking.kineto_dynamics.compensated import compensated_motion, planned_motion, previewed_motion
from tarsus.walking.kineto_dynamics.generated_motion import GeneratedMotion
from tarsus.walking.kineto_dynamics.inverse_kineto_dynamics import InverseKinetoDynamics, Stabilised
from tarsus.walking.kineto_dynamics.kineto_walk_plan import known_walk
from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
from tarsus.walking.kineto_dynamics.leg_ratio import fitted_leg_ratio, leg_ratio
from tarsus.walking.kineto_dynamics.three_mass_plan import ThreeMassPlan
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Gait

STEP_TIME, DOUBLE_SUPPORT, CLEARANCE = 0.8, 0.2, 0.05
"""Of a step [s], part of it on both feet, height of swings [m]."""
FEW = (0.2, 0.2)
"""Lengths of the steps of a quick run [m]."""


class Walk(NamedTuple):
    """Steps of Lola.

    Attributes
    ----------
    lengths : tuple of float
        Of the steps, the first and the last from and to rest [m].
    bend : float
        How much lower than she could she walks, in lengths of the leg.
    ratio : float or None
        m_l / m of one leg; None where it is fitted to the motion of three masses, before anything else is known.
    """

    lengths: tuple[float, ...]
    bend: float
    ratio: float | None


STEADY = Walk((0.2, *[0.4] * 8, 0.2), 0.1, 0.055)
"""Of figures 5.21 to 5.24, whose steps the text does not tell; the ratio that follows longest in figure 5.21."""
GROWING = Walk((0.2, 0.4, 0.45, 0.5, 0.55, 0.55, 0.55, 0.55, 0.4, 0.2), 0.12, None)
"""Of the text's experiments."""
GAINS = (0.0, 1e-4, 2e-4, 1e-3, 1e-2)
"""Overall gains k of figures 5.23 and 5.24."""
RED, GREEN, BLUE, ORANGE, GREY = "#c0392b", "#1d8a5b", "#1f6fb2", "#d9822b", "#8a8a8a"


def stepped(biped: Biped, lengths: Sequence[float]) -> list[Footstep]:
    """Footsteps straight ahead of given lengths [m]; the last one brings the feet together."""
    half = biped.width / 2
    feet = [Footstep(True, np.array([0.0, half, 0.0]), 0.0), Footstep(False, np.array([0.0, -half, 0.0]), 0.0)]
    for place in (*np.cumsum(lengths), float(np.sum(lengths))):
        left = not feet[-1].left
        feet.append(Footstep(left, np.array([float(place), half if left else -half, 0.0]), 0.0))
    return feet


def known(run: Run, walk: Walk = STEADY) -> KnownMotion:
    """What is known of a walk, whatever its ratio."""

    def made() -> KnownMotion:
        biped = Biped.of(lola(), bend=walk.bend)
        half = biped.legs[0].half
        gait = Gait(STEP_TIME, DOUBLE_SUPPORT, (float(half[0]), float(half[1])), settling=STEP_TIME)
        return known_walk(biped, stepped(biped, run.choose(FEW, walk.lengths)), gait, CLEARANCE, late=False)

    return run.once(("kineto walk", walk.lengths, walk.bend), made)


def plan(run: Run, walk: Walk = STEADY) -> ThreeMassPlan:
    """Collocation with the masses of its legs."""
    return run.once(("kineto plan", walk), lambda: ThreeMassPlan.of(known(run, walk), ratio(run, walk)))


def ratio(run: Run, walk: Walk) -> float:
    """m_l / m of a walk: its own, or that which foretells the divergent component best (`fitted_leg_ratio`)."""

    def made() -> float:
        own = known(run, walk)
        return fitted_leg_ratio(planned_motion(ThreeMassPlan.of(own, leg_ratio(own.biped))))

    return walk.ratio if walk.ratio is not None else run.once(("kineto ratio", walk), made)


def motion(run: Run, stabilised: Stabilised, k: float = 0.0, walk: Walk = STEADY) -> GeneratedMotion:
    """A motion by inverse kineto-dynamics."""

    def made() -> GeneratedMotion:
        run.say(f"inverse kineto-dynamics, stabilised: {stabilised}, k = {k:g}, m_l / m = {ratio(run, walk):.3g}")
        return InverseKinetoDynamics(plan(run, walk), k, stabilised).run()

    return run.once(("kineto motion", stabilised, k, walk), made)


def others(run: Run, walk: Walk) -> dict[str, GeneratedMotion]:
    """Motions whose centre of mass was planned: by three masses alone, with error compensation, with preview."""

    def made() -> dict[str, GeneratedMotion]:
        run.say("three masses, error compensation, second pass of preview control")
        own = plan(run, walk)
        first = planned_motion(own)
        return {
            "three masses": first,
            "error compensation": compensated_motion(own, first=first),
            "preview": previewed_motion(own, first=first),
        }

    return run.once(("kineto others", walk), made)


def walking(found: KnownMotion) -> tuple[float, float]:
    """From the third lift-off to the third touch-down from the end, or all steps where there are few [s]."""
    steps = [phase for phase in found.phases if phase.swing is not None]
    return (steps[2].start, steps[-3].end) if len(steps) > 6 else (steps[0].start, steps[-1].end)


def double_supports(found: KnownMotion) -> list[tuple[float, float]]:
    """When both feet stand between steps [s]."""
    return [(phase.start, phase.end) for phase in found.phases[1:-1] if phase.swing is None]


def sizes(error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest and root mean square values, shape (2,) each."""
    return np.abs(error).max(axis=0), np.sqrt(np.mean(error**2, axis=0))
