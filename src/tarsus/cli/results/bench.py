"""`tarsus bench`: measurements, which live beside the package in a checkout of the repository."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.flags import PlainCommand, PlainGroup
from tarsus.errors import TarsusError

SCRIPTS = Path("benchmarks") / "papers"
"""Scripts of the figures, below the root of the repository."""

bench = typer.Typer(
    cls=PlainGroup, help="Measure this library on this machine.", no_args_is_help=True, rich_markup_mode="markdown"
)


@bench.callback()
def _group() -> None:
    pass


@bench.command(cls=PlainCommand)
def papers(
    context: typer.Context,
    figure: Annotated[
        list[str] | None, typer.Option(help="Figure to reproduce, such as 3.5 or table-3.1; may be repeated.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", file_okay=False, help="Directory for pictures and numbers.")
    ] = Path("papers"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes and few rounds: seconds instead of minutes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the table.")] = False,
) -> None:
    """Reproduce figures of Buschmann 2014 as pictures and numbers, next to what the text states.

    Works from a checkout of the repository, which holds the scripts of the figures. For example:

    `tarsus bench papers`

    `tarsus bench papers --figure 3.5 --figure table-3.1 --output results`

    `tarsus bench papers --quick --json`
    """
    with one_line_errors(context):
        _scripts().reproduce(figure or [], output, quick=quick, as_json=as_json)


def _scripts() -> Any:
    """Import the command of the scripts from the checkout.

    Raises
    ------
    TarsusError
        Where there is none.
    """
    root = _checkout()
    if root is None:
        raise TarsusError(
            f"figures are drawn by {SCRIPTS.as_posix()} of the repository, which an installed package does not have; "
            "run this in a checkout"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module("benchmarks.papers.command")


def _checkout() -> Path | None:
    """Root of the repository that this package was imported from, or else the current directory if it is one."""
    above_package = Path(__file__).resolve().parents[4]
    return next((root for root in (above_package, Path.cwd()) if (root / SCRIPTS / "command.py").is_file()), None)
