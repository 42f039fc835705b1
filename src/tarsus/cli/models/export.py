"""`tarsus export`: a recording for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.recording_file import RecordingArgument, SignalsOption, listed, open_run
from tarsus.cli.options.text import counted, printable


def export(
    context: typer.Context,
    recording: RecordingArgument,
    output: Annotated[
        Path,
        typer.Argument(metavar="OUTPUT", help="File to write, as its suffix says: .csv, .npz or .mcap."),
    ],
    signals: SignalsOption = None,
    simulation: Annotated[
        int | None,
        typer.Option(min=0, help="Which simulation of a batch; all in an npz file.", show_default=False),
    ] = None,
) -> None:
    """Write a recording as a table (CSV), as arrays (npz) or as a log (MCAP).

    For example:

    `tarsus export run.h5 run.csv`

    `tarsus export run.h5 knees.csv --signals "q.*knee,tau.*knee"`

    `tarsus export run.h5 run.npz`

    `tarsus export run.h5 run.mcap`
    """
    with one_line_errors(context):
        from tarsus.recording.export import export as write

        run = open_run(recording)
        write(run, output, signals=listed(signals), simulation=simulation)
        size = output.stat().st_size
        typer.echo(f"{printable(str(output))}: {counted(len(run), 'sample')}, {size} bytes")
