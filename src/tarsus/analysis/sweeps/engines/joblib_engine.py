"""Workers of joblib: processes of this machine, or whatever `joblib.parallel_config` chose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import joblib
from joblib.externals.loky.process_executor import BrokenProcessPool

from tarsus.analysis.sweeps.engines.engine import Engine, Reply
from tarsus.analysis.sweeps.task import Task, run_task


class JoblibEngine(Engine):
    """`joblib.Parallel`, which ends all its workers where one ends: what they had is told as lost, and may go again."""

    def run(self, tasks: Sequence[Task]) -> Iterator[Reply]:
        """One reply for every task, as they come."""
        rest = iter(tasks)
        while True:
            handed_out: dict[int, Task] = {}

            def calls(handed_out: dict[int, Task] = handed_out) -> Iterator[Any]:
                for task in rest:
                    handed_out[task.number] = task
                    yield joblib.delayed(_numbered)(self.function, task)

            try:
                for number, body in self._parallel()(calls()):
                    yield Reply(handed_out.pop(number), body)
                return
            except BrokenProcessPool as error:
                ending = f"a worker of joblib ended ({type(error).__name__})"
                for task in list(handed_out.values()):
                    yield Reply(task, None, ending)

    def _parallel(self) -> joblib.Parallel:
        """At least two workers, as one would be this process; but no more cases at a time than were asked for."""
        return joblib.Parallel(
            n_jobs=max(2, self.workers),
            pre_dispatch=self.workers,
            batch_size=1,
            return_as="generator_unordered",
        )


def _numbered(function: Callable[..., Any], task: Task) -> tuple[int, str]:
    return task.number, run_task(function, task)
