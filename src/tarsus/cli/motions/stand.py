"""`tarsus stand`: a robot stands under whole-body control, and is pushed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.scenario_options import (
    DelayOption,
    GroundOption,
    MassErrorOption,
    RecordOption,
    SeedOption,
    SensorsOption,
    ViewOption,
    open_standing,
    play,
)
from tarsus.cli.motions.target import TARGET_HELP
from tarsus.cli.options.push_text import push_of

_PUSHED = 0.5
"""When pushes begin where nothing is said [s]."""


def stand(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    push: Annotated[
        list[str] | None,
        typer.Option(
            help="FRAME:X,Y,Z[:START[:DURATION]], an impulse in world axes [N s], at 0.5 s and for 0.1 s where left "
            "out; the frame chest means where the arms start; none for no push; may be repeated.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[float, typer.Option(help="Time to stand [s].")] = 4.0,
    ground: GroundOption = "compliant",
    delay: DelayOption = 0.0,
    mass_error: MassErrorOption = 0.0,
    seed: SeedOption = 0,
    sensors: SensorsOption = False,
    record: RecordOption = None,
    view: ViewOption = False,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="Where packages with meshes are looked for; may be repeated."),
    ] = None,
) -> None:
    """Let a robot stand on all of its feet under whole-body control, and push it.

    Feet, and a pose to stand in, are found from the model. Without `--push` it gets one from behind that would give
    all of it a speed of 0.18 m/s: 10 N s for a robot of 56 kg. It fails, with exit code 1 and the reason, where it
    falls, where feet slide, or where the centre of mass is not back within 5 mm 2 s after a push.

    For example:

    `tarsus stand robot:hrp2`

    `tarsus stand robot:hrp2 --push chest:0,10,0 --push chest:10,0,0:2.5 --duration 6 -o stand.h5 --view`

    `tarsus stand talos.urdf --mass-error 0.1 --delay 0.005`

    `tarsus stand quadruped.urdf --ground least-constraint --push none`
    """
    with one_line_errors(context):
        loaded = open_standing(model, package_dir or ())
        from tarsus.scenarios.stand import stand as standing

        pushes = None if push is None else [push_of(text, _PUSHED) for text in push if text != "none"]
        scenario = standing(loaded, pushes=pushes, duration=duration)
        play(scenario, ground=ground, delay=delay, mass_error=mass_error, seed=seed, sensors=sensors, duration=None,
             record=record, view=view)  # fmt: skip
