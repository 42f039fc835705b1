"""One way to walk for all commands of a walk that changes on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import PlanningError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.walker.gait.gait_choice import DOUBLE_SUPPORT, LENGTH, GaitChoice, brief_support


def gait_of_commands(
    biped: Biped,
    choose: Callable[[FloatArray], GaitChoice],
    asked: Sequence[tuple[float, FloatArray]],
    expected: bool = False,
) -> GaitChoice:
    """The shortest steps in time, and the lowest, of what each command would be walked by.

    Parameters
    ----------
    choose : callable
        How to walk at a command, shape (3,); raises where that is not possible.
    asked : sequence of (float, ndarray of shape (3,))
        Commands and their times [s].
    expected : bool
        Whether they are what `speed`, `side` and `turn` tell of a function that commands.

    Raises
    ------
    PlanningError
        Where a command cannot be walked, or needs longer steps than are planned on the way.
    """
    found, longest = [], LENGTH * biped.leg
    for t, command in asked:
        if not command.any() and len(asked) > 1:
            continue
        name = f"the command at {t:g} s"
        if expected:
            name = "what speed=, side= and turn= tell of the command, step time and clearance being chosen for it,"
        try:
            choice = choose(command)
        except PlanningError as error:
            raise PlanningError(f"{name} cannot be walked: {error}") from None
        length = abs(command[0]) * choice.step_time
        if length > longest * (1 + 1e-9):
            raise PlanningError(
                f"{name} needs steps of {length:.3g} m; {longest:.3g} m, {LENGTH} legs, are possible where commands "
                f"change on the way: {longest / choice.step_time:.3g} m/s"
            )
        found.append(choice)
    if not found:
        found = [choose(np.zeros(3))]
    time, clearance = min(x.step_time for x in found), min(x.clearance for x in found)
    both = min(x.double_support for x in found)
    return GaitChoice(time, both if both == DOUBLE_SUPPORT else brief_support(time), clearance)
