"""Stairs that a biped is told of, walked up and down."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.contact.laws import ContactLaw
from tarsus.dynamics import frame_pose
from tarsus.errors import ControlWarning, PlanningError
from tarsus.walking.reference.walk_plan import WalkPlan
from tarsus.walking.steps.stairs import Stairs
from tarsus.walking.walker.gait_choice import Demand, GaitChoice, demand_of, planned, step_limits
from tarsus.walking.walker.terrain import flight
from tarsus.walking.walker.walk_outcome import WalkOutcome
from tarsus.walking.walker.walker import Walker

TIMES = (1.0, 1.3, 1.7, 2.2)
"""Step times that are tried, in that of level walks: the first with which joints stay within their limits is taken."""
CLEARED = 0.6
"""Least clearance above a tread, in risers: toes that go up, and heels that come down, pass the edge within it."""
STEP = 0.35
"""Way of a foot in steps before the stairs, in lengths of the leg."""


def climb_plan(walker: Walker, stairs: Stairs) -> tuple[WalkPlan, GaitChoice, Demand]:
    """Plan of a walk to stairs and up or down them, how it walks, and what it asks of the joints.

    Raises
    ------
    PlanningError
        Where treads are shorter than soles, or legs do not reach.
    """
    biped = walker.biped
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
        Where treads are shorter than soles, or legs do not reach.
    """
    plan, choice, demand = climb_plan(walker, stairs)
    if demand.worst > 1.0:
        warnings.warn(
            f"{walker.biped.model.name!r} climbs beyond its limits: {demand.fastest!r} would need {demand.speed:.0%} "
            f"of its speed, {demand.strongest!r} {demand.torque:.0%} of its torque",
            ControlWarning,
            stacklevel=2,
        )
    return _judged(walker.follow(plan, choice, ground=flight(stairs, law=law), **options), stairs)


def _judged(outcome: WalkOutcome, stairs: Stairs) -> WalkOutcome:
    """The outcome, which has not passed where feet are not on the last tread."""
    biped, q = outcome.biped, outcome.trajectory.q[-1]
    ends = [frame_pose(biped.model, q, leg.sole)[:3, 3] for leg in biped.legs]
    x, z = stairs.tread(stairs.count)
    off = max(max(abs(float(end[0] - x)) / stairs.run, abs(float(end[2] - z)) / abs(stairs.rise)) for end in ends)
    if not outcome.passed or off < 0.5:
        return outcome
    told = ", ".join(f"({end[0]:.2f}, {end[2]:.2f})" for end in ends)
    reason = f"feet stand at x, z = {told} m; the middle of the last tread is at ({x:.2f}, {z:.2f}) m"
    return replace(outcome, passed=False, reason=reason)
