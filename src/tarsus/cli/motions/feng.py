"""`tarsus feng`: the walk of Feng et al. 2015."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.scenario_options import RecordOption, SeedOption, ViewOption
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RECORDINGS
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.robots.feng18 import Side
    from tarsus.walking.feng.walk import FengWalk

_VIDEOS = (".mp4", ".gif")
_INTERRUPTED = 130


def feng(
    context: typer.Context,
    steps: Annotated[int, typer.Option(help="Steps to take; the paper takes 1000.")] = 50,
    first: Annotated[str, typer.Option(help="Foot that steps first: right or left.")] = "right",
    friction: Annotated[float, typer.Option(help="Coefficient of friction of the ground.")] = 0.7,
    lifting: Annotated[
        bool, typer.Option("--lifting/--no-lifting", help="Visual lifting; without it the robot falls.")
    ] = True,
    delay: Annotated[float, typer.Option(help="From a picture of the head to its use [s].")] = 0.0,
    noise: Annotated[float, typer.Option(help="Standard deviation of the place at which it is seen [m].")] = 0.0,
    seed: SeedOption = 0,
    record: RecordOption = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Directory for the pictures phase.png, graph.png and pressure.png.", show_default=False),
    ] = None,
    video: Annotated[Path | None, typer.Option(help="Video to write, .mp4 or .gif.", show_default=False)] = None,
    view: ViewOption = False,
) -> None:
    """Let the 18-joint humanoid of Feng et al. 2015 walk: event-driven, slipping and bumping, under visual lifting.

    Prints the table of its steps and the graph of its gait. It ends with exit code 1 where the robot falls; recording,
    pictures and video are written anyway. Ctrl-C ends the walk, too, with exit code 130: what was walked is kept.

    For example:

    `tarsus feng`

    `tarsus feng --steps 1000 --first left -o walk.h5 --figures pictures`

    `tarsus feng --no-lifting`
    """
    with one_line_errors(context):
        _check_files(record, figures, video)
        from dataclasses import replace

        from tarsus.walking.feng.found_gait import FENG_LAW
        from tarsus.walking.feng.torques.camera import Camera
        from tarsus.walking.feng.walk import feng_walk
        from tarsus.walking.feng.walk_step import Means

        law = FENG_LAW if lifting else replace(FENG_LAW, lifting=None)
        camera = Camera(delay, noise, 0.0, seed) if delay or noise else None
        walk = feng_walk(steps, first=cast("Side", first), law=law, camera=camera, means=Means(friction=friction))
        _tell(walk)
        _write(walk, record, figures, video, view)
        if walk.fallen:
            raise typer.Exit(_INTERRUPTED if walk.interrupted else 1)


def _check_files(record: Path | None, figures: Path | None, video: Path | None) -> None:
    """Refuse files that could not be written, before anything is computed."""
    for kind, path, suffixes in (("recording", record, RECORDINGS), ("video", video, _VIDEOS)):
        if path is not None:
            if path.suffix.lower() not in suffixes:
                raise typer.BadParameter(f"the {kind} {path.name!r} must end in {' or '.join(suffixes)}")
            check_directory(path)
            if path.is_dir():
                raise typer.BadParameter(f"the {kind} {path.name!r} is a directory")
    if figures is not None:
        check_directory(figures)
        if figures.exists() and not figures.is_dir():
            raise typer.BadParameter(f"{figures.name!r} is no directory for pictures")


def _tell(walk: FengWalk) -> None:
    """Print what the walk came to."""
    from tarsus.walking.feng.gait_graph import gait_graph
    from tarsus.walking.feng.walk_table import walk_table

    lines = [f"{walk.walked} steps, {walk.distance:.2f} m, {walk.duration:.2f} s, first step by the {walk.first} foot"]
    if walk.walked:
        lines += [str(walk_table(walk)), "states and changes:", str(gait_graph(walk))]
    if walk.fallen:
        lines.append(f"ended in step {walk.walked + 1}: {walk.fallen}")
    for line in "\n".join(lines).splitlines():
        typer.echo(printable(line))


def _write(walk: FengWalk, record: Path | None, figures: Path | None, video: Path | None, view: bool) -> None:
    """Recording, pictures, video and viewer, where they are asked for; the recording first, lest it be lost."""
    from tarsus.walking.feng.whole_walk import whole_walk

    if record is None and figures is None and video is None and not view:
        return
    run = whole_walk(walk)
    if record is not None:
        from tarsus.recording.files import save

        save(run, record)
        typer.echo(f"{printable(str(record))}: recorded; see it with `tarsus view`, `tarsus replay`, `tarsus plot`")
    if figures is not None and walk.walked >= 2:
        from tarsus.plots.feng_walk import plot_gait_graph, plot_phase_clouds, plot_zero_moment_point
        from tarsus.walking.feng.gait_graph import gait_graph

        figures.mkdir(exist_ok=True)
        plot_phase_clouds([walk], figures / "phase.png")
        plot_gait_graph(gait_graph(walk), figures / "graph.png")
        plot_zero_moment_point(walk, figures / "pressure.png")
        typer.echo(f"{printable(str(figures))}: phase.png, graph.png, pressure.png")
    elif figures is not None:
        typer.echo("no pictures: they need two whole steps")
    if video is not None:
        from tarsus.cli.models.view import write_video_with_progress

        write_video_with_progress(run, video)
        typer.echo(f"{printable(str(video))}: video")
    if view:
        from tarsus.viewer.live.browser import show

        with show(run, block=False) as viewer:
            typer.echo(f"{viewer.url}  (Ctrl-C ends it)")
            viewer.wait()
