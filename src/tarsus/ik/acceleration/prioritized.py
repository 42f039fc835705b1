"""Accelerations of falling priority with limits before all tasks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.acceleration.answer import BLOCKED, CONTRADICTION, SOLVED, TASKS
from tarsus.ik.acceleration.cost import Cost
from tarsus.ik.acceleration.limits import Rows
from tarsus.optimization import QP, Hierarchy, Level

MISSED = 1e-7
"""Slack of a row, relative to its size and to the accelerations, from which on it counts as missed."""


@dataclass(frozen=True, eq=False)
class TaskRows:
    """J vdot = b of one level of one state.

    Attributes
    ----------
    J : ndarray, shape (m, nv)
    b : ndarray, shape (m,)
    names : list of str
    """

    J: FloatArray
    b: FloatArray
    names: list[str]


def prioritized_acceleration(
    levels: list[TaskRows], undriven: TaskRows | None, limits: Rows | None, cost: Cost
) -> tuple[FloatArray, str, tuple[str, ...]]:
    """Acceleration, status and rows that contradict each other, of one state.

    Levels of a `Hierarchy`: no torque where there is no drive; limits; tasks; the cost. Each is fulfilled as well as
    those before it allow.

    Parameters
    ----------
    undriven : TaskRows, optional
        Rows of the equations of motion without a drive.
    """
    stack: list[Level] = []
    if undriven is not None and len(undriven.b):
        stack.append(Level(undriven.J, undriven.b))
    bounded = limits is not None and len(limits.names) > 0
    if limits is not None and bounded:
        stack.append(Level(limits.matrix(), lower=limits.lower, upper=limits.upper))
    first_task = len(stack)
    stack += [Level(level.J, level.b) for level in levels]
    last_task = len(stack)
    if cost.factor is not None:
        stack.append(Level(cost.factor, cost.factor @ cost.preferred))
    found = Hierarchy(stack).solve(cost.preferred)
    x = found.x
    if not found.success:
        return x, f"not solved: {found.status}", ()
    fails = [_missed(level, x) for level in stack[:last_task]]
    if not any(fails):
        return x, SOLVED, ()
    if any(fails[:first_task]):
        return x, CONTRADICTION, conflict_of(len(x), [] if undriven is None else [undriven], limits)
    equalities = ([] if undriven is None else [undriven]) + levels
    held_back = bounded and not conflict_of(len(x), equalities, None)
    return x, BLOCKED if held_back else TASKS, conflict_of(len(x), equalities, limits if held_back else None)


def _missed(level: Level, x: FloatArray) -> bool:
    size = np.abs(level.A) @ np.abs(x) + np.abs(level.A).max(axis=1, initial=0.0)
    return bool((np.abs(level.slack(x)) > MISSED * np.maximum(size, 1.0)).any())


def conflict_of(n: int, equalities: list[TaskRows], limits: Rows | None) -> tuple[str, ...]:
    """Names of few rows that contradict each other; none where there are no such rows."""
    A = [rows.J for rows in equalities] + ([limits.matrix()] if limits is not None else [])
    names = [name for rows in equalities for name in rows.names] + ([] if limits is None else limits.names)
    if not names:
        return ()
    targets = [rows.b for rows in equalities]
    lower = np.concatenate([*targets, [] if limits is None else limits.lower])
    upper = np.concatenate([*targets, [] if limits is None else limits.upper])
    solution = QP(np.eye(n), np.zeros(n), np.vstack(A), lower, upper, names=names).solve("native")
    return tuple(solution.conflict)
