"""`tarsus ik`: joint coordinates that bring a frame to a place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.configuration import configuration_of
from tarsus.cli.draw import FORMATS
from tarsus.cli.failure import one_line_errors
from tarsus.cli.output_file import check_directory
from tarsus.cli.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.text import printable

if TYPE_CHECKING:
    from tarsus.ik import Answer
    from tarsus.model import Model
    from tarsus.tasks import Task

_METHODS = "levenberg-marquardt, newton, quasi-newton, conjugate-gradient, steepest-descent, goldenberg"


def ik(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    frame: Annotated[str, typer.Option(help="The frame that shall get there.")],
    to: Annotated[tuple[float, float, float], typer.Option(help="Place in the world [m].")],
    rpy_deg: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Orientation as roll, pitch and yaw in the world [deg]; free by default."),
    ] = None,
    q: Annotated[
        str | None, typer.Option(help="Where to start: all entries of q, or joints as name=value [rad or m].")
    ] = None,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    method: Annotated[str, typer.Option(help=f"One of {_METHODS}.")] = "levenberg-marquardt",
    starts: Annotated[int, typer.Option(min=1, help="Postures to start from before it is given up.")] = 30,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Picture of the result: {', '.join(FORMATS)}.")
    ] = None,
) -> None:
    """Find joint coordinates that bring a frame to a place; exit code 1 where there are none within the limits.

    For example:

    `tarsus ik robot:crops9 --frame tool --to 0.8 0.2 0.9`

    `tarsus ik panda.urdf --frame panda_hand_tcp --to 0.5 0 0.4 --rpy-deg 180 0 0 -o reached.png`
    """
    if output is not None:
        if output.suffix.lower() not in FORMATS:
            raise typer.BadParameter(f"the picture {output.name!r} must end in one of {', '.join(FORMATS)}")
        check_directory(output)
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops)
        from tarsus.ik import solve

        task = _task(frame, to, rpy_deg)
        answer = solve(loaded, task, configuration_of(loaded, q), method=method, starts=starts)
        _tell(loaded, frame, answer)
        if output is not None:
            from tarsus.viewer.picture import draw

            draw(loaded, answer.q, path=output, frames=[frame])
            typer.echo(printable(str(output)))
    if not answer.success:
        raise typer.Exit(1)


def _task(frame: str, to: tuple[float, float, float], rpy_deg: tuple[float, float, float] | None) -> Task:
    from tarsus.spatial import pose, rotation_matrix_from_angles
    from tarsus.tasks import FramePose, Position

    if rpy_deg is None:
        return Position(frame, to)
    return FramePose(frame, pose(to, rotation_matrix_from_angles(np.radians(rpy_deg), "roll-pitch-yaw")))


def _tell(model: Model, frame: str, answer: Answer) -> None:
    from tarsus.dynamics import frame_pose

    typer.echo(printable(answer.reason))
    place = ", ".join(f"{x:.6f}" for x in frame_pose(model, answer.q, frame)[:3, 3])
    typer.echo(f"{printable(frame)} is at ({place}) m")
    width = max((len(printable(joint)) for joint in model.joints), default=0)
    for joint in model.joints.values():
        values = answer.q[joint.q_index]
        if values.size:
            typer.echo(f"  {printable(joint.name):<{width}}  {'  '.join(f'{x:+.6f}' for x in values)}")
