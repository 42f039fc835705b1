"""Options that commands which run scenarios share, and what they print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsus.cli.motions.target import ROBOT_PREFIX, open_model
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RECORDINGS
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.model.model import Model
    from tarsus.scenarios.run import Outcome
    from tarsus.scenarios.scenario import Scenario

GroundOption = Annotated[
    str,
    typer.Option(
        "--ground",
        help="Contact law of the ground: compliant, least-constraint, rigid, pseudo-coulomb, visco-elastic-sole.",
    ),
]
DelayOption = Annotated[float, typer.Option("--delay", help="Time until torques act, a multiple of 0.001 [s].")]
MassErrorOption = Annotated[
    float,
    typer.Option("--mass-error", help="Part by which all bodies are heavier than the controller knows, such as 0.1."),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same run, bit by bit.")]
SensorsOption = Annotated[
    bool,
    typer.Option("--sensors", help="Tell the controller what encoders, an inertial unit and force sensors make of it."),
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", "-o", help="Recording to write (.h5), for replay, plot and view.")
]
ViewOption = Annotated[bool, typer.Option("--view", help="Show the run in the browser when it has ended.")]


def open_standing(target: str, package_dirs: Sequence[Path]) -> Model:
    """The model that a person named, on a free base."""
    return open_model(target, None if target.startswith(ROBOT_PREFIX) else "free", package_dirs)


def play(
    scenario: Scenario,
    *,
    ground: str,
    delay: float,
    mass_error: float,
    seed: int,
    sensors: bool,
    duration: float | None,
    record: Path | None,
    view: bool,
) -> None:
    """Run a scenario, print what became of it and end with code 1 where it has failed."""
    if record is not None:
        if record.suffix.lower() not in RECORDINGS:
            raise typer.BadParameter(f"the recording {record.name!r} must end in {' or '.join(RECORDINGS)}")
        check_directory(record)
    from tarsus.scenarios.run import run

    outcome = run(
        scenario,
        ground=ground,
        delay=delay,
        mass_error=mass_error,
        seed=seed,
        sensors=sensors,
        duration=duration,
        record=record,
    )
    _tell(scenario, outcome)
    if record is not None:
        typer.echo(f"{printable(str(record))}: recorded; see it with `tarsus view`, `tarsus replay`, `tarsus plot`")
    if view:
        from tarsus.viewer.live.browser import show

        with show(outcome.trajectory, block=False) as viewer:
            typer.echo(f"{printable(scenario.model.name)}: {viewer.url}  (Ctrl-C ends it)")
            viewer.wait()
    if not outcome.verdict.passed:
        raise typer.Exit(1)


def _tell(scenario: Scenario, outcome: Outcome) -> None:
    run, verdict = outcome.trajectory, outcome.verdict
    typer.echo(printable(f"{scenario.model.name} {scenario.summary}: {run.time[-1]:g} s"))
    for event in outcome.events:
        typer.echo(printable(f"{event.time:8.3f} s  {event.state:<7} {event.text}"))
    largest, after = verdict.largest, ", while pushed not counted" if scenario.pushes else ""
    typer.echo(
        f"largest: equations of motion {largest['motion']:.1e}, cones {largest['cone']:.1e}, contacts slide "
        f"{1e3 * largest['drift']:.2f} mm, centre of mass {1e3 * largest['center']:.2f} mm off{after}"
    )
    if largest["estimate"] > 0.0:
        turn = math.degrees(largest["turn"])
        typer.echo(f"estimate of the base: {1e3 * largest['estimate']:.2f} mm and {turn:.2f} degrees off at most")
    when = "" if verdict.time is None else f" at {verdict.time:.3f} s"
    typer.echo(printable("passed" if verdict.passed else f"failed{when}: {verdict.reason}"))
