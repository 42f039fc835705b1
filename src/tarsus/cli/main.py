"""Entry point of the command line tool."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from tarsus import quiet_start
from tarsus.cli.models.check import check
from tarsus.cli.models.distances import distances
from tarsus.cli.models.draw import draw
from tarsus.cli.models.export import export
from tarsus.cli.models.fit import fit
from tarsus.cli.models.info import info
from tarsus.cli.models.view import view
from tarsus.cli.motions.feng import feng
from tarsus.cli.motions.ik import ik
from tarsus.cli.motions.multicontact import multicontact
from tarsus.cli.motions.predict import predict
from tarsus.cli.motions.reach import reach
from tarsus.cli.motions.simulate import simulate
from tarsus.cli.motions.stand import stand
from tarsus.cli.motions.walk import walk
from tarsus.cli.options.flags import PlainCommand, PlainGroup
from tarsus.cli.results.bench import bench
from tarsus.cli.results.plot import plot
from tarsus.cli.results.replay import replay
from tarsus.cli.results.report import report
from tarsus.cli.results.sweep import sweep

app = typer.Typer(
    cls=PlainGroup,
    name="tarsus",
    help="Articulated robots: look at model files, simulate them, and look at what they did.\n\n"
    "For example, a humanoid falls, stands and is watched:\n\n"
    "`tarsus simulate robot:hrp2 --drop 0.1 -o run.h5`\n\n"
    "`tarsus view run.h5`\n\n"
    "`tarsus COMMAND --help` tells more, with examples.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from tarsus import __version__

        typer.echo(f"tarsus {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    quiet_start.end()
    context.obj = {"debug": debug}
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a name gets it escaped
            stream.reconfigure(errors="backslashreplace")


app.command(cls=PlainCommand)(check)
app.command(cls=PlainCommand)(info)
app.command(cls=PlainCommand)(ik)
app.command(cls=PlainCommand)(predict)
app.command(cls=PlainCommand)(reach)
app.command(cls=PlainCommand)(draw)
app.command(cls=PlainCommand)(simulate)
app.command(cls=PlainCommand)(stand)
app.command(cls=PlainCommand)(walk)
app.command(cls=PlainCommand)(feng)
app.command(cls=PlainCommand)(multicontact)
app.command(cls=PlainCommand)(replay)
app.command(cls=PlainCommand)(plot)
app.command(cls=PlainCommand)(report)
app.command(cls=PlainCommand)(export)
app.command(cls=PlainCommand)(view)
app.command(cls=PlainCommand)(fit)
app.command(cls=PlainCommand)(sweep)
app.command(cls=PlainCommand)(distances)
app.add_typer(bench, name="bench")


@app.command(cls=PlainCommand)
def native(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the instruction set of the native core in use, and those that were compiled and run here.

    The environment variable TARSUS_ISA forces one of them:

    `TARSUS_ISA=baseline tarsus native`
    """
    from tarsus import native_info

    found = native_info()
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for key, value in found.items():
        typer.echo(f"{key:<10} {', '.join(value) if isinstance(value, list | tuple) else value}")
