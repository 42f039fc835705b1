"""`tarsus fit`: swept-sphere volumes around the links of a model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import ROBOT_PREFIX, TARGET_HELP, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.text import counted, finite, printable
from tarsus.model.model import Model

if TYPE_CHECKING:
    from tarsus.collision import FittedVolumes


def fit(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; beside the model (robot.volumes.toml) by default."),
    ] = None,
    max_volumes: Annotated[int, typer.Option(min=1, max=64, help="Volumes of a link at most.")] = 4,
    shapes: Annotated[Literal["collision", "visual"], typer.Option(help="Shapes that are enclosed.")] = "collision",
    min_gain: Annotated[
        float, typer.Option(min=0.0, max=0.99, help="Share of its volume that each further one of a link must save.")
    ] = 0.05,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Enclose every link of a model in a few swept spheres (points, lines, triangles), for distances and collision.

    The volumes are conservative: every triangle of a link is inside their union, which is checked. They are written to
    a small file, which `tarsus distances`, `tarsus view` and `ts.load` find where it is beside the model's. The table
    tells the volume they enclose beside that of the convex hull of each link.

    For example:

    `tarsus fit robot.urdf`

    `tarsus fit robot.urdf --max-volumes 2 -o coarse.volumes.toml`

    `tarsus fit robot:lola -o lola.volumes.toml --shapes visual`
    """
    path = _path(model, output)
    check_directory(path)
    with one_line_errors(context):
        from tarsus.io.volume_file import write_volume_file

        loaded = open_model(model, base, package_dir or (), name, loops, volumes=False)
        found = fitted(loaded, {"max_volumes": max_volumes, "shapes": shapes, "min_gain": min_gain})
        comment = f"Swept-sphere volumes of {printable(loaded.name)}, fitted to its {shapes} shapes by tarsus fit [m]."
        write_volume_file(path, found, comment=comment)
        if as_json:
            typer.echo(json.dumps(_summary(found, path), indent=2))
        else:
            for line in _lines(found):
                typer.echo(line)
            typer.echo(f"{printable(str(path))}: {counted(found.count, 'volume')} of {counted(len(found), 'link')}")


def _path(model: str, output: Path | None) -> Path:
    if output is not None:
        return output
    if model.startswith(ROBOT_PREFIX):
        raise typer.BadParameter("a built-in robot has no file beside which to write: -o names one")
    from tarsus.io.volume_file import volume_file_beside

    return volume_file_beside(model)


def fitted(model: Model, options: dict[str, Any]) -> FittedVolumes:
    """Volumes of a model, with a bar that tells how far it is."""
    from rich.console import Console
    from rich.progress import Progress

    from tarsus.collision import fit as fit_model

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("links", total=None)

        def tell(link: str, number: int, count: int) -> None:
            bar.update(task, completed=number, total=count, description=printable(link))

        return fit_model(model, progress=tell, **options)


def _lines(found: FittedVolumes) -> Iterator[str]:
    rows = [("link", "volumes", "enclosed [l]", "hull [l]", "ratio")]
    for link in found.links:
        kinds = Counter(volume.kind for volume in found[link.link])
        told = ", ".join(counted(count, kind) for kind, count in sorted(kinds.items()))
        rows.append((printable(link.link), told, *_numbers(link.enclosed, link.hull)))
    enclosed, hull = (sum(getattr(link, key) for link in found.links) for key in ("enclosed", "hull"))
    rows.append(("robot", str(found.count), *_numbers(enclosed, hull)))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    for row in rows:
        left = (f"{text:<{width}}" for text, width in zip(row[:2], widths[:2], strict=True))
        yield "  ".join([*left, *(f"{text:>{width}}" for text, width in zip(row[2:], widths[2:], strict=True))])
    for name, why in found.skipped.items():
        yield f"{printable(name)}: left out, {why}"


def _numbers(enclosed: float, hull: float) -> tuple[str, str, str]:
    """Volumes in litres and their ratio."""
    return f"{1000 * enclosed:.4g}", f"{1000 * hull:.4g}", f"{enclosed / hull:.2f}" if hull > 0.0 else "flat"


def _summary(found: FittedVolumes, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "count": found.count,
        "tightness": finite([found.tightness])[0],
        "links": [
            {
                "link": link.link,
                "kinds": [volume.kind for volume in found[link.link]],
                "enclosed": link.enclosed,
                "hull": link.hull,
                "tightness": finite([link.tightness])[0],
            }
            for link in found.links
        ],
        "skipped": found.skipped,
    }
