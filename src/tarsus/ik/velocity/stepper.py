"""Steps of velocity-level inverse kinematics in one native call each: rows, bounds, quadratic program, integration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import ArgumentError, NonFiniteError, QuaternionNormError, ShapeError
from tarsus.ik.position.answer import shaped
from tarsus.ik.position.native_solver import native_blocks, task_table
from tarsus.ik.velocity.avoidance import Avoidance
from tarsus.ik.velocity.closed_loop import warn_of_gains
from tarsus.ik.velocity.inequality import Inequality, Moment, VelocityRows, positive, stacked_rows
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.levels import Wishes, as_avoidance, as_inequalities, as_levels, as_limits
from tarsus.ik.velocity.step_table import limit_table
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks import Task
from tarsus.tasks.block import Block

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel

DAMPING = 1e-6
"""Weight of |v|^2 beside the squares of what the last level misses."""
STATUSES = tuple(_native.enumeration("StepStatus"))
_NOT_FINITE, _BAD_NORM = STATUSES.index("not finite"), STATUSES.index("bad norm")


MOST_THREADS = 1024


@dataclass(frozen=True, slots=True, eq=False)
class StepAnswer:
    """One step of one robot or of many.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
        After the step.
    v : ndarray, shape (..., nv)
        With which it was made.
    status : str, or ndarray of str, shape (...)
        "solved"; "held back": levels above the last one move less than they ask; "infeasible": rows of inequalities or
        of joints that follow others contradict the limits, and the robot stops as far as the limits of its joints
        allow; "loop open": a loop does not close at q, and the robot stays; "failed": the program could not be solved,
        and the robot stops.
    residuals : ndarray, shape (..., tasks)
        Largest miss of the velocities that each task asks for, [m/s, rad/s, ...].
    """

    q: FloatArray
    v: FloatArray
    status: Any
    residuals: FloatArray


class StepTargets(NamedTuple):
    """Targets of all tasks as numbers.

    Attributes
    ----------
    target : ndarray, shape (..., numbers)
    velocity : ndarray, shape (..., rows)
    """

    target: FloatArray
    velocity: FloatArray


class Stepper(_native.StepCore):
    """Velocity-level inverse kinematics as a loop calls it: ``q = step(q)``, native from the targets to the next q.

    The last level is the minimum of its weighted squares plus damping |v|^2 within the limits. Levels above it are
    followed exactly where that is possible within the limits and what the levels before them leave, else they are such
    minima, too; what a level reached is not disturbed by those below. One level is thus weighted least squares within
    bounds; with two, the tasks of the first are hard. Near singularities of levels that can be followed exactly it is
    the limits that bound v.

    Where a target of the only level is out of reach, joints of a model without loops come to rest at the nearest place:
    minima have more damping, gain dt times the errors times the second derivatives of the tasks, below which steps
    overshoot. It vanishes with the error.

    Examples
    --------
    >>> model = ts.robots.crops9()
    >>> step = ts.ik.Stepper(model, ts.tasks.Position("tool", [0.5, 0.2, 0.8]), dt=1e-3)
    >>> q = step(model.reference)
    """

    model: Model
    tasks: tuple[Task, ...]
    dt: float
    _limits: Limits | None
    _held: tuple[Inequality, ...]
    _buffers: dict[str, Any]
    _ends: IntArray
    _parts: list[tuple[FloatArray, FloatArray]]

    def __new__(
        cls,
        model: Model,
        tasks: Wishes,
        *,
        dt: float,
        limits: bool | Limits | None = True,
        collision: CollisionModel | Avoidance | None = None,
        inequalities: Inequality | Sequence[Inequality] = (),
        damping: float = DAMPING,
    ) -> Self:
        """Check everything once, and make the native tables.

        Parameters
        ----------
        model : Model
        tasks : Task, sequence, or sequence of sequences
            Tasks or levels of them, as for `velocity`; tasks that run in Python (`Function`, `Distance`,
            postures of ball joints) are refused.
        dt : float
            Length of a step [s].
        limits : bool or Limits
            Of the joints; True for those of the model.
        collision : CollisionModel or Avoidance, optional
            Distances that are kept. Their gradients are a native call of their own, made from Python.
        inequalities : sequence of Inequality
            Others; they are evaluated in Python.
        damping : float
            Weight of |v|^2 in the last level, where nothing is missed.
        """
        positive(dt, "dt", "s")
        positive(damping, "damping", "1")
        if model.nv == 0:
            raise ArgumentError(f"model {model.name!r} has no freedoms; expected at least one")
        levels = [_tasks_only(level) for level in as_levels(tasks)]
        flat = tuple(task for level in levels for task in level)
        warn_of_gains(flat, dt)
        blocks = [_blocks(model, task) for task in flat]
        weights = np.concatenate([task.weights(model) for task in flat])
        if not (weights > 0).any():
            raise ArgumentError("nothing is asked for: the tasks have no rows, or all of their weights are zero")
        rows = [task.rows(model) for task in flat]
        first = as_targets(model, flat, blocks)
        if first.target.ndim > 1 or first.velocity.ndim > 1:
            raise ShapeError("targets of Stepper have batch axes; give one target each here, many by solve(targets=)")
        avoidance, held = as_avoidance(collision), as_inequalities(inequalities)
        held = held if avoidance is None else (avoidance, *held)
        own = as_limits(limits)
        buffers: dict[str, Any] = {"target": first.target, "velocity": first.velocity, "v": np.zeros(model.nv)}
        buffers |= {"missed": np.zeros(sum(rows)), "status": np.zeros(1, dtype=np.int32)}
        counts = np.cumsum([sum(task.rows(model) for task in level) for level in levels])
        table = {
            **limit_table(model, own),
            **buffers,
            "levels": len(levels),
            "level_end": counts.astype(np.int32),
            "gain": np.repeat([float(task.gain) for task in flat], rows),
            "dt": float(dt),
            "damping": float(damping),
            "extra": _capacity(model, held, dt),
            "plain": int(not held),
            "paced": int(own is not None and own.acceleration is not None),
        }
        names, core_table = task_table([block for own_blocks in blocks for block in own_blocks], weights)
        self = super().__new__(cls, _native.TaskCore(model, names, core_table), table)
        self.model, self.tasks, self.dt = model, flat, dt
        self._limits, self._held, self._buffers = own, held, buffers
        self._ends = np.cumsum(rows)[:-1]
        numbers = np.cumsum([sum(block.target.shape[-1] for block in part) for part in blocks])[:-1]
        self._parts = list(zip(np.split(first.target, numbers), np.split(first.velocity, self._ends), strict=True))
        return self

    # What a single step left behind.

    @property
    def v(self) -> FloatArray:
        """Velocity of the last step of one robot, shape (nv,)."""
        return np.array(self._buffers["v"])

    @property
    def status(self) -> str:
        """How the last step of one robot ended, as `StepAnswer.status`."""
        return STATUSES[int(self._buffers["status"][0])]

    @property
    def residuals(self) -> FloatArray:
        """Largest miss of each task in the last step of one robot, shape (tasks,)."""
        return self._residuals(self._buffers["missed"])

    # Targets.

    def target(self, task: int) -> FloatArray:
        """Numbers of the target of a task, to be written into: ``step.target(0)[:] = p``.

        A point (3,) of `Position`, `CenterOfMass` and `LookAt`; axes (9,) of `Orientation`, its matrix by rows; both
        (12,) of `FramePose`; coordinates of the chosen joints of `Posture`. What is written is checked to be finite
        only.
        """
        return self._parts[self._number(task)][0]

    def target_velocity(self, task: int) -> FloatArray:
        """Velocities of the target of a task, one for each of its rows, to be written into."""
        return self._parts[self._number(task)][1]

    def _number(self, task: int) -> int:
        if not (isinstance(task, (int, np.integer)) and -len(self.tasks) <= task < len(self.tasks)):
            raise ArgumentError(f"task is {task!r}; expected the number of one of {len(self.tasks)} tasks")
        return int(task)

    def set_target(self, task: int, **fields: Any) -> None:
        """Other fields of a task: ``step.set_target(0, pose=X, velocity=V)``, checked as those of a new one."""
        k = self._number(task) % len(self.tasks)
        changed = self.tasks[k].with_target(**fields)
        for name in fields:
            if name in ("gain", "weight", "axes", "frame", "reference", "joints"):
                raise ArgumentError(f"{name} of a task of Stepper cannot be changed; make another Stepper")
        found = as_targets(self.model, (changed,), [_blocks(self.model, changed)])
        if found.target.ndim > 1 or found.velocity.ndim > 1:
            raise ShapeError(f"{', '.join(fields)}: found batch axes, expected one target")
        self.target(k)[:], self.target_velocity(k)[:] = found
        self.tasks = (*self.tasks[:k], changed, *self.tasks[k + 1 :])

    def pack(self, tasks: Wishes) -> StepTargets:
        """Targets of the same tasks with others, which may have batch axes, for `solve`."""
        flat = tuple(task for level in as_levels(tasks) for task in _tasks_only(level))
        kinds = [type(task) for task in self.tasks]
        if [type(task) for task in flat] != kinds:
            raise ArgumentError(f"tasks: found {[type(t).__name__ for t in flat]}, expected those of this Stepper")
        found = as_targets(self.model, flat, [_blocks(self.model, task) for task in flat])
        expected = self._buffers["target"].shape[-1], self._buffers["velocity"].shape[-1]
        if (found.target.shape[-1], found.velocity.shape[-1]) != expected:
            raise ShapeError("tasks: found other axes or joints than those of this Stepper")
        return found

    # Steps.

    def solve(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None = None,
        *,
        targets: StepTargets | None = None,
        threads: int = 1,
    ) -> StepAnswer:
        """One step of one robot or of many.

        Parameters
        ----------
        q : array_like, shape (..., nq)
        v : array_like, shape (..., nv), optional
            Velocity of the step before; needed where accelerations are limited.
        targets : StepTargets, optional
            From `pack`, with batch axes that broadcast against those of q; those of this Stepper by default.
        threads : int
            Results do not depend on it.
        """
        if not (isinstance(threads, (int, np.integer)) and 1 <= threads <= MOST_THREADS):
            raise ArgumentError(f"threads is {threads!r}; expected a whole number from 1 to {MOST_THREADS}")
        model, goal = self.model, targets or StepTargets(self._buffers["target"], self._buffers["velocity"])
        at = as_vector(q, "q", model.nq)
        paced = self._limits is not None and self._limits.acceleration is not None
        if paced and v is None:
            raise ArgumentError("v is missing; limits of acceleration need the velocity of the step before")
        before = as_vector(v, "v", model.nv) if paced and v is not None else None
        batch = np.broadcast_shapes(
            at.shape[:-1], goal.target.shape[:-1], goal.velocity.shape[:-1], () if before is None else before.shape[:-1]
        )
        count = int(np.prod(batch))
        run: dict[str, Any] = {"count": count, "q": spread(at, batch), "before": None}
        if before is not None:
            run["before"] = spread(before, batch)
        for name, many, array in (("target", "targets", goal.target), ("velocity", "velocities", goal.velocity)):
            run[many] = 1 if array.ndim == 1 else count
            run[name] = np.ascontiguousarray(array) if array.ndim == 1 else spread(array, batch)
        run |= self._inequality_rows(run["q"], run["before"])
        results: dict[str, Any] = {
            "next": np.empty((count, model.nq)),
            "v": np.empty((count, model.nv)),
            "missed": np.empty((count, len(self._buffers["missed"]))),
            "status": np.zeros(count, dtype=np.int32),
        }
        self.run(run | results, threads)
        _refuse(results["status"], batch)
        names = np.array(STATUSES, dtype=object)[results["status"]]
        return StepAnswer(
            results["next"].reshape(*batch, model.nq),
            results["v"].reshape(*batch, model.nv),
            shaped(names, batch) if count else names.reshape(batch),
            self._residuals(results["missed"]).reshape(*batch, len(self.tasks)),
        )

    def _general(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None, *, threads: int = 1) -> FloatArray:
        """What the native call leaves to Python: batches, other types, inequalities, bad arguments."""
        answer = self.solve(q, v, threads=threads)
        if answer.q.ndim == 1:
            self._buffers["v"][:] = answer.v
            self._buffers["missed"][:] = np.repeat(answer.residuals, [task.rows(self.model) for task in self.tasks])
            self._buffers["status"][0] = STATUSES.index(answer.status)
        return answer.q

    def _residuals(self, missed: FloatArray) -> FloatArray:
        parts = np.split(np.abs(missed), self._ends, axis=-1)
        return np.stack([part.max(axis=-1, initial=0.0) for part in parts], axis=-1)

    def _inequality_rows(self, q: FloatArray, before: FloatArray | None) -> dict[str, Any]:
        """Rows of inequalities of all members, as many for each as that with the most has."""
        nv = self.model.nv
        found: list[VelocityRows] = []
        for k in range(len(q) if self._held else 0):
            moment = Moment(q[k], self.dt, None if before is None else before[k])
            found.append(stacked_rows([part.rows(self.model, moment) for part in self._held], nv))
        most = max((len(rows.lower) for rows in found), default=0)
        C = np.zeros((len(q), most, nv))
        lower, upper = np.full((len(q), most), -np.inf), np.full((len(q), most), np.inf)
        for k, rows in enumerate(found):
            count = len(rows.lower)
            C[k, :count], lower[k, :count], upper[k, :count] = rows.A, rows.lower, rows.upper
        return {"extra": most, "C": C, "lower": lower, "upper": upper}


def as_targets(model: Model, tasks: Sequence[Task], blocks: Sequence[Sequence[Block]]) -> StepTargets:
    """Targets and their velocities as numbers, with the batch axes of the tasks."""
    targets = [block.target for part in blocks for block in part]
    velocities = [task.target_velocity(model) for task in tasks]
    return StepTargets(joined(targets), joined(velocities))


def joined(parts: Sequence[FloatArray]) -> FloatArray:
    """Numbers of several arrays one after the other, their batch axes broadcast."""
    batch = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts], axis=-1, dtype=float)


def spread(array: FloatArray, batch: tuple[int, ...]) -> FloatArray:
    """Rows of all members of a batch, shape (n, numbers)."""
    return np.ascontiguousarray(np.broadcast_to(array, (*batch, array.shape[-1]))).reshape(-1, array.shape[-1])


def _tasks_only(level: Sequence[object]) -> list[Task]:
    for item in level:
        if not isinstance(item, Task):
            raise ArgumentError(f"tasks of Stepper hold {type(item).__name__}; give it as inequalities=")
    return [item for item in level if isinstance(item, Task)]


def _blocks(model: Model, task: Task) -> list[Block]:
    blocks = native_blocks(model, [task])
    if blocks is None:
        what = f"task {type(task).__name__}" if task.blocks(model) is None else f"rotation={model.rotation!r}"
        raise ArgumentError(f"{what} runs in Python, and Stepper is native; take ts.ik.velocity")
    return blocks


def _capacity(model: Model, held: Sequence[Inequality], dt: float) -> int:
    """Rows of inequalities, at most."""
    count = 0
    for part in held:
        if isinstance(part, Avoidance):
            count += len(part.parts.segments)
        else:
            count += len(part.rows(model, Moment(model.reference, dt, np.zeros(model.nv))).lower)
    return count


def _refuse(status: npt.NDArray[np.int32], batch: tuple[int, ...]) -> None:
    bad = np.flatnonzero(status >= _NOT_FINITE)
    if len(bad) == 0:
        return
    where = str(tuple(int(k) for k in np.unravel_index(bad[0], batch))) if batch else ""
    if status[bad[0]] == _BAD_NORM:
        raise QuaternionNormError(f"q{where} of Stepper has a quaternion of a norm other than 1 within 0.001")
    raise NonFiniteError(f"q, v or the targets{where} of Stepper are not finite, or so large that errors are not")
