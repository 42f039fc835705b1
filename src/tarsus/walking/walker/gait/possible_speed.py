"""How fast a biped can walk: straight ahead, and in the direction of a command that is refused."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ControlWarning, PlanningError
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.steps.footsteps import scaled_command
from tarsus.walking.walker.gait.foot_slide import foot_slide
from tarsus.walking.walker.gait.gait_choice import (
    LENGTH,
    LONGEST,
    PROBE,
    RESERVE,
    SHORTEST,
    Demand,
    GaitChoice,
    GaitHints,
    choose_gait,
    demand_of,
    grown,
    longest_step,
    planned,
    step_limits,
    tried_gait,
)

MUCH = 2.0
"""Speed of a joint, in its limit, up to which a walk is warned of, and beyond which it is refused: the simulation does
not hold joints to their speeds, and no robot would walk so."""
RESOLVED = 0.02
"""Of the top speed [m/s], and of the part of a command that is possible."""
SLIDE = 0.3
"""How far feet may slide in a plan: the way aside of the next step that a foot turns by it, in half widths of a sole.
Between bipeds that turn on their feet so, and walk straight on, and those that turn further, and stray or fall."""
LACKING = 0.2
"""Torque that a joint may lack in a plan, times how long, in its limit and sqrt(leg / g), the time in which legs fall.
Between bipeds that lack some for a moment, and walk, and those that lack it for whole phases, and fall."""
COARSE = 0.05
"""Of the part of a command that is possible, where whole walks are planned to find it."""
LIMITS = "within the limits of its joints"


def top_speed(biped: Biped, hints: GaitHints | None = None) -> float:
    """Fastest walk straight ahead within the limits of steps, 95 % of those of joints, and friction, by halving [m/s].

    Feet that stand alone shall not turn on the ground by more than balance makes good (`SLIDE`).
    0 where the slowest one is beyond them. A step time that is told may ask for steps of up to 0.95 legs.
    """
    hints = GaitHints() if hints is None else hints

    def fits(speed: float) -> bool:
        return _within(biped, np.array([speed, 0.0, 0.0]), hints)

    if hints.step_time is None:
        high = LENGTH * math.sqrt(biped.leg * biped.gravity) / SHORTEST
    else:
        high = LONGEST * biped.leg / hints.step_time
    return largest(fits, high, RESOLVED)


def refused(biped: Biped, command: FloatArray, hints: GaitHints, reason: str) -> PlanningError:
    """The error of a command that cannot be walked: the reason, and how much of it could be.

    The fastest walk in its direction within 95 % of the limits of joints, and friction, found as `top_speed` is; where
    there is none, the fastest one that is not refused.
    """
    most = _most_steps(biped, command, hints)
    part = largest(lambda x: _within(biped, x * most, hints), 1.0, RESOLVED)
    if part > 0.0:
        return PlanningError(f"{reason}; {_with(hints)}{told(part * most)} is possible {LIMITS}")
    part = largest(lambda x: is_strong(biped, x * most, hints), 1.0, RESOLVED)
    if part > 0.0:
        return PlanningError(f"{reason}; {_with(hints)}{told(part * most)} is possible, not {LIMITS}")
    return PlanningError(
        f"{reason}; {_with(hints)}no speed in this direction is possible {LIMITS}, which may be wrong in its model"
    )


def refused_plan(
    biped: Biped, command: FloatArray, steps: int, hints: GaitHints, method: str, reason: str
) -> PlanningError:
    """The error of a walk that a trial did not refuse, but its plan: the reason, and how much could be."""

    def fits(part: float) -> bool:
        try:
            own, _ = choose_gait(biped, part * command, hints.choice(biped, part * command))
            return demand_of(biped, planned(biped, part * command, steps, own, method)).worst <= 1.0 - RESERVE
        except PlanningError:
            return False

    part = largest(fits, 1.0, COARSE) if command.any() else 0.0
    if part > 0.0:
        return PlanningError(f"{reason}; {_with(hints)}{told(part * command)} is possible {LIMITS}")
    return PlanningError(f"{reason}; no part of the command was found that is possible {LIMITS}")


def too_weak(biped: Biped, doing: str, demand: Demand) -> str:
    """Which torques are missing for what it is to do."""
    return (
        f"{biped.model.name!r} is too weak to {doing}: {demand.strongest!r} would need {demand.torque:.0%} of its "
        f"torque, and {demand.weakest!r} would lack some for too long"
    )


def too_fast(biped: Biped, doing: str, demand: Demand) -> str:
    """Which joint is too slow for what it is to do."""
    return f"{biped.model.name!r} is too slow to {doing}: {demand.fastest!r} would need {demand.speed:.0%} of its speed"


def hold_to_limits(biped: Biped, demand: Demand, doing: str, stacklevel: int = 3) -> None:
    """Refuse a plan whose footsteps are given that joints cannot follow at all; warn where it is beyond their limits.

    Parameters
    ----------
    doing : str
        What the robot is to do, as "climb these stairs".

    Raises
    ------
    PlanningError
        Where joints lack torque for longer than a robot stays up without it, or would need twice their speed.
    """
    for refuses, why in ((lacks(biped, demand), too_weak), (demand.speed > MUCH, too_fast)):
        if refuses:
            raise PlanningError(
                f"{why(biped, doing, demand)}; a longer step_time of Walker, or shorter steps, ask less"
            )
    if demand.worst > 1.0:
        text = f"{biped.model.name!r} is beyond its limits to {doing}: {demand.beyond}"
        warnings.warn(text, ControlWarning, stacklevel=stacklevel + 1)


def lacks(biped: Biped, demand: Demand) -> bool:
    """Whether joints lack torque for longer than a robot stays up without it."""
    return demand.lacking > LACKING * math.sqrt(biped.leg / biped.gravity)


def is_strong(biped: Biped, command: FloatArray, hints: GaitHints) -> bool:
    """Whether there is a plan, and joints are strong enough for it, and not much too slow."""
    try:
        demand = choose_gait(biped, command, hints.choice(biped, command))[1]
        return demand.speed <= MUCH and not lacks(biped, demand)
    except PlanningError:
        return False


def told(command: FloatArray) -> str:
    """A command in words: forward, aside, turning."""
    forward, side, turn = command.tolist()
    parts = [f"{forward:.3g} m/s" if forward or not (side or turn) else "", f"{side:.3g} m/s aside" if side else "",
             f"{math.degrees(turn):.3g} degrees/s" if turn else ""]  # fmt: skip
    return ", ".join(part for part in parts if part)


def _within(biped: Biped, command: FloatArray, hints: GaitHints) -> bool:
    """Whether a walk leaves a reserve to the joints, and its feet hardly slide; also where it is planned on the way."""
    try:
        choice, demand, whole = tried_gait(biped, command, hints.choice(biped, command))
        if demand.worst > 1.0 - RESERVE:
            return False
        plan = _walked(biped, command, choice, whole)
    except PlanningError:
        return False
    demand = demand_of(biped, plan)  # with peaks of torque between its pieces, which drives cut off
    return demand.speed <= 1.0 - RESERVE and not lacks(biped, demand) and max(aside(whole), aside(plan)) <= SLIDE


def _walked(biped: Biped, command: FloatArray, choice: GaitChoice, whole: WalkPlan) -> WalkPlan:
    """The beginning of a walk as one of many steps is planned: step by step where that is possible, or as a whole.

    Long steps never are; and where one of the others is out of reach then, the robot stops, and goes on.
    """
    if command.any() and abs(command[0]) * choice.step_time <= LENGTH * biped.leg * (1 + 1e-9):
        try:
            return grown(biped, command, PROBE, choice)
        except PlanningError:
            pass
    return whole


def aside(plan: WalkPlan) -> float:
    """How far feet that slide lead the next step aside, in half widths of a sole."""
    return foot_slide(plan) * longest_step(plan.footsteps) / float(plan.biped.legs[0].half[1])


def largest(fits: Callable[[float], bool], high: float, resolved: float) -> float:
    """Largest value below `high` that fits, found by halving, to `resolved`; 0 where that itself does not fit."""
    low = 0.0
    if not fits(resolved):
        return low
    while high - low > resolved:
        value = (low + high) / 2
        low, high = (value, high) if fits(value) else (low, value)
    return low


def _most_steps(biped: Biped, command: FloatArray, hints: GaitHints) -> FloatArray:
    """As much of a command as the longest steps in the shortest time could walk, shape (3,)."""
    if hints.step_time is None:
        return scaled_command(command, SHORTEST * math.sqrt(biped.leg / biped.gravity), step_limits(biped))
    return scaled_command(command, hints.step_time, step_limits(biped, LONGEST))


def _with(hints: GaitHints) -> str:
    """What a walk was told of its gait."""
    named = [f"a step time of {hints.step_time:.3g} s" if hints.step_time else "",
             f"a clearance of {hints.clearance:.3g} m" if hints.clearance else ""]  # fmt: skip
    given = " and ".join(part for part in named if part)
    return f"with {given} " if given else ""
