"""What a walk is asked for, checked: command, extent, footsteps, pushes, and how it is to be walked."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, UnknownNameError, nearest
from tarsus.model import Model
from tarsus.simulation.argument_kinds import (
    check_finite,
    check_flag,
    check_kind,
    check_list,
    check_positive,
    check_whole,
    finite_vector,
)
from tarsus.simulation.push import Push
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.stabilizer.catching.catching_steps import RULES
from tarsus.walking.steps.footsteps import COMMAND, Footstep, checked_steps
from tarsus.walking.walker.commanded_walk import CommandedWalk
from tarsus.walking.walker.gait.gait_choice import GaitChoice

IN_ONE_PLACE = 0.02
"""Distance of both feet below which they stand in one place, in lengths of the leg."""


def checked_command(speed: float, side: float, turn: float) -> FloatArray:
    """The three as an array, checked."""
    for name, value, unit in (("speed", speed, "m/s"), ("side", side, "m/s"), ("turn", turn, "rad/s")):
        check_finite(name, value, f"a finite number [{unit}]")
    return np.array([float(speed), float(side), float(turn)])


def checked_velocity(command: Any) -> FloatArray:
    """A command as an array, checked, shape (3,)."""
    return finite_vector("command", command, 3, COMMAND)


def check_extent(steps: int | None, duration: float | None) -> None:
    """Refuse a number of steps or a duration that are none, and both of them."""
    if steps is not None and duration is not None:
        raise ArgumentError(f"steps is {steps!r} and duration {duration!r}; expected one of them")
    if duration is not None:
        check_positive("duration", duration, "a number above 0 [s]")
    if steps is not None:
        check_whole("steps", steps)
        if steps > sys.maxsize:
            raise ArgumentError(f"steps is above {sys.maxsize}; expected a number that a walk can have")


def checked_footsteps(footsteps: Any, leg: float) -> list[Footstep]:
    """Footsteps of alternating feet, the two of the start first, checked; yaws go on from one to the next.

    Angles that differ by whole turns are one direction: each step turns by the smallest angle. Feet that would stand in
    one place, nearer to each other than a part of the leg [m], are refused.
    """
    found = checked_steps("footsteps", footsteps)
    for k, (one, other) in enumerate(itertools.pairwise(found)):
        apart = float(np.hypot(*(other.position - one.position)[:2]))
        if apart < IN_ONE_PLACE * leg:
            raise ArgumentError(
                f"footsteps[{k + 1}] is {1e3 * apart:.3g} mm from footsteps[{k}], where the other foot stands; "
                f"expected {1e3 * IN_ONE_PLACE * leg:.3g} mm at least"
            )
    yaws = np.unwrap([foot.yaw for foot in found]).tolist()
    return [foot._replace(yaw=yaw) for foot, yaw in zip(found, yaws, strict=True)]


def check_walked(plan: Any, choice: Any, commanded: Any, lasts: Any, goal: Any, swings: Any) -> None:
    """Refuse what is no plan, and what does not belong to one."""
    for name, value, kind in (("plan", plan, WalkPlan), ("choice", choice, GaitChoice)):
        if not isinstance(value, kind):
            raise DtypeError(f"{name} is {value!r}; expected a {kind.__name__}, as Walker.plan returns")
    if commanded is not None and not isinstance(commanded, CommandedWalk):
        raise DtypeError(f"commanded is {commanded!r}; expected a CommandedWalk")
    if lasts is not None:
        check_positive("lasts", lasts, "a number above 0 [s]")
    if goal is not None and not callable(goal):
        raise DtypeError(f"goal is {goal!r}; expected a function of the poses of both soles")
    if swings is not None and not callable(getattr(swings, "modified", None)):
        raise DtypeError(f"swings is {swings!r}; expected a SwingModifier, which has a method `modified`")


def check_manner(adapt: Any, hips: Any, sensed: Any, seed: Any) -> None:
    """Refuse what does not tell how to walk."""
    if not isinstance(adapt, bool | np.bool_ | str):
        raise DtypeError(f"adapt is {adapt!r}; expected True, False or one of {tuple(RULES)}")
    if isinstance(adapt, str) and adapt not in RULES:
        raise UnknownNameError(f"adapt {adapt!r} not found{nearest(adapt, RULES)}; there are {tuple(RULES)}")
    check_flag("hips", hips)
    if not isinstance(sensed, Sequence):
        check_flag("sensed", sensed)
    check_list("sensed", [] if isinstance(sensed, bool | np.bool_) else sensed, "sensors")
    check_whole("seed", seed)


def check_drives(drives: Any) -> None:
    """Refuse what are no drives of joints, and none at all: nothing would hold the robot."""
    check_kind("drives", drives, Mapping, "a mapping from joints to drives, as ts.actuators.servo_drives makes it")
    if drives is not None and not drives:
        raise ArgumentError("drives is empty; expected drives of the joints, as ts.actuators.servo_drives makes them")


def simulated_model(biped: Biped, simulated: Model | None) -> Model:
    """The robot that is simulated: the one that is known, or another one that has its soles."""
    if simulated is None:
        return biped.model
    if not isinstance(simulated, Model):
        raise DtypeError(f"simulated is {simulated!r}; expected a Model made of walker.biped.model")
    missing = [leg.sole for leg in biped.legs if leg.sole not in simulated.frames]
    if missing or simulated.nq != biped.model.nq:
        raise ArgumentError(
            f"simulated is {simulated.name!r} with nq = {simulated.nq}, without frames {missing}; expected a model "
            f"made of walker.biped.model, which has nq = {biped.model.nq} and frames of the soles"
        )
    return simulated


def pushes_within(pushes: Sequence[Push], biped: Biped, duration: float) -> list[Push]:
    """The pushes, at bodies of the model; those that a walk of this duration [s] would not feel are refused."""
    check_list("pushes", pushes, "Push")
    for push in pushes:
        if not isinstance(push, Push):
            raise DtypeError(f"pushes holds {push!r}; expected Push")
        if push.start < 0.0 or push.start + push.duration > duration:
            raise ArgumentError(
                f"a push from {push.start:g} to {push.start + push.duration:g} s is not within the walk, which lasts "
                f"{duration:.3g} s"
            )
    return [_at_pelvis(biped, push) for push in pushes]


def _at_pelvis(biped: Biped, push: Push) -> Push:
    """The push, with the body that was found where it says "pelvis" and the model has none of that name."""
    if push.frame != "pelvis" or "pelvis" in biped.model.frames:
        _ = biped.model.frames[push.frame]  # unknown names raise
        return push
    return Push(biped.pelvis, push.force, push.start, push.duration, push.moment)
