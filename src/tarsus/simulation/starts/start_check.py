"""Starts that cannot be meant: inside the ground, or far beyond the limits of joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor, Ground
from tarsus.errors import ArgumentError
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.starts.start_ground import ground_problem
from tarsus.simulation.starts.start_stops import stop_problem


def check_start(
    robots: Robots,
    q: FloatArray,
    ground: Ground | Sequence[Ground] | None,
    contacts: Iterable[Contactor] | None,
    *,
    stops: bool,
) -> None:
    """Refuse a start, shape (*batch, nq), from which springs of stops or of the ground throw the robot.

    Parameters
    ----------
    ground : Ground, or sequence of Ground
        Of all robots, or of each of them.

    Raises
    ------
    ArgumentError
        With what is wrong, and what helps.
    """
    problem = stop_problem(robots.model, q) if stops else None
    if problem is None and ground is not None and robots.world.names:
        stored = robots.sample(robots.time).energy["ground_stored"][0]
        if isinstance(ground, Ground):
            problem = ground_problem(robots.model, q, stored, ground, contacts)
        else:
            problem = _problem_on_own(robots, q.reshape(robots.count, -1), stored.ravel(), ground, contacts)
    if problem is not None:
        raise ArgumentError(problem)


def _problem_on_own(
    robots: Robots, q: FloatArray, stored: FloatArray, grounds: Sequence[Ground], contacts: Iterable[Contactor] | None
) -> str | None:
    """The same of robots (n, nq) that hold energies (n,) [J], each on a ground of its own."""
    number = np.array([id(each) for each in grounds])
    for each in {id(each): each for each in grounds}.values():
        here = np.flatnonzero(number == id(each))
        problem = ground_problem(robots.model, q[here], stored[here], each, contacts, here)
        if problem is not None:
            return problem
    return None
