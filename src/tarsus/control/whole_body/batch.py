"""Whole-body control of many robots in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.answer import Command, Commands
from tarsus.control.whole_body.names import task_names
from tarsus.control.whole_body.native_step import LAST_ANSWER, STATUSES
from tarsus.errors import ArgumentError
from tarsus.ik.velocity.stepper import MOST_THREADS, spread
from tarsus.spatial._arrays import as_vector, batch_shape
from tarsus.tasks import Task

if TYPE_CHECKING:
    from tarsus.control.whole_body.whole_body import WholeBody


def solve_batch(body: WholeBody, q: npt.ArrayLike, v: npt.ArrayLike, threads: int) -> Commands:
    """Commands of all robots: native ones together, those that are left one by one."""
    if not (isinstance(threads, (int, np.integer)) and 1 <= threads <= MOST_THREADS):
        raise ArgumentError(f"threads is {threads!r}; expected a whole number from 1 to {MOST_THREADS}")
    model = body.model
    at, rate = model.normalize(q), as_vector(v, "v", model.nv)
    of_tasks = np.broadcast_shapes(*(task.batch_shape() for task in body.tasks))
    batch = batch_shape(q=at.shape[:-1], v=rate.shape[:-1], tasks=of_tasks)
    rows_q, rows_v = spread(at, batch), spread(rate, batch)
    count = len(rows_q)
    if body.step is not None:
        found = body.step.run(rows_q, rows_v, batch, threads)
        status, iterations = np.array(STATUSES, dtype=object)[found.status], found.iterations
        tau, vdot, wrenches, errors = body.step.parts(found.out)
        left = np.flatnonzero(found.status > LAST_ANSWER)
    else:
        status, iterations = np.full(count, None, dtype=object), np.zeros(count, dtype=np.int32)
        tau, vdot = np.zeros((count, model.nv)), np.zeros((count, model.nv))
        wrenches = {contact.frame: np.zeros((count, 6)) for contact in body.contacts}
        rows = [task.rows(model) for task in body.tasks]
        errors = {name: np.zeros((count, size)) for name, size in zip(task_names(body.tasks), rows, strict=True)}
        left = np.arange(count)
    for k in left.tolist():
        own = body if not of_tasks else body.alike([[member(t, batch, k) for t in level] for level in body.levels])
        command = own.solve_in_python(rows_q[k], rows_v[k])
        tau[k], vdot[k], status[k], iterations[k] = command.tau, command.vdot, command.status, command.iterations
        _put(command, k, wrenches, errors)
    return Commands(
        tau.reshape(*batch, model.nv),
        vdot.reshape(*batch, model.nv),
        {name: array.reshape(*batch, 6) for name, array in wrenches.items()},
        status.reshape(batch),
        {name: array.reshape(*batch, array.shape[-1]) for name, array in errors.items()},
        iterations.reshape(batch),
    )


def _put(command: Command, k: int, wrenches: dict[str, FloatArray], errors: dict[str, FloatArray]) -> None:
    for frame, array in wrenches.items():
        array[k] = command.wrenches[frame]
    for name, array in errors.items():
        array[k] = command.errors.get(name, np.nan)


def member(task: Task, batch: tuple[int, ...], k: int) -> Task:
    """The task of one member of a batch, which are numbered as if it had one axis."""
    taken: dict[str, Any] = {}
    for name, axes in {**task.target_axes, "velocity": 1, "acceleration": 1}.items():
        value = getattr(task, name)
        if value is None or np.ndim(value) <= axes:
            continue
        array = np.asarray(value, dtype=float)
        single = array.shape[array.ndim - axes :]
        taken[name] = np.broadcast_to(array, (*batch, *single)).reshape(-1, *single)[k]
    return task.with_target(**taken) if taken else task
