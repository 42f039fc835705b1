"""Reaching: a motion from where a robot is to where tasks are met, without collision and within all limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.scenes_for_motion import motion_scenes
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.reaching.lever_arms import Scene, moving_pairs
from tarsus.ik.reaching.motion import Motion
from tarsus.ik.reaching.moving_space import MovingSpace, reaching_space
from tarsus.ik.reaching.planner import Planner, Progress, Searching
from tarsus.ik.reaching.rates import rate_limits
from tarsus.ik.reaching.start import reference_within_limits
from tarsus.ik.reaching.swept_clearance import SweptClearance
from tarsus.ik.reaching.task_solver import TaskSolver, task_name
from tarsus.ik.velocity.inequality import positive
from tarsus.model import Model
from tarsus.spatial._arrays import as_array
from tarsus.tasks import Task
from tarsus.tasks.task import as_tasks

KEPT_AT_START = 1e-6
"""Largest error that tasks which are kept may have at the start [m, rad, ...]."""


def reach(
    model: Model,
    tasks: Task | Sequence[Task],
    q0: npt.ArrayLike | None = None,
    *,
    collision: Scene | Sequence[Scene] | None = None,
    margin: float = 0.0,
    keep: Task | Sequence[Task] = (),
    joints: Iterable[str] | None = None,
    v_max: npt.ArrayLike | None = None,
    vdot_max: npt.ArrayLike | None = None,
    dt: float = 0.01,
    goals: int = 8,
    starts: int = 128,
    max_iterations: int = 1000,
    max_time: float | None = None,
    shortcuts: int = 60,
    seed: int = 0,
    progress: Progress | None = None,
) -> Motion:
    """A motion from `q0` to where all tasks are met.

    Goals are configurations that meet the tasks, the nearest first. A straight way to one of them is taken where it is
    free, otherwise two random trees grow towards each other (RRT-Connect, Kuffner and LaValle 2000). The way is made
    shorter, rounded by B-splines and gone along as fast as the limits allow. That nothing collides is proven for the
    final path between its samples, too: distances are compared with how far anything can move.

    Joints that no task depends on stay where they are; so does the base of a robot with a free base, unless `keep` says
    what it stands on. The same arguments give the same motion, unless `max_time` ends it.

    Parameters
    ----------
    tasks : Task, or sequence of Task
        To be met at the end; one target each.
    q0 : array_like, shape (nq,), optional
        Where the robot rests; by default the model's reference pose, whose joints beyond limits start at the nearest
        limit, or in the middle of them where the robot would touch itself, which is warned of.
    collision : CollisionModel, or several of them and of ShapePairs, optional
        Pairs that must not touch. By default those of the model's volumes, see `tarsus.collision.motion_scenes`; with
        ``()`` nothing is looked at.
    margin : float
        Distance that all pairs keep [m].
    keep : Task, or sequence of Task
        Met at the start, and to be met all the way: the feet of a humanoid, its centre of mass (`tarsus.ik.stance`).
        Configurations are brought back to them by projection (Berenson et al. 2011).
    joints : iterable of str, optional
        Joints that may move; by default all that the tasks depend on.
    v_max, vdot_max : float or array_like, shape (nv,), optional
        Limits of velocities and accelerations; by default those of the model, 1 rad/s or 0.25 m/s where it has none,
        and what brings a joint to its velocity in 0.25 s.
    dt : float
        Time between samples of the result, at most [s].
    goals, starts : int
        Goals that are enough, and starts from which they are looked for at most.
    max_iterations : int
        Growths of the trees.
    max_time : float, optional
        After which it is given up [s].
    shortcuts : int
        Straight ways that are tried in place of parts of the way.
    seed : int
        Of all random numbers.
    progress : callable, optional
        Called with the name of a stage ("goals", "trees", "path"), how much of it is done and how much there is.

    Returns
    -------
    Motion

    Raises
    ------
    ArgumentError
        If something does not fit the robot, or the start collides, is beyond a limit or misses a task to be kept.
    """
    if not isinstance(model, Model):
        raise ArgumentError(f"model is {model!r}; expected a tarsus.Model")
    wanted = _single("tasks", tasks)
    kept = () if isinstance(keep, Sequence) and not keep else _single("keep", keep)
    searching = Searching(goals, starts, max_iterations, max_time, shortcuts, seed)
    start = _start(model, q0)
    if not (isinstance(margin, (int, float, np.number)) and np.isfinite(margin) and margin >= 0):
        raise ArgumentError(f"margin is {margin!r}; expected a number of at least 0 [m]")
    positive(dt, "dt", "s")
    if joints is not None and not isinstance(joints, Iterable):
        raise ArgumentError(f"joints is {joints!r}; expected names of joints")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is {progress!r}; expected a function")
    rates = rate_limits(model, v_max, vdot_max)
    space = reaching_space(model, wanted, kept, start, joints)
    scenes = _scenes(model, collision, start, space)
    _require_free(scenes, start)
    clearance = SweptClearance(space, scenes, float(margin))
    keeper = TaskSolver(space, kept) if kept else None
    if keeper is not None:
        task, error = keeper.worst(start)
        if error > KEPT_AT_START:
            raise ArgumentError(f"q0 does not meet the tasks of keep: {task_name(task)} is {error:.3g} off")
    planner = Planner(space, clearance, keeper, rates, searching, progress)
    return planner.motion((*wanted, *kept), dt)


def _single(name: str, tasks: Task | Sequence[Task]) -> tuple[Task, ...]:
    given = as_tasks(tasks, name)
    for task in given:
        if task.batch_shape():
            raise ArgumentError(f"{name}: {task_name(task)} has targets of shape {task.batch_shape()}; expected one")
    return given


def _start(model: Model, q0: npt.ArrayLike | None) -> FloatArray:
    if model.nv == 0:
        raise ArgumentError(f"{model.name!r} has no joints that could move")
    q = reference_within_limits(model) if q0 is None else as_array(q0, "q0")
    if q.shape != (model.nq,):
        raise ShapeError(f"q0: found shape {q.shape}, expected ({model.nq},)")
    return model.normalize(q)


def _scenes(
    model: Model, collision: Scene | Sequence[Scene] | None, start: FloatArray, space: MovingSpace
) -> tuple[Scene, ...]:
    """Scenes with the pairs alone whose distance changes."""
    if collision is None:
        collision = motion_scenes(model, start).scenes
    if not isinstance(collision, Scene | Iterable):
        raise ArgumentError(f"collision is {collision!r}; expected tarsus.collision.CollisionModel objects")
    scenes = (collision,) if isinstance(collision, Scene) else tuple(collision)
    for scene in scenes:
        if not isinstance(scene, Scene):
            raise ArgumentError(f"collision holds {scene!r}; expected tarsus.collision.CollisionModel objects")
        if scene.model is not model and tuple(scene.model.joints) != tuple(model.joints):
            raise ArgumentError(f"collision is a scene of {scene.model.name!r}; expected one of {model.name!r}")
    found: list[Scene] = []
    for scene in scenes:
        pairs = moving_pairs(scene, space.moving)
        if pairs:
            found.append(scene if len(pairs) == len(scene.pairs) else scene.restricted(pairs))
    return tuple(found)


def _require_free(scenes: Sequence[Scene], start: FloatArray) -> None:
    for scene in scenes:
        near = scene.nearest(start)[0]
        if near.distance <= 0:
            by = f" by {-near.distance:.3g} m" if near.distance < 0 else ""  # how deep, shapes of triangles do not know
            raise ArgumentError(
                f"q0 is in collision: {near.pair[0]!r} and {near.pair[1]!r} overlap{by}; expected a start that is free"
            )
