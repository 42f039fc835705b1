"""`tarsus report`: a recording as one page of pictures and numbers."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RecordingArgument, SimulationOption, open_run
from tarsus.cli.options.text import counted, printable
from tarsus.errors import TarsusError

if TYPE_CHECKING:
    from tarsus.plots.report.page import Picture
    from tarsus.recording.trajectory import Trajectory

_SIZE = (480, 480)
"""Of pictures of the robot [pixels]."""


def report(
    context: typer.Context,
    recording: RecordingArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Page to write; named after the recording by default.", show_default=False),
    ] = None,
    moments: Annotated[int, typer.Option(min=0, max=60, help="Pictures of the robot.")] = 6,
    simulation: SimulationOption = 0,
) -> None:
    """Write a report of a recording: one HTML file with everything in it, which needs no network.

    Torques and joint speeds against their limits, contacts over time, forces in their friction cones, the centre of
    pressure in the support polygon, momentum, errors of tasks and solve times as controllers logged them, energy, and
    pictures of the robot. Of a walk also its verdict, footsteps, phases, pushes and commands. What the recording does
    not hold is left out and told.

    For example:

    `tarsus report run.h5`

    `tarsus report run.h5 -o report.html --moments 12`
    """
    target = output or Path(f"{recording.stem}.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"the report {target.name!r} must end in .html")
    check_directory(target)
    with one_line_errors(context):
        from tarsus.plots.report.report import write_report
        from tarsus.recording.curves import one_simulation

        run = one_simulation(open_run(recording), simulation)
        pictures = moments_of(run, moments)
        missing = write_report(run, target, pictures=pictures)
        for part in missing:
            typer.echo(f"left out: {part.title}: {printable(part.reason)}")
        told = f"{counted(len(run), 'sample')} of {printable(run.model.name)}, {counted(len(pictures), 'picture')}"
        typer.echo(f"{printable(str(target))}: {told}")


def moments_of(run: Trajectory, count: int) -> list[Picture]:
    """Pictures of the robot at equally spaced samples; none, with a word, of what cannot be drawn."""
    from PIL import Image

    from tarsus.plots.report.page import Picture
    from tarsus.viewer.drawing.still import Renderer
    from tarsus.viewer.playback import playback_of
    from tarsus.viewer.terrain import terrain_of

    if not (count and len(run)):
        return []
    try:
        playback = playback_of(run)
        samples = np.unique(np.linspace(0, len(run) - 1, count).astype(int))
        renderer = Renderer(playback, terrain_of(run.ground), size=_SIZE, samples=[int(k) for k in samples])
        pictures = []
        for k in samples:
            stream = io.BytesIO()
            Image.fromarray(renderer.picture(int(k))).save(stream, "PNG")
            pictures.append(Picture(f"{run.time[k]:.3g} s", stream.getvalue()))
    except TarsusError as error:
        typer.echo(f"left out: Pictures: {printable(str(error))}")
        return []
    return pictures
