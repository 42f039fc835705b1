"""Errors as one clear line instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from tarsus.cli.text import printable
from tarsus.errors import ModelError, TarsusError


@contextmanager
def one_line_errors(context: typer.Context) -> Iterator[None]:
    """Report errors of tarsus and of the operating system in one line on stderr and exit with code 1.

    With `tarsus --debug` they are raised.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (TarsusError, OSError) as error:
        if (context.obj or {}).get("debug"):
            raise
        typer.echo(f"tarsus: {printable(_summary(error))}", err=True)
        raise typer.Exit(1) from None


def _summary(error: Exception) -> str:
    if isinstance(error, ModelError):
        errors = [problem for problem in error.problems if problem.severity == "error"] or list(error.problems)
        more = f" (and {len(errors) - 1} more; `tarsus check` lists all)" if len(errors) > 1 else ""
        return f"{errors[0]}{more}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
