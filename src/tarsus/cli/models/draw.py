"""`tarsus draw`: a picture of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.text import printable

FORMATS = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp")


def draw(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help=f"Picture to write: {', '.join(FORMATS)}.")],
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    view: Annotated[
        tuple[float, float],
        typer.Option(help="Azimuth (0 in front, 90 on the left) and elevation [deg]."),
    ] = (35.0, 12.0),
    size: Annotated[tuple[int, int], typer.Option(help="Width and height in pixels.")] = (800, 800),
    frame: Annotated[list[str] | None, typer.Option(help="Frame to show as a triad; may be repeated.")] = None,
    com: Annotated[bool, typer.Option("--com", help="Mark the centre of mass.")] = False,
    volumes: Annotated[bool, typer.Option("--volumes", help="Show the swept-sphere volumes of the model.")] = False,
    witnesses: Annotated[int, typer.Option(min=0, help="Nearest pairs of volumes to show by lines.")] = 0,
) -> None:
    """Draw a model in its reference pose.

    For example:

    `tarsus draw robot:hrp2 -o hrp2.png`

    `tarsus draw robot.urdf -o robot.png --view 90 0 --frame left_sole --com`

    `tarsus draw robot:lola -o lola.png --volumes --witnesses 5`
    """
    if output.suffix.lower() not in FORMATS:
        raise typer.BadParameter(f"the picture {output.name!r} must end in one of {', '.join(FORMATS)}")
    check_directory(output)
    if not all(1 <= pixels <= 10_000 for pixels in size):
        raise typer.BadParameter(f"the size {size[0]} x {size[1]} is not within 1 to 10000 pixels")
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops)
        from tarsus.viewer.drawing.picture import draw as draw_model

        shown: dict[str, Any] = {"com": com, "volumes": volumes, "witnesses": witnesses}
        draw_model(loaded, path=output, view=view, size=size, frames=frame or (), **shown)
        typer.echo(f"{printable(str(output))}: {printable(loaded.name)}, {size[0]} x {size[1]} pixels")
