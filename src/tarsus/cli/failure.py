"""Errors and warnings as one clear line instead of a traceback or a line of source."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from tarsus.cli.options.text import printable
from tarsus.errors import ModelError, TarsusError


@contextmanager
def one_line_errors(context: typer.Context) -> Iterator[None]:
    """Report errors of tarsus and of the operating system in one line on stderr and exit with code 1.

    Warnings are a line each. With `tarsus --debug` errors are raised, and warnings tell where they come from.
    """
    try:
        with warnings.catch_warnings():
            if not (context.obj or {}).get("debug"):
                warnings.showwarning = tell_warning
            yield
    except BrokenPipeError:
        raise
    except (TarsusError, OSError) as error:
        if (context.obj or {}).get("debug"):
            raise
        typer.echo(f"tarsus: {printable(_summary(error))}", err=True)
        raise typer.Exit(1) from None


def tell_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line on stderr, in place of `warnings.showwarning`."""
    typer.echo(f"tarsus: warning: {printable(str(message))}", err=True)


def _summary(error: Exception) -> str:
    if isinstance(error, ModelError):
        errors = [problem for problem in error.problems if problem.severity == "error"] or list(error.problems)
        more = f" (and {len(errors) - 1} more; `tarsus check` lists all)" if len(errors) > 1 else ""
        return f"{errors[0]}{more}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
