"""Processes of this machine, each with a pipe of its own: where one ends, it is known which case it had."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from tarsus.analysis.sweeps.engines.engine import Engine, Reply
from tarsus.analysis.sweeps.task import Task, run_task
from tarsus.errors import ArgumentError, SweepError

_READY = b"ready"
_STARTS = 3
"""Workers in a row that may end before they are ready."""
_GRACE = 5.0
"""Time that a worker has to end when it is told to [s]."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A process and this side of its pipe."""

    process: SpawnProcess
    pipe: Connection
    ready: bool = False

    def ended(self) -> str:
        """Wait for the end of a process that closed its pipe; how it ended."""
        self.process.join(_GRACE)
        code = self.process.exitcode
        if code is not None and code < 0:
            return f"its worker was ended by {signal.Signals(-code).name}"
        return f"its worker ended with exit code {code}"


class ProcessesEngine(Engine):
    """Processes that are started anew, so that nothing of this one (threads, locks, random numbers) is in them.

    Raises
    ------
    ArgumentError
        If the function cannot be sent to another process: a lambda, or a function inside another.
    """

    def __init__(self, function: Callable[..., Any], workers: int) -> None:
        super().__init__(function, workers)
        try:
            self._pickled = pickle.dumps(function)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise ArgumentError(
                f"function cannot be sent to another process ({error}); expected one that a module defines at its "
                "top level, or engine 'joblib' or 'dask', which send the function itself"
            ) from None
        self._idle: list[_Worker] = []
        self._busy: dict[_Worker, Task] = {}
        self._failed_starts = 0

    def run(self, tasks: Sequence[Task]) -> Iterator[Reply]:
        """One reply for every task, as they come."""
        waiting = deque(tasks)
        while waiting or self._busy:
            while waiting and len(self._busy) < self.workers:
                self._hand_out(waiting)
            by_pipe = {worker.pipe: worker for worker in self._busy}
            for pipe in multiprocessing.connection.wait(list(by_pipe)):
                reply = self._take(by_pipe[pipe], waiting)  # type: ignore[index]
                if reply is not None:
                    yield reply

    def _hand_out(self, waiting: deque[Task]) -> None:
        worker = self._idle.pop() if self._idle else self._started()
        try:
            worker.pipe.send(waiting[0])
        except OSError:  # it ended while it had nothing to do
            worker.pipe.close()
            worker.process.join()
            return
        self._busy[worker] = waiting.popleft()

    def _started(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        mine, other = context.Pipe()
        process = context.Process(target=_serve, args=(other, self._pickled), daemon=True)
        try:
            process.start()
        finally:
            other.close()  # so that the end of the worker is the end of the pipe
        return _Worker(process, mine)

    def _take(self, worker: _Worker, waiting: deque[Task]) -> Reply | None:
        """Reply of a worker that has something to say; None where it only said that it is ready, or could not start."""
        try:
            message = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            task = self._busy.pop(worker)
            ending = worker.ended()
            worker.pipe.close()
            if worker.ready:
                return Reply(task, None, ending)
            self._failed_starts += 1
            if self._failed_starts == _STARTS:
                raise SweepError(
                    f'workers cannot be started: {ending}; a script needs `if __name__ == "__main__":` around its sweep'
                ) from None
            waiting.appendleft(task)
            return None
        if worker.ready:
            self._idle.append(worker)
            return Reply(self._busy.pop(worker), message.decode())
        if message != _READY:
            raise SweepError(
                f"a worker cannot import the function ({message.decode()}); expected one that a module or a script "
                "defines at its top level, or engine 'joblib' or 'dask', which send the function itself"
            )
        worker.ready, self._failed_starts = True, 0
        return None

    def close(self) -> None:
        """End all workers, also those in the middle of a case."""
        workers = [*self._idle, *self._busy]
        for worker in workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in workers:
            worker.process.join(_GRACE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._idle, self._busy = [], {}


def _end_with_parent() -> None:
    """End this worker in the middle of its case if the process that waits for it is gone, however it ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _serve(pipe: Connection, pickled: bytes) -> None:
    """Run tasks until the pipe is closed: what a worker does.

    Ctrl-C goes to all processes of a terminal: the one that waits for this one decides.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        function = pickle.loads(pickled)
    except Exception as error:
        pipe.send_bytes(f"{type(error).__name__}: {error}".encode(errors="backslashreplace"))
        return
    pipe.send_bytes(_READY)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        body = run_task(function, task).encode()
        try:
            pipe.send_bytes(body)
        except OSError:  # the process that waited is gone
            return
