"""The walk of figure 5.28 in a simulation with contact, by inverse kinematics and by inverse kineto-dynamics."""

from __future__ import annotations

import numpy as np

from benchmarks.papers.figure import Run
from benchmarks.papers.kineto_walk import CLEARANCE, STEP_TIME, stepped
from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.robots import lola
from tarsus.scenarios.model_errors import heavier
from tarsus.walking.reference.task_space import TaskSpace
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome
from tarsus.walking.walker.walker import Walker

GROWING, LONG, STOPPING = (0.2, 0.4, 0.4, 0.45, 0.5), 0.55, (0.4, 0.2)
"""Steps from rest to the longest ones, these, and those to rest [m]."""
HEAVIER = 0.05
"""By which the simulated robot is heavier than the walker knows."""


def lengths(count: int) -> tuple[float, ...]:
    """Of steps, `count` of them of 0.55 m [m]."""
    return (*GROWING, *[LONG] * count, *STOPPING)


def walked(run: Run, method: str) -> WalkOutcome:
    """Lola walks."""

    def made() -> WalkOutcome:
        run.say(f"Lola walks, joints by {method}")
        walker = Walker(lola(), step_time=STEP_TIME, clearance=CLEARANCE, method=method)
        steps = run.choose((0.15, 0.15), lengths(8))
        error = heavier(walker.biped.model, HEAVIER)
        return walker.walk(footsteps=stepped(walker.biped, steps), simulated=error, progress=False)

    return run.once(("kineto run", method), made)


def inclination(outcome: WalkOutcome) -> FloatArray:
    """Of the upper body from upright, about its axes x and y, shape (n, 2) [rad]."""
    biped = outcome.biped
    torso = TaskSpace.of(biped).torso
    up = frame_pose(biped.model, biped.q, torso)[:3, :3].T[:, 2]
    R = frame_pose(biped.model, outcome.trajectory.q, torso)[:, :3, :3]
    n = R @ up
    yaw = np.arctan2(R[:, 1, 0], R[:, 0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    return np.column_stack([s * n[:, 0] - c * n[:, 1], c * n[:, 0] + s * n[:, 1]])
