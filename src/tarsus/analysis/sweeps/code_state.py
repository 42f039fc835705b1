"""What code a sweep runs: version, commit, and the text of the function's file."""

from __future__ import annotations

import functools
import hashlib
import inspect
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tarsus.analysis.sweeps.plain_values import to_text
from tarsus.analysis.sweeps.task import program
from tarsus.errors import ArgumentError

_DIGITS = 12
"""Of the digest of a file."""


def function_name(function: Callable[..., Any]) -> str:
    """Name of a function for the file of results: module and name, with the arguments of a `functools.partial`."""
    told = getattr(function, "sweep_name", None)
    if told is not None:
        return str(told)
    if isinstance(function, functools.partial):
        if function.args:
            raise ArgumentError("function is a partial with positional arguments, expected keyword arguments only")
        bound = {
            key: function_name(value) if callable(value) else to_text(value, f"argument {key} of the partial function")
            for key, value in function.keywords.items()
        }
        return f"{function_name(function.func)}({', '.join(f'{key}={text}' for key, text in bound.items())})"
    known = function if hasattr(function, "__qualname__") else type(function)
    module = "" if known.__module__ == "__main__" else f"{known.__module__}."
    return f"{module}{known.__qualname__}"


def code_state(function: Callable[..., Any]) -> str:
    """Version, instruction set and commit of tarsus, and name and digest of the file that the function stands in."""
    parts = [" ".join(filter(None, (program(), _commit(Path(__file__)))))]
    source = _source(function)
    if source is not None:
        digest = hashlib.sha256(source.read_bytes()).hexdigest()[:_DIGITS]
        parts.append(f"{source.name} {digest}")
    return ", ".join(parts)


def _source(function: Callable[..., Any]) -> Path | None:
    while isinstance(function, functools.partial):
        function = function.func
    known = getattr(function, "sweep_source", None)
    try:
        found = known or inspect.getsourcefile(function if hasattr(function, "__qualname__") else type(function))
    except TypeError:  # a built-in function
        return None
    path = Path(found) if found else None
    return path if path is not None and path.is_file() else None


@functools.cache
def _commit(path: Path) -> str:
    """Commit of a file that a repository holds, with "-dirty" where files have changed since; else empty."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(path.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", path.name)
        return git("describe", "--always", "--dirty", "--exclude=*", "--abbrev=12")
    except (OSError, subprocess.CalledProcessError):
        return ""
