"""Standing, while somebody pushes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import flat
from tarsus.control.sequencing.contact_sequence import ContactSequence
from tarsus.errors import ArgumentError, ControlWarning
from tarsus.model import Model
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.stance_list import StanceList
from tarsus.simulation.push import Push

PUSH = 0.18
"""Change of the velocity of the whole robot by the push that is the default [m/s]: 10 N s on 56 kg."""
BRIEF = 0.1
"""Duration of a push [s]."""
LEAST = 0.1
"""Part of its share of the weight that each foot keeps: one that carries nothing slides when the robot is pushed."""


def stand(model: Model, *, pushes: Sequence[Push] | None = None, duration: float = 4.0) -> Scenario:
    """A robot stands on all of its feet and is pushed at the chest.

    Parameters
    ----------
    model : Model
        With legs, and a free base.
    pushes : sequence of Push, optional
        The frame "chest" means the body from which the arms start; one from behind by default, after 0.5 s, which would
        give the whole robot a speed of 0.18 m/s: 10 N s of HRP-2.
    duration : float
        [s].
    """
    robot = Robot.of(model)
    if pushes is None:
        pushes = [chest_push((PUSH * robot.model.total_mass, 0.0, 0.0), 0.5)]
    for push in pushes:
        if not 0.0 <= push.start <= push.start + push.duration <= duration:
            raise ArgumentError(
                f"a push from {push.start:g} to {push.start + push.duration:g} s is not within the run, which lasts "
                f"{duration:g} s"
            )
    given = tuple(_at_chest(robot, push) for push in pushes)
    feet = robot.contacts(robot.q)
    least = LEAST * float(np.linalg.norm(model.gravity)) * robot.model.total_mass / len(feet)
    held = tuple(replace(contact, min_force=least) for contact in feet)
    stances = StanceList(robot.known, held, robot.q, "stand").stances
    scenario = Scenario(
        "stand",
        "stands on all feet and is pushed" if given else "stands on all feet",
        robot.model,
        robot.known,
        stances[0].q,
        lambda: ContactSequence(robot.known, stances, holds={"stand": 2.0 * duration}, weigh=True),
        duration,
        robot.contactors(),
        flat,
        given,
        needs_done=False,
        standing_on=robot.bodies(),
    )
    last = max((push.start + push.duration for push in given), default=-np.inf)
    if last + scenario.calm > duration:
        warnings.warn(
            f"the run ends {duration - last:.3g} s after the last push: whether the centre of mass is back after "
            f"{scenario.calm:g} s is not looked at",
            ControlWarning,
            stacklevel=2,
        )
    return scenario


def chest_push(impulse: Sequence[float] | FloatArray, start: float, duration: float = BRIEF) -> Push:
    """A push at the chest, by its impulse in world axes [N s]."""
    if not duration > 0.0:
        raise ArgumentError(f"duration of a push is {duration!r}; expected a number above 0 [s]")
    return Push("chest", np.asarray(impulse, dtype=float) / duration, start, duration)


def _at_chest(robot: Robot, push: Push) -> Push:
    """The push, with the frame that was found where it says "chest" and the model has none of that name."""
    if push.frame != "chest" or "chest" in robot.model.frames:
        _ = robot.model.frames[push.frame]  # unknown names raise
        return push
    return Push(Robot.CHEST, push.force, push.start, push.duration, push.moment)
