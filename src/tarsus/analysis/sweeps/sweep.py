"""The same function for many cases, on many cores and machines, with one file of results."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from tarsus.analysis.sweeps.cases import Case, made_cases
from tarsus.analysis.sweeps.code_state import code_state, function_name
from tarsus.analysis.sweeps.engines import make_engine
from tarsus.analysis.sweeps.engines.engine import Engine, Reply
from tarsus.analysis.sweeps.outcome import Sweep
from tarsus.analysis.sweeps.plain_values import compact
from tarsus.analysis.sweeps.results_file import results_file
from tarsus.analysis.sweeps.task import Task, program
from tarsus.errors import ArgumentError, SweepError
from tarsus.simulation.progress import progress_bar

EngineName = Literal["serial", "processes", "joblib", "dask"]


def sweep(
    function: Callable[..., Any],
    cases: Iterable[Mapping[str, Any]],
    *,
    engine: EngineName = "serial",
    workers: int | None = None,
    results: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    retries: int = 2,
    mixed: bool = False,
    overwrite: bool = False,
    client: Any = None,
    progress: bool | None = None,
) -> Sweep:
    """Call a function for every case; values are the same bits for every engine and number of workers.

    A case that raises is told with its error, and the others go on. So do they where a worker ends (killed, out of
    memory, a crash): what it had is tried again, at last with nothing beside it, and then told as lost. With `results`
    every case that is done is in a file; a sweep that was ended, by Ctrl-C or otherwise, goes on from there when it is
    called again.

    Parameters
    ----------
    function : callable
        Called with the arguments of a case, and with `seed` where one is given. It returns numbers, text, arrays, or
        lists and dictionaries of them, and depends on nothing but its arguments.
    cases : iterable of mappings
        Keyword arguments; `grid` makes all combinations. No two are the same.
    engine : {"serial", "processes", "joblib", "dask"}
        This process; processes that are started anew; `joblib.Parallel`; a cluster of Dask. The last two need
        ``tarsus[sweep]``.
    workers : int, optional
        Cases at a time; one a core by default. A cluster of Dask that runs already has its own.
    results : path, optional
        File of results (JSON lines: docs/sweeps.md), made or gone on with. When the sweep is done, its lines are in the
        order of the cases.
    seed : int, optional
        Every case gets a keyword argument `seed` made of this and of its arguments, whatever the other cases are.
    retries : int
        How often a case is tried again whose worker ended.
    mixed : bool
        Keep the values of a file that other code computed (version, commit, instruction set, text of the function's
        file), which is refused otherwise. Errors of other code are tried again.
    overwrite : bool
        Begin anew whatever the file holds.
    client : distributed.Client or str, optional
        A cluster of Dask, or the address of its scheduler; by default one is made of processes of this machine.
    progress : bool, optional
        Show a progress bar on standard error; by default where that is a terminal, once it takes long.

    Returns
    -------
    Sweep
        Outcomes in the order of the cases. Its `values` raise where a case has none.

    Raises
    ------
    ArgumentError
        If cases do not suit the function, or the function cannot be sent to workers.
    SweepError
        If the file is of another sweep or of other code, or workers cannot be started or run another version.
    """
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise ArgumentError(f"retries is {retries!r}, expected an int of at least 0")
    known = made_cases(function, cases, seed)
    name, code = function_name(function), code_state(function)
    path = None if results is None else Path(results)
    with results_file(path, name, seed, code, mixed=mixed, overwrite=overwrite) as file:
        todo = [case for case in known if not file.is_done(case)]
        with progress_bar(progress, len(known), "sweep") as tell:
            tell(len(known) - len(todo))
            if todo:
                with make_engine(engine, function, workers, client) as runner:
                    for done, (case, body) in enumerate(_bodies(runner, todo, retries), len(known) - len(todo) + 1):
                        file.add(case, body)
                        tell(done)
        file.finish(known)
        return Sweep(tuple(file.lines[case].outcome() for case in known), path)


def _bodies(engine: Engine, cases: Sequence[Case], retries: int) -> Iterator[tuple[Case, str]]:
    """Outcomes as they come. Cases whose worker ended go again, the last time one by one: then it is their doing."""
    tasks = [Task(number, case, program()) for number, case in enumerate(cases)]
    lost: list[Reply] = []
    for attempt in range(retries + 1):
        lost = []
        for reply in _replies(engine, tasks, one_by_one=attempt == retries > 0):
            if reply.body is None:
                lost.append(reply)
            else:
                yield reply.task.case, reply.body
        tasks = sorted((reply.task for reply in lost), key=lambda task: task.number)
        if not tasks:
            return
    for reply in lost:
        times = f", {retries + 1} times in all" if retries else ""
        yield reply.task.case, compact({"lost": f"{reply.ending}{times}"})


def _replies(engine: Engine, tasks: Sequence[Task], *, one_by_one: bool) -> Iterator[Reply]:
    for share in ([task] for task in tasks) if one_by_one else [tasks]:
        with closing(engine.run(share)) as replies:  # type: ignore[type-var]
            for reply in replies:
                if reply.body is not None and reply.body.startswith('{"stranger"'):
                    stranger = json.loads(reply.body)["stranger"]
                    raise SweepError(
                        f"a worker runs {stranger!r}, this is {reply.task.program!r}: results would not have the same "
                        "bits; TARSUS_ISA chooses an instruction set that both have"
                    )
                yield reply
