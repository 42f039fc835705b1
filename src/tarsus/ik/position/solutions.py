"""How many configurations meet tasks: the four cases of Buschmann 2014, figure 5.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.solve import solve
from tarsus.ik.six_axis.branches import PROVEN, branches
from tarsus.model import Model
from tarsus.model.joint import HINGES
from tarsus.tasks import FramePose, Task
from tarsus.tasks.task import as_tasks

Count = Literal["none", "one", "several", "infinite"]

DISTINCT = 1e-2
"""Way between two solutions [rad, m] from which on they are two. At the edge of the reach errors of 1e-8 m leave joints
undecided by some 1e-4 rad."""
SLACK = 1e-3
"""Share of the largest singular value below which a direction counts as one that does not move the tasks."""
STRIDE = 0.05
"""Length of the step along such a direction [rad, m] after which it is looked for a solution again."""


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """Solutions that were found, and how many there are.

    Attributes
    ----------
    count : {"none", "one", "several", "infinite"}
        "one": all starts end at the same place, from which no direction leads to another solution. "infinite": from
        one of them a motion begins that leaves the tasks met.
    q : ndarray, shape (k, nq)
        Different ones, in the order of their first joints; of infinitely many some.
    complete : bool
        Whether it is proven that there are no others.
    """

    count: Count
    q: FloatArray
    complete: bool = False


def solutions(
    model: Model,
    tasks: Task | Sequence[Task],
    *,
    starts: int = 64,
    tolerance: float = 1e-8,
    limits: bool = True,
    seed: int = 0,
) -> Solutions:
    """Different solutions, and which of four cases it is.

    Where the robot is an arm of six hinges and the task is one `FramePose` of full rank, these are all there are, from
    `branches`. Elsewhere many starts are tried: such a search may miss solutions; "none" and "one" are what `starts` of
    them have shown. Angles of hinges that differ by whole turns are the same posture.

    Parameters
    ----------
    tasks : Task, or sequence of Task
        Of one target, without batch axes.
    starts : int
        Random postures to start from, the reference pose included.
    tolerance, limits
        As for `solve`.
    seed : int
        Of the random postures.
    """
    tasks = as_tasks(tasks)
    if not (isinstance(starts, (int, np.integer)) and starts >= 1):
        raise ArgumentError(f"starts is {starts!r}; expected a whole number of at least 1")
    if any(task.batch_shape() for task in tasks):
        raise ArgumentError("solutions takes one target; tasks with batch axes are for solve")
    exact = _all_of_six_axes(model, tasks, tolerance, limits)
    if exact is not None:
        return exact
    begin = np.concatenate([model.reference[None], model.random(np.random.default_rng(seed), (max(0, starts - 1),))])
    kept = Problem(model, tasks, (), limits).kept
    begin[:, kept] = model.reference[kept]
    answer = solve(model, tasks, begin, starts=1, tolerance=tolerance, limits=limits)
    found = _different(model, answer.q[answer.success])
    if len(found) == 0:
        return Solutions("none", found)
    if any(_moves_on(model, tasks, q, tolerance, limits) for q in found):
        return Solutions("infinite", found)
    return Solutions("one" if len(found) == 1 else "several", found)


def _all_of_six_axes(model: Model, tasks: Sequence[Task], tolerance: float, limits: bool) -> Solutions | None:
    """All solutions of an arm of six hinges that shall bring one frame to a pose; None for other robots and tasks."""
    task = tasks[0]
    if len(tasks) != 1 or model.nv != 6 or tolerance < PROVEN or not isinstance(task, FramePose):
        return None
    if task.reference is not None or task.rows(model) != 6 or not (task.weights(model) > 0).all():
        return None
    try:
        answer = branches(model, task.frame, task.pose, limits=limits)
    except ArgumentError:  # other joints than six hinges in a row
        return None
    if not answer.complete:
        return None
    q = np.array(sorted(answer.q, key=lambda x: x.tolist())).reshape(-1, model.nq)
    return Solutions("none" if len(q) == 0 else "one" if len(q) == 1 else "several", q, True)


def _way(model: Model, q1: npt.ArrayLike, q2: npt.ArrayLike) -> FloatArray:
    """Difference of configurations (..., nv), without whole turns of hinges."""
    way = model.difference(q1, q2)
    for joint in model.joints.values():
        if joint.kind in HINGES:
            turn = way[..., joint.v_index]
            way[..., joint.v_index] = turn - 2 * np.pi * np.round(turn / (2 * np.pi))
    return way


def _different(model: Model, q: FloatArray) -> FloatArray:
    """Configurations (n, nq) without those that repeat others."""
    kept: list[FloatArray] = []
    for one in q:
        if all(np.abs(_way(model, other, one)).max() > DISTINCT for other in kept):
            kept.append(one)
    return np.array(sorted(kept, key=lambda x: x.tolist())).reshape(-1, model.nq)


def _moves_on(model: Model, tasks: Sequence[Task], q: FloatArray, tolerance: float, limits: bool) -> bool:
    """Whether a solution begins a motion that leaves the tasks met."""
    J = Problem(model, tasks, (), limits).jacobian(q[None], np.zeros(1, dtype=np.intp))[0]
    _, values, directions = np.linalg.svd(J, full_matrices=True)
    rank = int(np.count_nonzero(values > SLACK * values[0])) if values.size else 0
    slack = directions[rank:]
    if len(slack) == 0:
        return False
    begin = model.integrate(q, STRIDE * np.concatenate([slack, -slack]))
    answer = solve(model, tasks, begin, starts=1, tolerance=tolerance, limits=limits)
    gone = np.linalg.norm(_way(model, q, answer.q), axis=-1) > STRIDE / 2
    return bool((answer.success & gone).any())
