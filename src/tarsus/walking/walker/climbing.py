"""Stairs that a biped is told of, walked up and down."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact.laws import ContactLaw
from tarsus.errors import ArgumentError, DtypeError, PlanningError, UnknownNameError, nearest
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.steps.stairs import Stairs
from tarsus.walking.walker.gait.gait_choice import Demand, GaitChoice, demand_of, planned, step_limits
from tarsus.walking.walker.gait.possible_speed import hold_to_limits
from tarsus.walking.walker.terrain import flight
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
from tarsus.walking.walker.walker import Walker

TIMES = (1.0, 1.3, 1.7, 2.2)
"""Step times that are tried, in that of level walks: the first with which joints stay within their limits is taken."""
CLEARED = 0.6
"""Least clearance above a tread, in risers: toes that go up, and heels that come down, pass the edge within it."""
OVERHANG = 0.15
"""Part of half a sole that may be over the edge of the last tread."""
STRAIGHT = math.radians(15.0)
"""How far feet may be turned on it [rad]."""
DEEPEST = 0.6
"""Depth of a tread, at most, in lengths of the leg: a foot goes from one to the next in a step."""
OWN = ("self", "plan", "choice", "goal", "ground")
"""Arguments of `Walker.follow` that are made of the stairs."""
STEP = 0.35
"""Way of a foot in steps before the stairs, in lengths of the leg."""


def climb_plan(walker: Walker, stairs: Stairs) -> tuple[WalkPlan, GaitChoice, Demand]:
    """Plan of a walk to stairs and up or down them, how it walks, and what it asks of the joints.

    Raises
    ------
    PlanningError
        Where treads are shorter than soles, or legs do not reach.
    """
    if not isinstance(walker, Walker):
        raise DtypeError(f"walker is {walker!r}; expected a tarsus.walking.Walker")
    if not isinstance(stairs, Stairs):
        raise DtypeError(f"stairs is {stairs!r}; expected tarsus.walking.Stairs")
    biped = walker.biped
    if stairs.run > DEEPEST * biped.leg:
        raise PlanningError(
            f"treads are {stairs.run:.3g} m deep; feet of {biped.model.name!r}, whose legs are {biped.leg:.2f} m long, "
            f"go from one to the next where they are at most {DEEPEST * biped.leg:.2f} m"
        )
    feet = stairs.footsteps(biped.width, biped.legs[0].half, step_limits(biped, STEP))
    level = walker.gait_of_footsteps()
    level = replace(level, clearance=max(level.clearance, CLEARED * abs(stairs.rise)))
    best: tuple[WalkPlan, GaitChoice, Demand] | None = None
    told: PlanningError | None = None
    for factor in TIMES if walker.step_time is None else (1.0,):
        choice = replace(level, step_time=factor * level.step_time)
        try:
            plan = planned(biped, np.zeros(3), 0, choice, walker.method, feet)
        except PlanningError as error:
            told = told or error
            continue
        demand = demand_of(biped, plan)
        if best is None or demand.worst < best[2].worst:
            best = plan, choice, demand
        if demand.worst <= 1.0:
            break
    if best is None:
        assert told is not None
        raise told
    return best


def climb(walker: Walker, stairs: Stairs, *, law: ContactLaw | None = None, **options: Any) -> WalkOutcome:
    """Walk to stairs and up or down them, both feet on every tread, in a simulation.

    The robot is told of the stairs: it knows where treads are, and how high. Its steps take as long as its joints need.

    Parameters
    ----------
    walker : Walker
    stairs : Stairs
    law : contact law, optional
        Of the ground.
    **options
        Of `Walker.follow`: pushes, sensed, simulated, drives, landing, seed, record, progress.

    Raises
    ------
    PlanningError
        Where treads are shorter than soles, legs do not reach, or joints are much too slow or weak.
    ArgumentError
        For options that are made of the stairs, as the ground, or that `Walker.follow` does not have.
    """
    known = [name for name in inspect.signature(Walker.follow).parameters if name not in OWN]
    for name in options:
        if name in OWN:
            raise ArgumentError(f"{name} is given to climb; expected none, it is made of the stairs")
        if name not in known:
            raise UnknownNameError(f"option {name!r} of climb not found{nearest(name, known)}; there are {known}")
    plan, choice, demand = climb_plan(walker, stairs)
    hold_to_limits(walker.biped, demand, "climb these stairs", 2)
    goal = partial(_off_the_last_tread, stairs, float(walker.biped.legs[0].half[0]))
    return walker.follow(plan, choice, goal=goal, ground=flight(stairs, law=law), **options)


def _off_the_last_tread(stairs: Stairs, half: float, soles: list[FloatArray]) -> str:
    """Why soles of this half length [m] do not stand on the last tread, straight on; empty where they do."""
    x, z = stairs.tread(stairs.count)
    edge = x - stairs.run / 2 + (1.0 - OVERHANG) * half
    for X in soles:
        yaw = math.atan2(X[1, 0], X[0, 0])
        if X[0, 3] < edge or abs(X[2, 3] - z) > 0.5 * abs(stairs.rise) or abs(yaw) > STRAIGHT:
            return (
                f"a foot stands at x, z = ({X[0, 3]:.2f}, {X[2, 3]:.2f}) m, turned by {math.degrees(yaw):.0f} degrees; "
                f"the middle of the last tread is at ({x:.2f}, {z:.2f}) m"
            )
    return ""
