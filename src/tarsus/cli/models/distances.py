"""`tarsus distances`: the nearest pairs of a robot's volumes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, VolumesOption, open_model
from tarsus.cli.options.configuration import configuration_of
from tarsus.cli.options.text import counted, printable
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.collision import CollisionModel, NearPair

MOST_TOLD = 5
"""Overlapping pairs that a warning names."""


def distances(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    q: Annotated[
        list[str] | None,
        typer.Option(help="Configuration: all entries of q, or joints as name=value [rad or m]; may be repeated."),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Pairs to print, the nearest first.")] = 10,
    volumes: VolumesOption = None,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="Where packages with meshes are looked for first; may be repeated."
        ),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    every: Annotated[bool, typer.Option("--all", help="Keep pairs that overlap in every configuration.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the nearest pairs of a robot's swept-sphere volumes with their nearest points, in one configuration.

    Neighbours in the tree, pairs that the model's file excludes and pairs that overlap in every configuration are left
    out. Pairs that overlap have a negative distance. The volumes are those of the file beside the model (see
    `tarsus fit`) or of a built-in robot.

    For example:

    `tarsus distances robot:lola`

    `tarsus distances robot.urdf --q "elbow=1.2" --q "shoulder=-0.3" --count 5`
    """
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops, volumes=volumes)
        if not loaded.volumes:
            shown = printable(model)
            made = f"`tarsus fit {shown}` makes some"
            if shown.startswith("robot:"):  # there is no file beside which they would be found
                made = f"`tarsus fit {shown} -o my.volumes.toml` and then `--volumes my.volumes.toml` give it some"
            raise ArgumentError(f"{loaded.name!r} has no volumes to measure between; {made}")
        from tarsus.collision import CollisionModel
        from tarsus.collision.telling_pairs import telling_pairs

        scene, left_out = (CollisionModel(loaded), ()) if every else telling_pairs(loaded)
        at = configuration_of(loaded, " ".join(q) if q else None)
        if not scene.pairs:
            raise ArgumentError(f"{loaded.name!r} has no pairs: its {len(loaded.volumes)} segments are neighbours")
        found = scene.nearest(at, min(count, len(scene.pairs)))
        _warn_of_overlap(scene, at)
        if as_json:
            typer.echo(json.dumps({"pairs": len(scene.pairs), "nearest": [_entry(pair) for pair in found]}, indent=2))
        else:
            for line in _lines(scene, found):
                typer.echo(line)
            if left_out:
                typer.echo(f"{counted(len(left_out), 'pair')} that always overlap are left out; --all shows them")


def _warn_of_overlap(scene: CollisionModel, q: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    """Tell pairs that overlap in the reference pose: their volumes are too coarse, or they are always in contact."""
    where, at = "there", q
    if not np.array_equal(q, scene.model.reference):
        where, at = "already in the reference pose", scene.model.reference
    distance = np.asarray(scene.distances(at))
    over = np.flatnonzero(distance < 0.0)
    if len(over):
        order = over[np.argsort(distance[over])][:MOST_TOLD]
        told = ", ".join(f"{' and '.join(scene.pairs[k])} by {-1000 * distance[k]:.3g} mm" for k in order)
        more = f" and {len(over) - MOST_TOLD} more" if len(over) > MOST_TOLD else ""
        warnings.warn(f"{counted(len(over), 'pair')} overlap {where}: {told}{more}", stacklevel=2)


def _entry(near: NearPair) -> dict[str, object]:
    return {"pair": list(near.pair), "distance": near.distance, "points": near.points.tolist()}


def _lines(scene: CollisionModel, found: Sequence[NearPair]) -> Iterator[str]:
    yield f"{counted(len(scene.pairs), 'pair')} of {counted(len(scene.volumes), 'segment')}; distances and points in m"
    names = [[printable(name) for name in near.pair] for near in found]
    widths = [max(len(row[k]) for row in names) for k in range(2)]
    for (one, other), near in zip(names, found, strict=True):
        points = "   ".join(f"({', '.join(f'{x:8.4f}' for x in point)})" for point in near.points)
        yield f"{one:<{widths[0]}}  {other:<{widths[1]}}  {near.distance:9.4f}   {points}"
