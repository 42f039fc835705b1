"""Configurations that meet tasks, near given ones: the native solver within the limits of a moving space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.ik.position.answer import SOLVED
from tarsus.ik.position.levenberg_marquardt import LevenbergMarquardt
from tarsus.ik.position.native_solver import NativeSearch, native_blocks
from tarsus.ik.position.outcome import Outcome
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.search import Search
from tarsus.ik.reaching.moving_space import MovingSpace
from tarsus.tasks import FramePose, Task

EXACT = 1e-9
"""Largest error that is left of every task [m, rad, ...]."""


HELD_TOO = 1e-8
"""Largest error where what does not move has been put back to where it was."""


class TaskSolver:
    """Brings configurations to where tasks are met, each from where it is.

    Near its start a solution is close to the nearest one: the projection of planning on constraints (Berenson et al.
    2011).

    Parameters
    ----------
    space : MovingSpace
    tasks : sequence of Task
        Of one target each.
    """

    def __init__(self, space: MovingSpace, tasks: Sequence[Task]) -> None:
        self.space, self.asked = space, tuple(tasks)
        self.tasks = (*self.asked, *_holding(space))
        self._native = native_blocks(space.model, self.tasks)

    def solve(self, q: FloatArray, max_iterations: int = 60) -> tuple[FloatArray, BoolArray]:
        """Solutions.

        Parameters
        ----------
        q : ndarray, shape (n, nq)

        Returns
        -------
        q : ndarray, shape (n, nq)
        solved : ndarray of bool, shape (n,)
            Where not, q is the best that was found.
        """
        if len(q) == 0:
            return q, np.zeros(0, dtype=bool)
        outcome = self._outcome(q, max_iterations)
        found = self.space.held(outcome.q)
        return found, np.asarray(outcome.status == SOLVED) & (self.missed(found) <= HELD_TOO)

    def _outcome(self, q: FloatArray, max_iterations: int) -> Outcome:
        space = self.space
        problem = Problem(space.model, self.tasks, (len(q),), True)
        problem.lower, problem.upper = space.lower[problem.q_index], space.upper[problem.q_index]
        begin = problem.inside(q)
        if self._native is None:
            return Search(problem, LevenbergMarquardt, begin, EXACT, max_iterations).run(begin[:0], 1)
        return NativeSearch(problem, self._native, begin, EXACT, max_iterations).run(lambda count: begin[:0], 1)

    def worst(self, q: FloatArray) -> tuple[Task, float]:
        """The task that a configuration (nq,) misses most, and by how much."""
        errors = [float(np.abs(task.error(self.space.model, q)).max(initial=0.0)) for task in self.asked]
        k = int(np.argmax(errors))
        return self.asked[k], errors[k]

    def missed(self, q: FloatArray) -> FloatArray:
        """Largest error of configurations (n, nq), shape (n,)."""
        errors = [np.abs(task.error(self.space.model, q)).max(axis=-1, initial=0.0) for task in self.asked]
        return np.asarray(np.max([np.broadcast_to(e, len(q)) for e in errors], axis=0))


def _holding(space: MovingSpace) -> tuple[Task, ...]:
    """Tasks that hold a base and free bodies which do not move; plain coordinates are held by their limits."""
    from tarsus.dynamics import frame_pose

    model = space.model
    held = [] if model.base == "fixed" or space.base_moves else [next(iter(model.bodies))]
    for joint in model.joints.values():
        floats = joint.kind == "free" and joint.name != "base"
        if floats and joint.q_index.stop > joint.q_index.start and not space.moving[joint.v_index].any():
            held.append(joint.child)
    return tuple(FramePose(body, frame_pose(model, space.q0, body)) for body in held)


def task_name(task: Task) -> str:
    """What a task is called in messages."""
    frame = getattr(task, "frame", None)
    return type(task).__name__ if frame is None else f"{type(task).__name__} of {frame!r}"
