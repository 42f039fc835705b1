"""A walk past obstacles in a simulation, and what came of it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Ground, Plane
from tarsus.errors import ArgumentError
from tarsus.walking.obstacles.avoiding_swings import AvoidingSwings
from tarsus.walking.obstacles.obstacle_plan import (
    ObstaclePlan,
    check_request,
    first_lift,
    plan_past_obstacles,
)
from tarsus.walking.obstacles.obstruction import Obstruction
from tarsus.walking.obstacles.passing_limits import PassingLimits
from tarsus.walking.obstacles.reactive_avoidance import AvoidanceSettings
from tarsus.walking.obstacles.true_distances import Nearest, true_distances
from tarsus.walking.walker.gait.gait_choice import CLIK, demand_of
from tarsus.walking.walker.gait.possible_speed import hold_to_limits
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
from tarsus.walking.walker.walker import Walker


@dataclass(frozen=True, eq=False)
class ObstacleWalk:
    """What came of a walk past obstacles.

    Attributes
    ----------
    plan : ObstaclePlan
    outcome : WalkOutcome
        Of the walk itself.
    distance : ndarray, shape (n,)
        Of the volumes of the robot to the true shapes at each sample [m].
    nearest : Nearest
    """

    plan: ObstaclePlan
    outcome: WalkOutcome
    distance: FloatArray
    nearest: Nearest

    @property
    def passed(self) -> bool:
        """Whether it walked to the end, still stands, and touched nothing."""
        return self.outcome.passed and self.nearest.distance > 0.0

    @property
    def reason(self) -> str:
        """Why not."""
        if not self.outcome.passed:
            return self.outcome.reason
        return "" if self.passed else f"an obstacle was touched: {self.nearest}"

    def __str__(self) -> str:
        """In words."""
        least = f"{self.nearest} at least" if self.plan.obstructions else str(self.nearest)
        lines = [str(self.plan), str(self.outcome), f"  obstacles {least}"]
        return "\n".join([*lines, *([] if self.passed else [f"failed: {self.reason}"])])


def walk_past_obstacles(
    walker: Walker,
    obstructions: Sequence[Obstruction],
    speed: float = 0.3,
    *,
    steps: int | None = None,
    limits: PassingLimits | None = None,
    settings: AvoidanceSettings | None = None,
    sensed: bool = False,
    seed: int = 0,
    record: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> ObstacleWalk:
    """Plan a straight walk past obstacles, and walk it in a simulation.

    Obstacles at rest are parts of the ground there: feet that touch them feel it. The distance of all volumes to the
    true shapes is taken at every sample.

    Parameters
    ----------
    walker : Walker
        Of a robot with collision volumes.
    obstructions : sequence of Obstruction
    speed : float
        Forward [m/s].
    steps : int, optional
        That would be taken with nothing in the way; enough to come a leg beyond the last obstacle ahead, by default.
    limits, settings : PassingLimits, AvoidanceSettings, optional
        See `plan_past_obstacles`.
    sensed, seed, record, progress
        See `Walker.walk`.

    Raises
    ------
    PlanningError
        Where an obstacle is too large or would be touched, with the reason.
    """
    if not isinstance(walker, Walker):
        raise ArgumentError(f"walker is {walker!r}; expected a tarsus.walking.Walker")
    if walker.method != CLIK:
        raise ArgumentError(
            f"method of the walker is {walker.method!r}; obstacles are passed by {CLIK!r}, which moves feet on the way"
        )
    check_request(obstructions, speed, 1 if steps is None else steps)
    choice = walker.choose(np.array([speed, 0.0, 0.0]))
    if steps is None:
        begin = first_lift(walker.biped, choice)
        far = max([0.0, *(_passed_at(one, speed, begin) for one in obstructions)]) + walker.biped.leg
        steps = max(1, math.ceil(far / (speed * choice.step_time) + 0.5))
    plan = plan_past_obstacles(walker.biped, obstructions, speed, steps, choice, limits=limits, settings=settings)
    hold_to_limits(walker.biped, demand_of(plan.walk.biped, plan.walk), "pass these obstacles", 2)
    swings = AvoidingSwings(plan, walker.control_dt, settings)
    ground = Ground(Plane(), *(one.surface() for one in plan.obstructions if not one.moving))
    # Steps stay where they are: one that is moved to catch the robot could land on an obstacle.
    outcome = walker.follow(plan.walk, choice, swings=swings, adapt=False, ground=ground, sensed=sensed, seed=seed,
                            record=record, progress=progress)  # fmt: skip
    run = outcome.trajectory
    distance, nearest = true_distances(walker.biped.model, run.q, run.time, plan.obstructions)
    return ObstacleWalk(plan, outcome, distance, nearest)


def _passed_at(one: Obstruction, speed: float, begin: float) -> float:
    """Where a robot that leaves x = 0 at a time [s] with a speed [m/s] has come by an obstacle [m]; 0 where never."""
    x, away = float(one.box()[1][0]), float(np.asarray(one.velocity)[0])
    if away >= speed:
        return 0.0  # it goes ahead of the robot, or comes from behind
    return speed * max(0.0, (x + away * begin) / (speed - away))
