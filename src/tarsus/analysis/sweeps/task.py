"""What a worker does: one call, whose result or error becomes text."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tarsus._native import native_info
from tarsus.analysis.sweeps.cases import SEED, Case
from tarsus.analysis.sweeps.plain_values import compact, from_text, to_text


def program() -> str:
    """Version and instruction set of this process: what results depend on beside the code."""
    return f"tarsus {sys.modules['tarsus'].__version__} {native_info()['isa']}"


@dataclass(frozen=True, slots=True)
class Task:
    """A case to run, for a worker that runs the same program as the caller."""

    number: int
    case: Case
    program: str


def run_task(function: Callable[..., Any], task: Task) -> str:
    """Outcome of one case as JSON: an object with "value", "error" or "stranger".

    "stranger" is the program of a worker that differs from that of the caller: it has not run the case.
    """
    mine = program()
    if mine != task.program:
        return compact({"stranger": mine})
    arguments = from_text(task.case.text)
    if task.case.seed is not None:
        arguments[SEED] = task.case.seed
    try:
        with _one_thread():
            value = function(**arguments)
        return f'{{"value":{to_text(value)}}}'
    except (Exception, SystemExit) as error:
        return compact({"error": _told(error)})


def _told(error: BaseException) -> dict[str, str]:
    kind = type(error)
    below = error.__traceback__.tb_next if error.__traceback__ is not None else None  # without the frame of this file
    try:
        lines, message = traceback.format_exception(kind, error, below), str(error)
    except Exception:  # of its own __str__
        lines, message = [], "an error that cannot be told"
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return {"type": name, "message": message, "traceback": "".join(lines)}


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Linear algebra of NumPy on one thread, as its last bits depend on their number, which differs between engines."""
    if importlib.util.find_spec("threadpoolctl") is None:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
