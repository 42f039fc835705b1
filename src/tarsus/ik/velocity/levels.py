"""Levels of falling priority: tasks and inequalities that a person gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tarsus.errors import ArgumentError
from tarsus.ik.velocity.avoidance import Avoidance
from tarsus.ik.velocity.inequality import Inequality
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.tasks import Task

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel

Item = Task | Inequality
"""What may stand on a level."""
Wishes = Item | Sequence[Item] | Sequence[Item | Sequence[Item]]
"""One task, tasks of one level, or levels of falling priority."""


def is_ranked(tasks: Wishes) -> bool:
    """Whether there are levels, or inequalities among the tasks."""
    if isinstance(tasks, Task) or not isinstance(tasks, Sequence):
        return isinstance(tasks, Inequality)
    return any(isinstance(part, (Sequence, Inequality)) for part in tasks)


def as_levels(tasks: Wishes) -> tuple[tuple[Item, ...], ...]:
    """Levels, the most important one first; a flat sequence is one level. What is empty or no task is refused."""
    if isinstance(tasks, (Task, Inequality)):
        return ((tasks,),)
    if not isinstance(tasks, Sequence) or isinstance(tasks, str):
        raise ArgumentError(f"tasks is {tasks!r}; expected tasks of tarsus.tasks, or levels of them")
    if not tasks:
        raise ArgumentError("tasks is empty; expected at least one task")
    if not any(isinstance(part, Sequence) for part in tasks):
        return (_level(tasks, 0),)
    return tuple(_level(part if isinstance(part, Sequence) else (part,), k) for k, part in enumerate(tasks))


def _level(items: Sequence[object], number: int) -> tuple[Item, ...]:
    if not items:
        raise ArgumentError(f"level {number} of the tasks is empty; expected at least one task")
    found: list[Item] = []
    for item in items:
        if not isinstance(item, (Task, Inequality)):
            raise ArgumentError(f"level {number} of the tasks holds {item!r}; expected tasks or inequalities")
        found.append(item)
    return tuple(found)


def as_limits(limits: bool | Limits | None) -> Limits | None:
    """True for the limits of the model."""
    if limits is None or limits is False:
        return None
    if limits is True:
        return Limits()
    if not isinstance(limits, Limits):
        raise ArgumentError(f"limits is {limits!r}; expected True or ts.ik.Limits")
    return limits


def as_avoidance(collision: CollisionModel | Avoidance | None) -> Avoidance | None:
    """A collision model is avoided with the default distances."""
    if collision is None or isinstance(collision, Avoidance):
        return collision
    return Avoidance(collision)


def as_inequalities(given: Inequality | Sequence[Inequality]) -> tuple[Inequality, ...]:
    """Inequalities that hold before all tasks."""
    found = (given,) if isinstance(given, Inequality) else tuple(given)
    for part in found:
        if not isinstance(part, Inequality):
            raise ArgumentError(f"inequalities holds {part!r}; expected ts.ik.Within, LinearInequality or others")
    return found
