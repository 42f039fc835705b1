"""Names by which the tasks and contacts of a controller are told apart."""

from __future__ import annotations

from collections.abc import Sequence

from tarsus.control.whole_body.contact import Contact
from tarsus.tasks import Task


def task_names(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Kind and frame of each task, with its number where an earlier one has the same."""
    frames = [getattr(task, "frame", None) for task in tasks]
    kinds = [type(task).__name__ for task in tasks]
    return _numbered([kind if frame is None else f"{kind} {frame}" for kind, frame in zip(kinds, frames, strict=True)])


def contact_names(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """Frame of each contact, with its number where an earlier one is on the same."""
    return _numbered([contact.frame for contact in contacts])


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name if name not in names[:i] else f"{name} {i}" for i, name in enumerate(names))
