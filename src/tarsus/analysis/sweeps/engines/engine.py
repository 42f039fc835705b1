"""What every engine can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tarsus.analysis.sweeps.task import Task


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a task.

    Attributes
    ----------
    task : Task
    body : str or None
        What `run_task` returned; None where the worker ended, perhaps by the doing of another case beside it.
    ending : str
        How the worker ended.
    """

    task: Task
    body: str | None
    ending: str = ""


class Engine(ABC):
    """Runs `run_task(function, task)` for tasks, somewhere.

    Parameters
    ----------
    function : callable
    workers : int
        Cases that run at the same time.
    """

    def __init__(self, function: Callable[..., Any], workers: int) -> None:
        self.function = function
        self.workers = workers

    @abstractmethod
    def run(self, tasks: Sequence[Task]) -> Iterator[Reply]:
        """One reply for every task, in any order, as they come."""

    def close(self) -> None:  # noqa: B027
        """End all workers; also in the middle of a run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
