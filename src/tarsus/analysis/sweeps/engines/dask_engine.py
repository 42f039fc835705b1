"""Workers of Dask: of a cluster that runs already, or of one that is made here on this machine."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import dask
from distributed import Client, LocalCluster, as_completed
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from tarsus.analysis.sweeps.engines.engine import Engine, Reply
from tarsus.analysis.sweeps.task import Task, run_task
from tarsus.errors import ArgumentError, SweepError

_AHEAD = 4
"""Cases a worker that the scheduler knows of, so that no worker waits and no scheduler drowns."""


class DaskEngine(Engine):
    """A cluster of Dask.

    Parameters
    ----------
    client : distributed.Client, str or None
        The cluster, or the address of its scheduler; None makes a `LocalCluster` of processes with one thread each.
    """

    def __init__(self, function: Callable[..., Any], workers: int, client: Client | str | None) -> None:
        super().__init__(function, workers)
        self._ends = contextlib.ExitStack()
        if isinstance(client, Client):
            self._client = client
        elif client is None or isinstance(client, str):
            self._client = self._ends.enter_context(Client(client or self._local_cluster(), set_as_default=False))
        else:
            raise ArgumentError(
                f"client is of type {type(client).__name__}, expected a distributed.Client or its address"
            )

    def _local_cluster(self) -> LocalCluster:
        """The sweep itself decides how often a case that ended its worker is tried: the scheduler does not."""
        self._ends.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 0}))
        return self._ends.enter_context(
            LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,  # ends of workers are told by the sweep
            )
        )

    def run(self, tasks: Sequence[Task]) -> Iterator[Reply]:
        """One reply for every task, as they come."""
        waiting = iter(tasks)
        known: dict[str, Task] = {}

        def submitted(task: Task) -> Any:
            future = self._client.submit(run_task, self.function, task, pure=False)
            known[future.key] = task
            return future

        ahead = max(1, _AHEAD * sum(self._client.nthreads().values()))
        coming = as_completed([submitted(task) for task in islice(waiting, ahead)], loop=self._client.loop)
        for future in coming:
            yield _reply(future, known.pop(future.key))
            for following in islice(waiting, 1):
                coming.add(submitted(following))

    def close(self) -> None:
        """End the cluster if it was made here."""
        self._ends.close()


def _reply(future: Any, task: Task) -> Reply:
    """What a future holds that is finished, failed, or lost with the worker that had its result."""
    try:
        return Reply(task, str(future.result()))
    except (KilledWorker, FutureCancelledError) as error:
        return Reply(task, None, f"its worker of Dask ended ({type(error).__name__})")
    except Exception as error:
        raise SweepError(f"a worker of Dask cannot run a case: {type(error).__name__}: {error}") from error
