"""What a walk is asked for, checked: command, extent, pushes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.simulation.push import Push
from tarsus.walking.biped.biped import Biped


def checked_command(speed: float, side: float, turn: float) -> FloatArray:
    """The three as an array, checked."""
    try:
        command = np.array([float(speed), float(side), float(turn)])
    except (TypeError, ValueError):
        raise ArgumentError(f"speed, side, turn are {speed!r}, {side!r}, {turn!r}; expected numbers") from None
    if not np.isfinite(command).all():
        raise ArgumentError(f"speed, side, turn are {speed!r}, {side!r}, {turn!r}; expected finite numbers")
    return command


def check_extent(steps: int | None, duration: float | None) -> None:
    """Refuse a number of steps or a duration that are none, and both of them."""
    if steps is not None and duration is not None:
        raise ArgumentError(f"steps is {steps!r} and duration {duration!r}; expected one of them")
    if duration is not None and not (np.isfinite(duration) and duration > 0):
        raise ArgumentError(f"duration is {duration!r}; expected a number above 0 [s]")
    if steps is not None and not (isinstance(steps, int | np.integer) and steps >= 0):
        raise ArgumentError(f"steps is {steps!r}; expected a whole number of at least 0")


def check_seed(seed: int) -> None:
    """Refuse what is no seed of a generator."""
    if not (isinstance(seed, int | np.integer) and seed >= 0):
        raise ArgumentError(f"seed is {seed!r}; expected a whole number of at least 0")


def simulated_model(biped: Biped, simulated: Model | None) -> Model:
    """The robot that is simulated: the one that is known, or another one that has its soles."""
    if simulated is None:
        return biped.model
    missing = [leg.sole for leg in biped.legs if leg.sole not in simulated.frames]
    if missing or simulated.nq != biped.model.nq:
        raise ArgumentError(
            f"simulated is {simulated.name!r} with nq = {simulated.nq}, without frames {missing}; expected a model "
            f"made of walker.biped.model, which has nq = {biped.model.nq} and frames of the soles"
        )
    return simulated


def pushes_within(pushes: Sequence[Push], biped: Biped, duration: float) -> list[Push]:
    """The pushes, at bodies of the model; those that a walk of this duration [s] would not feel are refused."""
    for push in pushes:
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
