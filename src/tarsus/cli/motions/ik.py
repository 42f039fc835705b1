"""`tarsus ik`: joint coordinates that bring a frame to a place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.models.draw import FORMATS
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, SrdfOption, open_model
from tarsus.cli.options.configuration import configuration_of
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.arrays import FloatArray
    from tarsus.ik import Answer
    from tarsus.model import Model
    from tarsus.tasks import FramePose, Position

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
    srdf: SrdfOption = None,
    method: Annotated[str, typer.Option(help=f"One of {_METHODS}.")] = "levenberg-marquardt",
    starts: Annotated[int, typer.Option(min=1, help="Postures to start from before it is given up.")] = 30,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="List every solution: all there are for arms of six hinges, elsewhere those of many starts."
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=f"Picture of the (first) result: {', '.join(FORMATS)}.")
    ] = None,
) -> None:
    """Find joint coordinates that bring a frame to a place; exit code 1 where there are none within the limits.

    For example:

    `tarsus ik robot:crops9 --frame tool --to 0.8 0.2 0.9`

    `tarsus ik panda.urdf --frame panda_hand_tcp --to 0.5 0 0.4 --rpy-deg 180 0 0 -o reached.png`

    `tarsus ik ur5.urdf --frame ee_link --to 0.4 0.2 0.3 --rpy-deg 180 0 90 --all`
    """
    if output is not None:
        if output.suffix.lower() not in FORMATS:
            raise typer.BadParameter(f"the picture {output.name!r} must end in one of {', '.join(FORMATS)}")
        check_directory(output)
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops, srdf=srdf)
        task, start = _task(frame, to, rpy_deg), configuration_of(loaded, q)
        if every:
            found = _list(loaded, task, start, starts)
        else:
            from tarsus.ik import solve

            answer = solve(loaded, task, start, method=method, starts=starts)
            _tell(loaded, frame, answer)
            found = answer.q if answer.success else None
        if output is not None and (found is not None or not every):
            from tarsus.viewer.drawing.picture import draw

            draw(loaded, answer.q if found is None else found, path=output, frames=[frame])
            typer.echo(printable(str(output)))
    if found is None:
        raise typer.Exit(1)


def _task(
    frame: str, to: tuple[float, float, float], rpy_deg: tuple[float, float, float] | None
) -> FramePose | Position:
    from tarsus.spatial import pose, rotation_matrix_from_angles
    from tarsus.tasks import FramePose, Position

    if rpy_deg is None:
        return Position(frame, to)
    return FramePose(frame, pose(to, rotation_matrix_from_angles(np.radians(rpy_deg), "roll-pitch-yaw")))


def _list(model: Model, task: FramePose | Position, start: FloatArray, starts: int) -> FloatArray | None:
    """Print all solutions, those of an arm of six hinges the nearest to the start first; the first of them, or None."""
    from tarsus.errors import ArgumentError
    from tarsus.ik import branches, solutions
    from tarsus.tasks import FramePose

    try:
        if not isinstance(task, FramePose):
            raise ArgumentError("a place alone has infinitely many")
        answer = branches(model, task.frame, task.pose, start)
        found, how = answer.q, f"{answer.status}; {answer.method}"
        how += "; these are all" if answer.complete else ""
    except ArgumentError:
        many = solutions(model, task, starts=max(64, starts))
        found, how = many.q, f"{many.count}; from {max(64, starts)} starts"
    typer.echo(f"{len(found)} {'solution' if len(found) == 1 else 'solutions'} ({how})")
    _table(model, start, found)
    return found[0] if len(found) else None


def _table(model: Model, start: FloatArray, found: FloatArray) -> None:
    """One line for each solution, of the joints that are not where they started in all of them."""
    moving = [
        joint
        for joint in model.joints.values()
        if joint.q_index.stop > joint.q_index.start and (found[:, joint.q_index] != start[joint.q_index]).any()
    ]
    heads = [printable(joint.name) for joint in moving]
    widths = [
        max(len(head), 11 * (joint.q_index.stop - joint.q_index.start) - 2)
        for head, joint in zip(heads, moving, strict=True)
    ]
    if len(found):
        typer.echo("  ".join(["   ", *(head.rjust(width) for head, width in zip(heads, widths, strict=True))]))
    for number, q in enumerate(found, 1):
        values = ["  ".join(f"{x:+.6f}" for x in q[joint.q_index]) for joint in moving]
        cells = (value.rjust(width) for value, width in zip(values, widths, strict=True))
        typer.echo("  ".join([f"{number:>3}", *cells]))


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
