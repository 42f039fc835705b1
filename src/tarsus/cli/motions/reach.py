"""`tarsus reach`: a motion that brings frames to places without collision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.model_volumes import with_volumes
from tarsus.cli.motions.target import (
    TARGET_HELP,
    BaseOption,
    LoopsOption,
    NameOption,
    SrdfOption,
    VolumesOption,
    open_model,
)
from tarsus.cli.options.configuration import configuration_of
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RECORDINGS
from tarsus.cli.options.text import counted, printable

if TYPE_CHECKING:
    from tarsus.arrays import FloatArray
    from tarsus.geometry.shapes import Shape
    from tarsus.ik import Motion
    from tarsus.model import Model
    from tarsus.tasks import Task

PICTURES = (".png", ".jpg", ".jpeg")
"""Suffixes of pictures."""
MOST_TOLD = 6
"""Pairs that are named."""

Triple = tuple[float, float, float]


def reach(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    frame: Annotated[str, typer.Option(help="The frame that shall get there.")],
    to: Annotated[Triple, typer.Option(help="Place in the world [m].")],
    rpy_deg: Annotated[
        Triple | None,
        typer.Option(help="Orientation as roll, pitch and yaw in the world [deg]; free by default."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="FRAME:X,Y,Z or FRAME:X,Y,Z:ROLL,PITCH,YAW, one more frame [m, deg]; may be repeated.",
            show_default=False,
        ),
    ] = None,
    obstacles: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="A TOML file of [[box]], [[sphere]], [[capsule]] and [[cylinder]] with name, size or radius and "
            "length, position and rpy_deg.",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[float, typer.Option(min=0.0, help="Distance that everything keeps [m].")] = 0.0,
    start: Annotated[
        str | None,
        typer.Option(help="Pose of the model to start from, such as home, or standing, which is looked for."),
    ] = None,
    q: Annotated[
        str | None, typer.Option(help="Where to start: all entries of q, or joints as name=value [rad or m].")
    ] = None,
    stand: Annotated[
        bool | None,
        typer.Option(
            "--stand/--hold",
            help="Keep the feet where they are and the centre of mass above them, or hold the base; standing where the "
            "base is free.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random trees.")] = 0,
    max_iterations: Annotated[int, typer.Option(min=0, help="Growths of the trees before it is given up.")] = 1000,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Recording to write (.h5), for replay, plot and view.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help=f"Picture of the robot where it arrives: {', '.join(PICTURES)}.")
    ] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the motion in the browser.")] = False,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    volumes: VolumesOption = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    srdf: SrdfOption = None,
) -> None:
    """Move frames to places without collision, within the limits of the joints; exit code 1 where it is blocked.

    The robot keeps its volumes apart from each other and from obstacles. A robot without volumes gets some fitted
    first, which takes seconds; `tarsus fit` keeps them in a file. A humanoid stands while it reaches.

    For example:

    `tarsus reach robot:crops9 --frame tool --to 0.8 0.2 0.9 -o reach.h5 --view`

    `tarsus reach panda.urdf --q panda_joint4=-1.5 --frame panda_hand_tcp --to 0.5 0 0.4 --obstacles t.toml`

    `tarsus reach robot:hrp2 --frame r_hand --to 0.4 -0.2 0.6 --also l_hand:0.4,0.2,0.6 --picture reached.png`
    """
    _check_files(output, picture)
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops, volumes, srdf)
        shapes = _read_obstacles(obstacles)
        loaded = with_volumes(loaded)
        at = _start(loaded, start, q)
        tasks = [_task(frame, to, rpy_deg), *(_parsed(text) for text in also or ())]
        motion, ignored = _planned(loaded, tasks, at, shapes, margin, stand, seed, max_iterations)
        for line in _lines(motion, [task.frame for task in tasks], ignored):  # type: ignore[attr-defined]
            typer.echo(line)
        _shown(motion, shapes, output, picture, view)
    if not motion.success:
        raise typer.Exit(1)


def _check_files(output: Path | None, picture: Path | None) -> None:
    for path, suffixes in ((output, RECORDINGS), (picture, PICTURES)):
        if path is not None:
            if path.suffix.lower() not in suffixes:
                raise typer.BadParameter(f"{path.name!r} must end in {' or '.join(suffixes)}")
            check_directory(path)


def _read_obstacles(path: Path | None) -> tuple[Shape, ...]:
    if path is None:
        return ()
    from tarsus.collision.obstacle_file import read_obstacle_file

    return read_obstacle_file(path)


def _start(model: Model, start: str | None, q: str | None) -> FloatArray:
    if start is None and q is None:
        from tarsus.ik.reaching.start import reference_within_limits

        return reference_within_limits(model)
    if start is None:
        return configuration_of(model, q)
    if q is not None:
        raise typer.BadParameter("--start and --q both say where to start: give one of them")
    from tarsus.simulation.starts.start import named_pose

    return np.array(named_pose(model, start))


def _task(frame: str, to: Sequence[float], rpy_deg: Sequence[float] | None) -> Task:
    from tarsus.spatial import pose, rotation_matrix_from_angles
    from tarsus.tasks import FramePose, Position

    if rpy_deg is None:
        return Position(frame, to)
    return FramePose(frame, pose(to, rotation_matrix_from_angles(np.radians(rpy_deg), "roll-pitch-yaw")))


def _parsed(text: str) -> Task:
    frame, *numbers = text.split(":")
    try:
        places = [[float(x) for x in part.split(",")] for part in numbers]
    except ValueError:
        places = []
    if not 1 <= len(places) <= 2 or any(len(place) != 3 for place in places):
        raise typer.BadParameter(f"--also is {text!r}; expected FRAME:X,Y,Z or FRAME:X,Y,Z:ROLL,PITCH,YAW")
    return _task(frame, places[0], places[1] if len(places) == 2 else None)


def _planned(
    model: Model,
    tasks: Sequence[Task],
    at: FloatArray,
    shapes: Sequence[Shape],
    margin: float,
    stand: bool | None,
    seed: int,
    max_iterations: int,
) -> tuple[Motion, tuple[tuple[str, str], ...]]:
    """The motion, and pairs that were not looked at."""
    from rich.console import Console
    from rich.progress import Progress

    from tarsus.collision import motion_scenes, obstacle_of
    from tarsus.ik import reach as reach_to
    from tarsus.ik import stance

    found = motion_scenes(model, at, [obstacle_of(shape) for shape in shapes])
    standing = model.base == "free" if stand is None else stand
    keep = stance(model, at) if standing else ()
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("goals", total=None)

        def tell(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        options: dict[str, Any] = {"margin": margin, "seed": seed, "max_iterations": max_iterations}
        motion = reach_to(model, tasks, at, collision=found.scenes, keep=keep, progress=tell, **options)
    return motion, found.ignored


def _lines(motion: Motion, frames: Sequence[str], ignored: Sequence[tuple[str, str]]) -> Iterator[str]:
    from tarsus.dynamics import frame_pose

    model = motion.model
    yield printable(motion.reason)
    for frame in frames:
        place = ", ".join(f"{x:.6f}" for x in frame_pose(model, motion.q[-1], frame)[:3, 3])
        yield f"{printable(frame)} is at ({place}) m"
    if motion.success and motion.duration > 0:
        share = np.abs(motion.v).max(axis=0) / motion.v_max
        names = [joint.name for joint in model.joints.values() for _ in range(*joint.v_index.indices(model.nv))]
        yield f"fastest: {printable(names[int(share.argmax())])}, {100 * share.max():.0f} % of its velocity limit"
    if motion.assumed:
        told = ", ".join(map(printable, motion.assumed[:MOST_TOLD]))
        more = ", ..." if len(motion.assumed) > MOST_TOLD else ""
        yield f"without a velocity limit, 1 rad/s or 0.25 m/s assumed: {told}{more}"
    if ignored:
        told = ", ".join(f"{printable(a)} and {printable(b)}" for a, b in ignored[:MOST_TOLD])
        more = ", ..." if len(ignored) > MOST_TOLD else ""
        yield f"{counted(len(ignored), 'pair')} touch in the reference pose and are not looked at: {told}{more}"


def _shown(motion: Motion, shapes: Sequence[Shape], output: Path | None, picture: Path | None, view: bool) -> None:
    if output is None and picture is None and not view:
        return
    from tarsus.recording.planned import motion_trajectory

    run = motion_trajectory(motion, shapes)
    if output is not None:
        from tarsus.recording.files import save

        save(run, output)
        typer.echo(printable(str(output)))
    if picture is not None:
        from tarsus.viewer.drawing.still import draw_moment

        draw_moment(run, run.duration, picture)
        typer.echo(printable(str(picture)))
    if view:
        from tarsus.viewer.live.browser import show

        with show(run, block=False) as viewer:
            typer.echo(f"{printable(motion.model.name)}: {viewer.url}  (Ctrl-C ends it)")
            viewer.wait()
