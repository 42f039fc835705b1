"""One case after another in this process: the engine that the others are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tarsus.analysis.sweeps.engines.engine import Engine, Reply
from tarsus.analysis.sweeps.task import Task, run_task


class SerialEngine(Engine):
    """No workers: a case that ends its process ends the sweep, which then goes on from its file."""

    def run(self, tasks: Sequence[Task]) -> Iterator[Reply]:
        """One reply for every task, in order."""
        for task in tasks:
            yield Reply(task, run_task(self.function, task))
