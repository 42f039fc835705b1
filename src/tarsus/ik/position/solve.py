"""Position-level inverse kinematics: configurations that meet tasks (Buschmann 2014, 5.1.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError, UnknownNameError, nearest
from tarsus.ik.position.answer import LIMITED, SOLVED, Answer, shaped
from tarsus.ik.position.conjugate_gradient import ConjugateGradient
from tarsus.ik.position.goldenberg import Goldenberg
from tarsus.ik.position.levenberg_marquardt import LevenbergMarquardt
from tarsus.ik.position.method import Method
from tarsus.ik.position.native_solver import NativeSearch, native_blocks
from tarsus.ik.position.newton import Newton
from tarsus.ik.position.outcome import Outcome
from tarsus.ik.position.problem import Problem
from tarsus.ik.position.quasi_newton import QuasiNewton
from tarsus.ik.position.search import Search
from tarsus.ik.position.steepest_descent import SteepestDescent
from tarsus.ik.velocity.joint_limits import followers_within
from tarsus.model import Model
from tarsus.tasks import Distance, Task
from tarsus.tasks.task import as_tasks

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (LevenbergMarquardt, Newton, QuasiNewton, ConjugateGradient, SteepestDescent, Goldenberg)
}
"""By name, the default first."""


def solve(
    model: Model,
    tasks: Task | Sequence[Task],
    q0: npt.ArrayLike | None = None,
    *,
    method: str = "levenberg-marquardt",
    tolerance: float = 1e-8,
    max_iterations: int = 100,
    starts: int = 30,
    limits: bool = True,
    collision: CollisionModel | None = None,
    margin: float = 0.0,
    seed: int = 0,
    threads: int = 1,
) -> Answer:
    """Configurations at which all tasks are met.

    Targets of tasks and `q0` may have batch axes, which broadcast: a thousand targets are one call, native for the
    default method and all tasks but `Function`. What is not solved from `q0` is tried again from random postures on the
    base of `q0`, those with the least error first; they are the same for all, so that no answer depends on what else is
    asked.

    Parameters
    ----------
    tasks : Task, or sequence of Task
        Errors of all of them are to vanish; where they cannot, the sum of squares of weighted errors is made small.
    q0 : array_like, shape (..., nq), optional
        Where to start; the model's reference pose by default. Joints beyond their limits are brought back to them.
    method : str
        "levenberg-marquardt", "newton" (algorithm 9, with halved steps), "quasi-newton", "conjugate-gradient",
        "steepest-descent", "goldenberg" (coordinate partitioning).
    tolerance : float
        Of every entry of every error [m, rad, ...].
    max_iterations : int
        Steps from one start.
    starts : int
        To be tried, `q0` included.
    limits : bool
        Keep joints inside `q_min` and `q_max`. Limits of joints and tendons that follow several others are not looked
        for on the way: what breaks them has the status "limits in the way".
    collision : CollisionModel, optional
        Pairs that must not come nearer than `margin`: one more task, `Distance`, with a weight of 1. It is evaluated
        in Python, so that solving takes longer.
    margin : float
        [m].
    seed : int
        Of the random postures.
    threads : int
        Cores that a batch may use; results do not depend on it.

    Returns
    -------
    Answer

    Raises
    ------
    ArgumentError
        If something does not fit the robot.
    """
    tasks = as_tasks(tasks)
    if collision is not None:
        tasks = (*tasks, Distance(collision, margin))
    _check(tolerance, max_iterations, starts, threads, seed)
    if method not in METHODS:
        raise UnknownNameError(f"method {method!r} of solve not found{nearest(method, METHODS)}")
    first = _start(model, q0)
    if model.nv == 0:
        raise ArgumentError(f"{model.name!r} has no joints that could move")
    shapes = (first.shape[:-1], *(task.batch_shape() for task in tasks))
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"batch axes of q0 and of targets are {shapes}; expected axes that broadcast") from None
    problem = Problem(model, tasks, batch, limits)
    begin = problem.inside(np.broadcast_to(first, (*batch, model.nq)).reshape(-1, model.nq))
    blocks = native_blocks(model, tasks) if method == LevenbergMarquardt.name else None
    if blocks is None:
        search = Search(problem, METHODS[method], begin, tolerance, max_iterations)
        return _answer(problem, search.run(_postures(problem, starts - 1, seed), starts), limits)
    native = NativeSearch(problem, blocks, begin, tolerance, max_iterations, threads)
    return _answer(problem, native.run(lambda count: _postures(problem, count, seed), starts), limits)


def _check(tolerance: float, max_iterations: int, starts: int, threads: int, seed: int) -> None:
    if not (isinstance(seed, (int, np.integer)) and seed >= 0):
        raise ArgumentError(f"seed is {seed!r}; expected a whole number of at least 0")
    counts = (("max_iterations", max_iterations), ("starts", starts), ("threads", threads))
    for name, value in counts:
        if not (isinstance(value, (int, np.integer)) and value >= 1):
            raise ArgumentError(f"{name} is {value!r}; expected a whole number of at least 1")
    if not (isinstance(tolerance, (int, float, np.number)) and np.isfinite(tolerance) and tolerance > 0):
        raise ArgumentError(f"tolerance is {tolerance!r}; expected a number above 0")


def _start(model: Model, q0: npt.ArrayLike | None) -> FloatArray:
    """Checked by the model, which refuses wrong shapes and numbers by name."""
    q = model.reference if q0 is None else np.asarray(q0, dtype=float)
    if not np.isfinite(q).all():
        raise NonFiniteError("q0 holds numbers that are not finite")
    return model.normalize(q)


def _postures(problem: Problem, count: int, seed: int) -> FloatArray:
    """Random postures inside the limits, the same for every member of a batch."""
    return problem.inside(problem.model.random(np.random.default_rng(seed), (count,)))


def _answer(problem: Problem, outcome: Outcome, limits: bool) -> Answer:
    batch, model = problem.batch, problem.model
    if limits:
        beyond = ~followers_within(model, outcome.q) & (outcome.status == SOLVED)
        outcome.status[beyond] = LIMITED
    names = [_name(task) for task in problem.tasks for _ in range(task.rows(model))]
    return Answer(
        q=outcome.q.reshape(*batch, model.nq),
        success=shaped(outcome.status == SOLVED, batch),
        residual=shaped(outcome.residual, batch),
        status=shaped(outcome.status, batch),
        iterations=shaped(outcome.iterations, batch),
        starts=shaped(outcome.starts, batch),
        worst=shaped(np.array(names, dtype=object)[outcome.worst], batch),
    )


def _name(task: Task) -> str:
    frame = getattr(task, "frame", None)
    return type(task).__name__ if frame is None else f"{type(task).__name__} of {frame!r}"
