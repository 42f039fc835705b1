"""Whether a robot that walks recovers from a push: a scenario for push maps."""

from __future__ import annotations

import functools
import math

from tarsus.analysis.standing import named_model
from tarsus.simulation.push import Push
from tarsus.walking.biped.biped import Biped
from tarsus.walking.stabilizer.catching.catching_steps import Adapting
from tarsus.walking.walker.walker import Walker

SPEED = 0.3
"""Of the walk [m/s]."""
STEPS = 9
"""Of the walk."""
PUSHED = 3
"""Step that is pushed: in the middle of the walk, by the right foot, which leaves six to recover."""
BEGUN = 0.1
"""Part of its swing that is over when it is pushed."""


def recovers_walking(push: Push, robot: str = "robot:hrp2", adapt: Adapting = True, hips: bool = False) -> bool:
    """Whether a robot that walks at 0.3 m/s walks on after a push, to the end of nine steps, and stands then.

    Compliant ground, true state.

    Parameters
    ----------
    push : Push
        Its frame "pelvis" is the body that carries the legs. `walking_push_start` tells when a step begins.
    robot : str
        A built-in robot such as "robot:hrp2", or a model file.
    adapt : bool or {"capture", "periodic"}
        Whether and how it may step elsewhere than planned; otherwise there are ankles alone.
    hips : bool
        Whether it may turn its upper body.
    """
    return _walker(robot).walk(SPEED, steps=STEPS, pushes=[push], adapt=adapt, hips=hips, progress=False).passed


def walking_push_start(robot: str = "robot:hrp2") -> float:
    """When the right foot has just been lifted in the middle of that walk [s]: the start of pushes."""
    plan, _ = _walker(robot).plan(SPEED, steps=STEPS)
    swing = [phase for phase in plan.phases if phase.swing is not None][PUSHED]
    return round(swing.start + BEGUN * (swing.end - swing.start), 3)


def ankle_limit(biped: Biped, angle: float) -> float:
    """Change of velocity that brings the capture point of a pendulum to the edge of a sole [m/s], towards an angle.

    w d, with d from the middle of the sole to its edge (Pratt et al. 2006): what ankles alone give on one foot.
    """
    half = biped.legs[0].half
    ways = [h / abs(c) for h, c in zip(half, (math.cos(angle), math.sin(angle)), strict=True) if abs(c) > 1e-9]
    return math.sqrt(biped.gravity / biped.height) * float(min(ways))


def walking_biped(robot: str = "robot:hrp2") -> Biped:
    """What was found in the model of such a robot."""
    return _walker(robot).biped


@functools.cache
def _walker(robot: str) -> Walker:
    return Walker(named_model(robot))
