"""Starts that cannot be meant: inside the ground, or far beyond the limits of joints."""

from __future__ import annotations

from collections.abc import Iterable

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, Ground
from tarsus.errors import ArgumentError
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.starts.start_ground import ground_problem
from tarsus.simulation.starts.start_stops import stop_problem


def check_start(
    robots: Robots, q: FloatArray, ground: Ground | None, contacts: Iterable[Contactor] | None, *, stops: bool
) -> None:
    """Refuse a start, shape (*batch, nq), from which springs of stops or of the ground throw the robot.

    Raises
    ------
    ArgumentError
        With what is wrong, and what helps.
    """
    problem = stop_problem(robots.model, q) if stops else None
    if problem is None and ground is not None and robots.world.names:
        stored = robots.sample(robots.time).energy["ground_stored"][0]
        problem = ground_problem(robots.model, q, stored, ground, contacts)
    if problem is not None:
        raise ArgumentError(problem)
