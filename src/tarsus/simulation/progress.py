"""A progress bar in the terminal for long runs."""

from __future__ import annotations

import contextlib
import sys
import time as clock
from collections.abc import Callable, Iterator

_SHOWN_AFTER = 1.0
"""Runs shorter than this show nothing unless asked to [s]."""


@contextlib.contextmanager
def progress_bar(wanted: bool | None, total: float, title: str) -> Iterator[Callable[[float], None]]:
    """A function to call with how far things are, of `total`; shows a bar on standard error.

    Parameters
    ----------
    wanted : bool or None
        None shows it where standard error is a terminal, once the run turns out to take long.
    """
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    bar = Progress(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
                   console=Console(stderr=True))  # fmt: skip
    task = bar.add_task(title, total=total)
    begin = clock.perf_counter()
    started = False

    def update(done: float) -> None:
        nonlocal started
        if not started and (wanted or clock.perf_counter() - begin > _SHOWN_AFTER):
            bar.start()
            started = True
        bar.update(task, completed=done)

    try:
        yield update
    finally:
        if started:
            bar.stop()
