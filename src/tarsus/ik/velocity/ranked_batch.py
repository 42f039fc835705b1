"""Hierarchies of velocities of a batch, member by member."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.inequality import Inequality, Moment, Within
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.levels import Item
from tarsus.ik.velocity.ranked import RankedVelocity, ranked_problem, ranked_velocity
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector
from tarsus.tasks import Task


@dataclass(frozen=True, slots=True, eq=False)
class RankedOptions:
    """What velocities respect before tasks.

    Attributes
    ----------
    limits : Limits or None
    inequalities : tuple of Inequality
        Avoidance of collisions among them.
    dt : float or None
        [s]
    v_previous : array_like, shape (..., nv), or None
    """

    limits: Limits | None
    inequalities: tuple[Inequality, ...]
    dt: float | None
    v_previous: npt.ArrayLike | None


def ranked_batch(
    model: Model,
    levels: Sequence[Sequence[Item]],
    q: npt.ArrayLike,
    W: FloatArray,
    z: FloatArray,
    options: RankedOptions,
) -> tuple[tuple[int, ...], list[RankedVelocity]]:
    """Shape of the batch, and the velocities of its members.

    Parameters
    ----------
    q : array_like, shape (..., nq)
        Broadcasts against targets, gradients z of shape (..., nv) and earlier velocities.
    """
    at = as_vector(q, "q", model.nq)
    before = None if options.v_previous is None else as_vector(options.v_previous, "v_previous", model.nv)
    batch = np.broadcast_shapes(
        at.shape[:-1],
        z.shape[:-1],
        () if before is None else before.shape[:-1],
        *(_task_of(item).batch_shape() for level in levels for item in level if _task_of(item) is not None),
    )

    def members(array: FloatArray | None) -> Any:
        return None if array is None else np.broadcast_to(array, (*batch, array.shape[-1])).reshape(-1, array.shape[-1])

    at, slopes, before = members(at), members(z), members(before)
    found = []
    for k in range(len(at)):
        row = np.array([k])
        own = [[_of_member(item, batch, row) for item in level] for level in levels] if batch else levels
        moment = Moment(at[k], options.dt, None if before is None else before[k])
        problem = ranked_problem(model, own, moment, options.limits, options.inequalities)
        found.append(ranked_velocity(problem, W, slopes[k]))
    return batch, found


def _task_of(item: Item) -> Any:
    return item if isinstance(item, Task) else item.task if isinstance(item, Within) else None


def _of_member(item: Item, batch: tuple[int, ...], row: Any) -> Item:
    """An item with the target of one member of the batch, without batch axes."""
    if isinstance(item, Within):
        return Within(_squeezed(item.task, batch, row), item.lower, item.upper, item.rate)
    return _squeezed(item, batch, row) if isinstance(item, Task) else item


def _squeezed(task: Task, batch: tuple[int, ...], row: Any) -> Task:
    one = task.of_rows(batch, row)
    fields = {name: np.asarray(value)[0] for name, value, axes in one._targets() if np.ndim(value) > axes}
    return one.with_target(**fields) if fields else one
