"""`tarsus multicontact`: a scenario of stances, done by a robot."""

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
from tarsus.cli.motions.target import ROBOT_PREFIX


def multicontact(
    context: typer.Context,
    scenario: Annotated[
        str | None, typer.Argument(help="Its name; all are listed where it is left out.", show_default=False)
    ] = None,
    model: Annotated[
        str | None,
        typer.Argument(
            help="Model file or built-in robot; the one that it is meant for where left out.", show_default=False
        ),
    ] = None,
    ground: GroundOption = "compliant",
    delay: DelayOption = 0.0,
    mass_error: MassErrorOption = 0.0,
    seed: SeedOption = 0,
    sensors: SensorsOption = False,
    duration: Annotated[
        float | None, typer.Option(help="Time after which it ends anyway [s].", show_default=False)
    ] = None,
    record: RecordOption = None,
    view: ViewOption = False,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="Where packages with meshes are looked for; may be repeated."),
    ] = None,
) -> None:
    """Let a robot go through stances: lift its feet, step, squat, stand on its hands.

    Contacts, postures and swing paths are planned from the model; whole-body control does them, contacts are felt. What
    happened is printed, and whether all conditions held; exit code 1 where one did not.

    For example:

    `tarsus multicontact`

    `tarsus multicontact single-support robot:hrp2 -o one_leg.h5`

    `tarsus multicontact step-in-place talos.urdf --mass-error 0.1 --delay 0.005`

    `tarsus multicontact squat --ground rigid --view`
    """
    with one_line_errors(context):
        from tarsus.scenarios.catalogue import CATALOGUE, find

        if scenario is None:
            for name, entry in CATALOGUE.items():
                typer.echo(f"{name:<16} {entry.summary} ({ROBOT_PREFIX}{entry.robot})")
            return
        entry = find(scenario)
        loaded = open_standing(model or f"{ROBOT_PREFIX}{entry.robot}", package_dir or ())
        play(entry.make(loaded), ground=ground, delay=delay, mass_error=mass_error, seed=seed, sensors=sensors,
             duration=duration, record=record, view=view)  # fmt: skip
