"""Ctrl-C while the command line tool starts: it ends quietly, as later, and shows no place in a module."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""Exit code of what Ctrl-C ended."""
TOOL = "tarsus"
"""Name of the command, and of the package that `python -m` runs."""


def is_tool() -> bool:
    """Whether this process is the command line tool, which imports the package before anything of it can run."""
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    if program == "-m":  # while the package is imported that `python -m` runs
        told = sys.orig_argv
        return TOOL in told and told[told.index(TOOL) - 1] == "-m"
    return os.path.basename(program) in (TOOL, f"{TOOL}.exe", f"{TOOL}-script.py")


def begin() -> None:
    """Let Ctrl-C end the process with its exit code and without a traceback, where nobody has asked for anything else.

    Handlers belong to the main thread; a process that ignores Ctrl-C goes on to ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, _end)


def end() -> None:
    """Let Ctrl-C raise again, once a command begins: from here on it tells what it has done so far."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: an exception could be swallowed amid an import. Nothing was begun that is to be ended."""
    os._exit(INTERRUPTED)


if is_tool():
    begin()
