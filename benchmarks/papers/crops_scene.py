"""The harvesting arm on its way from point to point, past its own platform: the scene of figure 5.10."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel
from tarsus.ik import follow
from tarsus.ik.objectives import CollisionPotential, JointLimits, Objective, PiecewisePotential
from tarsus.model import Model
from tarsus.robots import crops9
from tarsus.tasks import Position

START = np.array([0.57, -0.17, 1.0, 0.11, 0.93, 1.51, 0.56, 1.31, -0.6])
"""Configuration from which the motion begins [m, rad]."""
BEGIN = np.array([0.46222157, 0.29225297, 0.87305428])
"""Where the tool is there [m]."""
GOAL = np.array([0.29, 0.0, 0.6])
"""Where the tool goes on a straight line [m]."""
DURATION = 3.0
STEP = 0.01
GAIN = 20.0
MARGIN = 0.01
"""Distance that all pairs shall keep [m]."""
NEXT_BUT_ONE = (
    ("platform", "link2"),
    ("carriage", "link3"),
    ("link3", "link5"),
    ("link5", "link7"),
    ("link6", "link8"),
    ("link7", "link9"),
)
"""Segments with a short one between them: they are never far apart, and pushed from 2 cm on, others from 10 cm."""


def line(t: float) -> Position:
    """The tool's place on the line, by a polynomial of fifth degree in time, with its velocity."""
    x = min(max(t / DURATION, 0.0), 1.0)
    share, rate = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / DURATION
    return Position("tool", BEGIN + share * (GOAL - BEGIN), velocity=rate * (GOAL - BEGIN), gain=GAIN)


def avoidance(model: Model) -> list[Objective]:
    """Collisions (5.58)-(5.61) with weight 6 and limits of joints with weight 1."""
    apart = CollisionModel(model, exclude=NEXT_BUT_ONE)
    near = CollisionModel(model, include=NEXT_BUT_ONE)
    return [
        CollisionPotential(apart, PiecewisePotential(0.1), weight=6.0, time_constant=0.02),
        CollisionPotential(near, PiecewisePotential(0.02), weight=6.0, time_constant=0.02),
        JointLimits(PiecewisePotential(0.2)),
    ]


@dataclass(frozen=True)
class Motion:
    """The motion with or without avoidance.

    Attributes
    ----------
    t : ndarray, shape (K,)
        [s].
    q : ndarray, shape (K, 9)
    v : ndarray, shape (K, 9)
    distance : ndarray, shape (K,)
        Smallest distance of all pairs [m].
    error : ndarray, shape (K,)
        Largest component of the tool's error [m].
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    distance: FloatArray
    error: FloatArray


def move(avoiding: bool, tasks: Callable[[float], Position] = line) -> Motion:
    """Move along the line by closed-loop inverse kinematics on the velocity level."""
    model = crops9()
    objectives = avoidance(model) if avoiding else []
    path = follow(model, tasks, START, duration=DURATION, dt=STEP, objectives=objectives)
    return Motion(path.t, path.q, path.v, CollisionModel(model).clearance(path.q), path.error)
