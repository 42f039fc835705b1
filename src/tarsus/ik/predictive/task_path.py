"""Tasks over time: targets at equal steps, as the native core reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.ik.velocity.closed_loop import warn_of_gains
from tarsus.ik.velocity.inequality import positive
from tarsus.model import Model
from tarsus.spatial import rotation_vector_from_rotation_matrix
from tarsus.tasks import Task
from tarsus.tasks.block import Block
from tarsus.tasks.task import as_tasks

KNOWN = ("position", "orientation", "center", "posture")
"""Kinds of blocks whose curvature the native core knows."""
MOST_STEPS = 1_000_000
Tasks = Task | Sequence[Task] | Callable[[float], Task | Sequence[Task]]


@dataclass(frozen=True, eq=False)
class TaskPath:
    """Targets of tasks at times that are `dt` apart.

    Attributes
    ----------
    model : Model
    core : TaskCore
        The tasks without targets.
    dt : float
        [s]
    target : ndarray, shape (steps + 1, numbers)
    rate : ndarray, shape (steps, rows)
        Velocity that leads from each target to the next one [m/s, rad/s].
    gain : ndarray, shape (rows,)
        Rate of decay of errors [1/s].
    """

    model: Model
    core: _native.TaskCore
    dt: float
    target: FloatArray
    rate: FloatArray
    gain: FloatArray

    @property
    def steps(self) -> int:
        """Steps from the first target to the last."""
        return len(self.rate)

    def window(self, first: int, steps: int) -> TaskPath:
        """A part of the path."""
        target, rate = self.target[first : first + steps + 1], self.rate[first : first + steps]
        return TaskPath(self.model, self.core, self.dt, target, rate, self.gain)


def task_path(model: Model, tasks: Tasks, dt: float, duration: float | None) -> TaskPath:
    """Sample tasks.

    Parameters
    ----------
    tasks : Task, several of them, or a callable
        Tasks with targets along one axis of time, one for every sample, or ``tasks(t)``.
    duration : float, optional
        [s]; needed where `tasks` is a function.
    """
    if model.nv == 0:
        raise ArgumentError(f"model {model.name!r} has no freedoms (nv = 0); there is nothing to choose")
    if model.base == "free" and model.rotation != "quaternion":
        raise ArgumentError(f"model {model.name!r} has rotation={model.rotation!r}; expected 'quaternion'")
    positive(dt, "dt", "s")
    sampled = _sampled(tasks, dt, duration) if callable(tasks) else [as_tasks(tasks)]
    first = sampled[0]
    warn_of_gains(first, dt)
    blocks = [_blocks(model, at) for at in sampled]
    weights = np.concatenate([task.weights(model) for task in first])
    if not (weights > 0).all():
        raise ArgumentError("weights of the tasks: found 0, expected numbers above 0; `axes` leaves rows of a task out")
    core = _core(model, blocks[0], weights)
    targets = _targets(blocks) if callable(tasks) else _batched(blocks[0], dt, duration)
    rates = [_rate(block, part, dt) for block, part in zip(blocks[0], targets, strict=True)]
    gain = np.concatenate([np.full(task.rows(model), task.gain) for task in first])
    target, rate = (np.ascontiguousarray(np.concatenate(parts, axis=-1)) for parts in (targets, rates))
    return TaskPath(model, core, dt, target, rate, gain)


def whole_steps(name: str, duration: float, dt: float) -> int:
    """Steps of a duration, which must be at least one and a multiple of `dt`."""
    positive(duration, name, "s")
    steps = round(duration / dt)
    if duration / dt < 1 - 1e-9:
        raise ArgumentError(f"{name} is {duration:g} s, shorter than a step of dt = {dt:g} s")
    if abs(duration / dt - steps) > 1e-6 * max(steps, 1):
        raise ArgumentError(f"{name} is {duration!r}; expected a multiple of dt = {dt!r}")
    if steps > MOST_STEPS:
        raise ArgumentError(f"{name} is {duration:g} s, {steps} steps of dt = {dt:g} s; at most {MOST_STEPS} are taken")
    return steps


def _sampled(
    tasks: Callable[[float], Task | Sequence[Task]], dt: float, duration: float | None
) -> list[tuple[Task, ...]]:
    if duration is None:
        raise ArgumentError("duration is None; expected one [s] where tasks is a function of time")
    return [as_tasks(tasks(k * dt)) for k in range(whole_steps("duration", duration, dt) + 1)]


def _blocks(model: Model, tasks: Sequence[Task]) -> list[Block]:
    blocks: list[Block] = []
    for task in tasks:
        own = task.blocks(model)
        if own is None or any(block.kind not in KNOWN or block.reference is not None for block in own):
            raise ArgumentError(
                f"tasks: {type(task).__name__} cannot be followed here; expected positions, orientations and poses of "
                "frames in the world, centres of mass, and postures of joints with plain coordinates"
            )
        blocks.extend(own)
    return blocks


def _core(model: Model, blocks: Sequence[Block], weights: FloatArray) -> _native.TaskCore:
    kinds = _native.enumeration("TaskKind")
    frames = [block.frame for block in blocks if block.frame is not None]
    place = iter(range(len(frames)))
    rows = [
        [kinds[block.kind], -1 if block.frame is None else next(place), -1, len(block.components)] for block in blocks
    ]
    none = [np.zeros_like(block.components) if block.coordinates is None else block.coordinates for block in blocks]
    entries = [np.stack([block.components, other], 1) for block, other in zip(blocks, none, strict=True)]
    table: dict[str, Any] = {
        "blocks": len(blocks),
        "rows": len(weights),
        "block": np.array(rows, dtype=np.int32).ravel(),
        "row": np.concatenate(entries).astype(np.int32).ravel(),
        "axis": np.concatenate([block.axis for block in blocks]),
        "weight": np.ascontiguousarray(weights / weights.max()),  # damping has a scale
    }
    return _native.TaskCore(model, frames, table)


def _targets(blocks: Sequence[Sequence[Block]]) -> list[FloatArray]:
    """Targets of every block over time, shape (samples, numbers) each."""
    for k, at in enumerate(blocks):
        if [_shape_of(block) for block in at] != [_shape_of(block) for block in blocks[0]]:
            raise ArgumentError(
                f"tasks: those at sample {k} are of other kinds, frames or axes than those at the start"
            )
        if any(block.target.ndim != 1 for block in at):
            raise ShapeError(f"tasks at sample {k} have batch axes; expected one target at a time")
    return [np.stack([at[i].target for at in blocks]) for i in range(len(blocks[0]))]


def _shape_of(block: Block) -> tuple[Any, ...]:
    return (block.kind, block.frame, tuple(block.components))


def _batched(blocks: Sequence[Block], dt: float, duration: float | None) -> list[FloatArray]:
    shapes = [block.target.shape[:-1] for block in blocks]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        found = " and ".join(map(str, dict.fromkeys(shapes)))
        raise ShapeError(f"tasks have targets of batch shapes {found}; expected as many samples of each") from None
    if len(batch) != 1 or batch[0] < 2:
        raise ShapeError(
            f"tasks have targets of batch shape {batch}; expected one axis of time with two samples at least, or a "
            "function of time"
        )
    if duration is not None and whole_steps("duration", duration, dt) != batch[0] - 1:
        raise ArgumentError(f"duration is {duration!r}; the {batch[0]} targets last {(batch[0] - 1) * dt:g} s")
    return [np.broadcast_to(block.target, (*batch, block.target.shape[-1])) for block in blocks]


def _rate(block: Block, target: FloatArray, dt: float) -> FloatArray:
    """Velocities from target to target in the rows of a block, shape (steps, rows)."""
    if block.kind == "posture":
        result: FloatArray = np.diff(target, axis=0) / dt
        return result
    if block.kind == "orientation":
        R = target.reshape(-1, 3, 3)
        full = rotation_vector_from_rotation_matrix(R[1:] @ np.swapaxes(R[:-1], -1, -2)) / dt
    else:
        full = np.diff(target, axis=0) / dt
    return full[:, block.components]
