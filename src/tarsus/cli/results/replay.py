"""`tarsus replay`: a recording in the viewer, in the terminal, or as files."""

from __future__ import annotations

import importlib
import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.recording_file import RecordingArgument, SimulationOption, listed, open_run, summary_lines
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.recording.trajectory import Trajectory

VIEWER_INSTALL = "pip install 'tarsus[viewer]'"


def replay(
    context: typer.Context,
    recording: RecordingArgument,
    speed: Annotated[float, typer.Option(help="Seconds of simulation in one second.")] = 1.0,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal, without a browser.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print what the recording holds and play nothing.")
    ] = False,
    png: Annotated[Path | None, typer.Option(help="Write a picture of one moment instead.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write an animation in one file that needs no network.")] = None,
    video: Annotated[Path | None, typer.Option(help="Write a video, .mp4 or .gif.")] = None,
    time: Annotated[float, typer.Option(help="Moment for --png, after the first sample [s].")] = 0.0,
    overlays: Annotated[
        list[str] | None,
        typer.Option(
            "--show",
            help="Draw over the motion in the browser: cones, region, stances or strip; may be repeated.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Interface to listen on; any but this machine's own needs --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int | None, typer.Option(help="Port of the viewer.", show_default=False)] = None,
    token: Annotated[
        str | None, typer.Option(help="Secret that browsers must present.", envvar="TARSUS_VIEWER_TOKEN")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    simulation: SimulationOption = 0,
) -> None:
    """Play a recording in the browser, or in the terminal where the viewer is not installed.

    For example:

    `tarsus replay run.h5`

    `tarsus replay run.h5 --terminal --speed 0.2`

    `tarsus replay run.h5 --summary`

    `tarsus replay run.h5 --html run.html --png fall.png --time 1.2`
    """
    if not (math.isfinite(speed) and speed > 0.0):
        raise typer.BadParameter(f"--speed is {speed:g}, expected a positive number")
    with one_line_errors(context):
        run = open_run(recording)
        typer.echo("\n".join(summary_lines(run)))
        if summary:
            return
        if png is not None or html is not None or video is not None:
            _write_files(run, png, html, video, time, speed, simulation)
        elif terminal or not _has_viewer():
            if not terminal:
                typer.echo(f"tarsus: playing in the terminal; the viewer needs: {VIEWER_INSTALL}", err=True)
            from tarsus.cli.results.terminal_player import play
            from tarsus.recording.curves import one_simulation

            play(one_simulation(run, simulation), speed)
        else:
            shown = listed(overlays) or ()
            _serve(run, speed, host=host, port=port, token=token, open_browser=browser, overlays=shown)


def _has_viewer() -> bool:
    return importlib.util.find_spec("viser") is not None


def _viewer_function(name: str) -> Any:
    return getattr(importlib.import_module("tarsus.viewer"), name)


def _write_files(
    run: Trajectory,
    png: Path | None,
    html: Path | None,
    video: Path | None,
    time: float,
    speed: float,
    simulation: int,
) -> None:
    if png is not None:
        _viewer_function("draw_moment")(run, time, png, simulation=simulation)
    if html is not None:
        _viewer_function("write_animation")(run, html, simulation=simulation)
    if video is not None:
        _viewer_function("write_video")(run, video, speed=speed, simulation=simulation)
    for path in (png, html, video):
        if path is not None:
            typer.echo(printable(str(path)))


def _serve(run: Trajectory, speed: float, **options: Any) -> None:
    viewer = _viewer_function("show")(run, speed=speed, block=False, **options)
    typer.echo(f"{printable(viewer.url)}  (Ctrl-C ends it)")
    viewer.wait()
