"""`tarsus view`: a model or a recording in the browser, or as a picture, an animation or a video."""

from __future__ import annotations

import importlib
import socket
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from tarsus.arrays import FloatArray
from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import ROBOT_PREFIX, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.options.configuration import configuration_of
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RECORDINGS, listed
from tarsus.cli.options.text import printable
from tarsus.model.model import Model

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_MOST_PIXELS = 10_000

ViewedArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL_OR_RECORDING",
        help=f"A model file, a built-in robot such as robot:hrp2, or a recording ({', '.join(RECORDINGS)}).",
        show_default=False,
    ),
]


def view(
    context: typer.Context,
    viewed: ViewedArgument,
    q: Annotated[
        str | None,
        typer.Option(help="Configuration of a model: all entries of q, or joints as name=value [rad or m]."),
    ] = None,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="Where packages with meshes are looked for; may be repeated."),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    volumes: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, help="File of volumes; by default the one beside the model's, robot.volumes.toml."
        ),
    ] = None,
    edit_volumes: Annotated[
        bool, typer.Option("--edit-volumes", help="Edit swept-sphere volumes in the browser; Save writes their file.")
    ] = False,
    drag: Annotated[
        str | None,
        typer.Option(help="Frame with a target that can be dragged; the robot follows.", show_default=False),
    ] = None,
    overlays: Annotated[
        list[str] | None,
        typer.Option(
            "--show",
            help="Draw over the motion in the browser: cones, region, stances or strip; may be repeated. Footsteps and "
            "plan of a walk are drawn anyway.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Interface to listen on; any but this machine's own needs --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int | None, typer.Option(help="Port; the first free one from 8080 by default.")] = None,
    token: Annotated[
        str | None,
        typer.Option(help="Secret that browsers must present, 16 characters or more.", envvar="TARSUS_VIEWER_TOKEN"),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    png: Annotated[Path | None, typer.Option(help="Write a picture instead.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write an animation in one file that needs no network.")] = None,
    video: Annotated[Path | None, typer.Option(help="Write a video of a recording, .mp4 or .gif.")] = None,
    time: Annotated[float, typer.Option(help="Moment of a recording for --png [s].")] = 0.0,
    rate: Annotated[float, typer.Option(help="Pictures a second of --html and --video.")] = 25.0,
    speed: Annotated[float, typer.Option(help="Seconds of simulation a second.")] = 1.0,
    simulation: Annotated[int, typer.Option(min=0, help="Which simulation of a batch is written.")] = 0,
    size: Annotated[tuple[int, int], typer.Option(help="Width and height of --png and --video in pixels.")] = (
        800,
        600,
    ),
    angles: Annotated[
        tuple[float, float],
        typer.Option("--view", help="Azimuth (0 in front, 90 on the left) and elevation [deg] of --png and --video."),
    ] = (35.0, 12.0),
) -> None:
    """Show a model or a recording in the browser; --png, --html and --video write files instead.

    For example:

    `tarsus view robot:hrp2`

    `tarsus view robot.urdf --base free --q "knee=0.6, hip=-0.3"`

    `tarsus view robot.urdf --edit-volumes`

    `tarsus view robot:hrp2 --drag r_hand`

    `tarsus view run.h5`

    `tarsus view run.h5 --show cones --show region --show strip`

    `tarsus view run.h5 --html run.html --video run.mp4 --png start.png --time 0.5`

    `tarsus view robot:lola --host 0.0.0.0 --token "$(openssl rand -hex 16)" --no-browser`
    """
    recording = Path(viewed).suffix.lower() in RECORDINGS
    _check_usage(recording, q, base, png, html, video, size)
    _check_drag(drag, recording, png, html, video)
    edited = _edited(viewed, recording, volumes, edit_volumes)
    with one_line_errors(context), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = volumes if volumes is not None and (volumes.exists() or not edit_volumes) else None
        more = (base, package_dir or (), name, loops, given)
        shown: Any = _open_recording(viewed) if recording else open_model(viewed, *more)
        pose = None if recording else configuration_of(shown, q)
        if png is not None:
            _write_png(shown, pose, png, time, angles, size, simulation)
        if html is not None:
            from tarsus.viewer.animation import write_animation

            write_animation(shown, html, q=pose, rate=rate, simulation=simulation)
        if video is not None:
            write_video_with_progress(
                shown, video, rate=rate, speed=speed, view=angles, size=size, simulation=simulation
            )
        for path in (png, html, video):
            if path is not None:
                typer.echo(printable(str(path)))
        if png is None and html is None and video is None:
            options: dict[str, Any] = {
                "host": host,
                "port": port,
                "token": token,
                "open_browser": browser,
                "speed": speed,
            }
            options["edit_volumes"], options["drag"] = edited, drag
            options["overlays"] = listed(overlays) or ()
            _serve(shown, pose, caught, **options)
        else:
            _tell(caught)


def _check_usage(
    recording: bool,
    q: str | None,
    base: str | None,
    png: Path | None,
    html: Path | None,
    video: Path | None,
    size: tuple[int, int],
) -> None:
    if recording and (q is not None or base is not None):
        raise typer.BadParameter("a recording has its own model and states: --q and --base are for models")
    if video is not None and not recording:
        raise typer.BadParameter("a model alone does not move: --video is for recordings")
    for path, suffixes in ((png, PICTURES), (html, (".html", ".htm")), (video, (".mp4", ".gif"))):
        if path is not None and path.suffix.lower() not in suffixes:
            raise typer.BadParameter(f"{path.name!r} must end in {' or '.join(suffixes)}")
        if path is not None:
            check_directory(path)
    if not all(1 <= pixels <= _MOST_PIXELS for pixels in size):
        raise typer.BadParameter(f"the size {size[0]} x {size[1]} is not within 1 to {_MOST_PIXELS} pixels")


def _check_drag(drag: str | None, recording: bool, *written: Path | None) -> None:
    if drag is not None and (recording or any(path is not None for path in written)):
        raise typer.BadParameter("--drag is for models that are shown in the browser")


def _edited(viewed: str, recording: bool, volumes: Path | None, edit: bool) -> Path | None:
    """File that edited volumes are written to."""
    if recording and (edit or volumes is not None):
        raise typer.BadParameter("a recording has its own volumes: --volumes and --edit-volumes are for models")
    if not edit:
        return None
    if volumes is None and viewed.startswith(ROBOT_PREFIX):
        raise typer.BadParameter("a built-in robot has no file beside which to save: --volumes names one")
    if volumes is None:
        from tarsus.io.volume_file import volume_file_beside

        volumes = volume_file_beside(viewed)
    check_directory(volumes)
    return volumes


def _open_recording(path: str) -> Any:
    return importlib.import_module("tarsus.recording.files").open_recording(path)


def _write_png(
    shown: Any,
    q: FloatArray | None,
    path: Path,
    time: float,
    view: tuple[float, float],
    size: tuple[int, int],
    simulation: int,
) -> None:
    if isinstance(shown, Model):
        from tarsus.viewer.drawing.picture import draw

        draw(shown, q, path=path, view=view, size=size, com=shown.total_mass > 0.0)
    else:
        from tarsus.viewer.drawing.still import draw_moment

        draw_moment(shown, time, path, view=view, size=size, simulation=simulation)


def write_video_with_progress(shown: Any, path: Path, **options: Any) -> None:
    """Write a video, and show on a terminal how far it is."""
    from rich.console import Console
    from rich.progress import Progress

    from tarsus.viewer.video import write_video

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("pictures", total=None)
        write_video(shown, path, progress=lambda done, total: bar.update(task, completed=done, total=total), **options)


def _tell(caught: list[warnings.WarningMessage]) -> None:
    for warning in caught:
        typer.echo(f"tarsus: warning: {printable(str(warning.message))}", err=True)


def _serve(shown: Any, q: FloatArray | None, caught: list[warnings.WarningMessage], **options: Any) -> None:
    from tarsus.viewer.live.browser import show

    with show(shown, q, block=False, **options) as viewer:  # it stops even if Ctrl-C comes before it waits
        typer.echo(f"{printable(viewer.stage.model.name)}: {viewer.url}  (Ctrl-C ends it)")
        if options["host"] in ("0.0.0.0", "::"):
            typer.echo(f"from other machines: {viewer.url.replace('127.0.0.1', socket.gethostname(), 1)}")
        _tell(caught)
        viewer.wait()
