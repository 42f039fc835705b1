"""`tarsus walk`: a biped walks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.scenario_options import RecordOption, SeedOption, ViewOption, open_standing
from tarsus.cli.motions.target import TARGET_HELP
from tarsus.cli.options.command_text import Entry, commands_in, commands_of
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.push_text import push_of
from tarsus.cli.options.recording_file import RECORDINGS
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.contact import Ground
    from tarsus.model.model import Model
    from tarsus.recording.trajectory import Trajectory
    from tarsus.walking.steps.stairs import Stairs
    from tarsus.walking.walker.joint_control import Control

MOMENTS = 6
"""Pictures of the robot in a report."""
_PUSHED = 3.0
"""When pushes begin where nothing is said [s]."""


def walk(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    speed: Annotated[float, typer.Option(help="Forward, backward where negative [m/s].")] = 0.3,
    side: Annotated[float, typer.Option(help="To the left, to the right where negative [m/s].")] = 0.0,
    turn: Annotated[float, typer.Option(help="Turning to the left, to the right where negative [degrees/s].")] = 0.0,
    command: Annotated[
        str | None,
        typer.Option(
            help="TIME:SPEED,SIDE,TURN;...: commands that hold from their times on, in place of --speed, --side and "
            "--turn; 0,0,0 stops.",
            show_default=False,
        ),
    ] = None,
    commands: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            show_default=False,
            help="The same from a file of TOML: tables [[command]] with time, speed, side and turn.",
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Steps to take; enough for 10 s, or to pass all obstacles, where left out.", show_default=False
        ),
    ] = None,
    duration: Annotated[
        float | None, typer.Option(help="How long to walk, in place of --steps [s].", show_default=False)
    ] = None,
    push: Annotated[
        list[str] | None,
        typer.Option(
            help="FRAME:X,Y,Z[:START[:DURATION]], an impulse in world axes [N s], at 3 s and for 0.1 s where left out; "
            "the frame pelvis means the body that carries the legs; may be repeated.",
            show_default=False,
        ),
    ] = None,
    terrain: Annotated[
        str,
        typer.Option(
            help="flat, ramp:DEGREES or kerbs:HEIGHT (metres, up and down every metre), from x = 1 m on, which the "
            "robot is not told of; or stairs:COUNT:RISE:RUN (metres, down where RISE is negative), which it is.",
        ),
    ] = "flat",
    obstacles: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            show_default=False,
            help="TOML file of boxes, hulls, spheres, capsules, cylinders in the way, which it steps over or around, "
            "straight ahead; a velocity moves them.",
        ),
    ] = None,
    feet: Annotated[
        str | None,
        typer.Option(help="BODY,BODY: feet, in any order, where the lowest are not meant.", show_default=False),
    ] = None,
    sensors: Annotated[
        bool, typer.Option("--sensors", help="The controller knows what sensors with errors tell, not the true state.")
    ] = False,
    step_time: Annotated[
        float | None, typer.Option(help="Of a step, in place of what suits the legs [s].", show_default=False)
    ] = None,
    clearance: Annotated[
        float | None, typer.Option(help="Of swinging feet above the ground [m].", show_default=False)
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="How joints of the walk are found: clik (inverse kinematics), ikd, ikd-planning, ikd-moment (inverse "
            "kineto-dynamics), error-compensation, preview, three-mass."
        ),
    ] = "clik",
    control: Annotated[
        str,
        typer.Option(
            help="What joints are told, by the same plan: position (set-points, gains and torques of ankles), force "
            "(positions alone, which lead the forces of the feet), or torque (of whole-body control)."
        ),
    ] = "position",
    seed: SeedOption = 0,
    record: RecordOption = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Page to write (.html) about the walk, as `tarsus report` does.", show_default=False),
    ] = None,
    video: Annotated[Path | None, typer.Option(help="Video to write, .mp4 or .gif.", show_default=False)] = None,
    view: ViewOption = False,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="Where packages with meshes are looked for; may be repeated."),
    ] = None,
) -> None:
    """Let a biped stand up, walk, stop and stand.

    Feet, legs, direction, height and gains are found from the model; what was found is printed. It ends with exit code
    1 where the robot falls, with the time and what went wrong first; recording, report and video are written anyway.
    With --command and --commands the walk is planned step by step: speed up, turn on the way, stop and go again.

    For example:

    `tarsus walk robot:hrp2`

    `tarsus walk talos.urdf --speed 0.5 --steps 20 -o walk.h5 --view`

    `tarsus walk robot:lola --speed 0 --turn 15 --duration 8`

    `tarsus walk robot:lola --speed 0.695 --step-time 0.8 --clearance 0.05`

    `tarsus walk robot:hrp2 --push pelvis:0,12,0:4 --terrain ramp:3`

    `tarsus walk robot:lola --terrain stairs:4:0.1:0.3 --view`

    `tarsus walk robot:hrp2 --command "0:0.3,0,0;5:0.2,0,20;8:0,0,0" --report walk.html --video walk.mp4`

    `tarsus walk robot:lola --method ikd --speed 0.3 --steps 4`

    `tarsus walk robot:hrp2 --control torque --push pelvis:0,8,0`

    `tarsus walk robot:lola --control force --terrain ramp:5`

    `tarsus walk robot:lola --step-time 1 --obstacles examples/obstacles/beam.toml --view`
    """
    with one_line_errors(context):
        _check_files(record, report, video)
        if not math.isfinite(turn):
            raise typer.BadParameter(f"--turn is {turn:g}; expected a finite number [degrees/s]")
        entries = _entries(context, command, commands)
        loaded = open_standing(model, package_dir or ())
        if obstacles is not None:
            _refuse_with_obstacles(side=side, turn=turn, duration=duration, push=push, terrain=terrain,
                                   command=command, commands=commands, method=method,
                                   control=control)  # fmt: skip
            _walk_past(loaded, obstacles, speed, steps, feet, sensors, step_time, clearance,
                       seed, record, report, video, view)  # fmt: skip
            return
        from tarsus.walking.steps.stairs import Stairs
        from tarsus.walking.walker.climbing import climb
        from tarsus.walking.walker.walker import Walker

        pushes = [push_of(text, _PUSHED) for text in push or () if text != "none"]
        ground = _terrain(terrain)
        named = None if feet is None else feet.split(",")
        walker = Walker(loaded, feet=named, step_time=step_time, clearance=clearance, method=method,
                        control=cast("Control", control))  # fmt: skip
        _tell(str(walker.biped))
        if isinstance(ground, Stairs):
            _refuse_with_stairs(context)
            outcome = climb(walker, ground, pushes=pushes, sensed=sensors, seed=seed, record=record)
        else:
            outcome = walker.walk(speed, side, math.radians(turn), command=entries, steps=steps, duration=duration,
                                  ground=ground, pushes=pushes, sensed=sensors, seed=seed, record=record)  # fmt: skip
        _tell(str(outcome))
        if outcome.recording:
            typer.echo(
                f"{printable(outcome.recording)}: recorded; see it with `tarsus view`, `tarsus report`, `tarsus plot`"
            )
        _write(outcome.trajectory, report, video)
        if view:
            from tarsus.viewer.live.browser import show

            with show(outcome.trajectory, block=False) as viewer:
                typer.echo(f"{printable(loaded.name)}: {viewer.url}  (Ctrl-C ends it)")
                viewer.wait()
        if not outcome.passed:
            raise typer.Exit(1)


def _check_files(record: Path | None, report: Path | None, video: Path | None) -> None:
    """Refuse files that could not be written, before anything is computed."""
    kinds = ("recording", record, RECORDINGS), ("report", report, (".html", ".htm")), ("video", video, (".mp4", ".gif"))
    for kind, path, suffixes in kinds:
        if path is None:
            continue
        if path.suffix.lower() not in suffixes:
            raise typer.BadParameter(f"the {kind} {path.name!r} must end in {' or '.join(suffixes)}")
        check_directory(path)


def _entries(context: typer.Context, text: str | None, path: Path | None) -> list[Entry] | None:
    """Commands over time, where some are given, in place of a constant one."""
    if text is None and path is None:
        return None
    given = [name for name in ("speed", "side", "turn", "steps") if _is_given(context, name)]
    if text is not None and path is not None:
        given.append("commands")
    if given:
        option = "--command" if text is not None else "--commands"
        raise typer.BadParameter(f"--{given[0]} and {option} are given; expected one of them")
    if text is not None:
        return commands_of(text)
    assert path is not None
    return commands_in(path)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _write(run: Trajectory, report: Path | None, video: Path | None) -> None:
    """Report and video of a walk."""
    if report is not None:
        from tarsus.cli.results.report import moments_of
        from tarsus.plots.report.report import write_report

        write_report(run, report, pictures=moments_of(run, MOMENTS))
        typer.echo(f"{printable(str(report))}: report")
    if video is not None:
        from tarsus.cli.models.view import write_video_with_progress

        write_video_with_progress(run, video)
        typer.echo(f"{printable(str(video))}: video")


_WITH_OBSTACLES = {
    "method": "obstacles are passed by clik",
    "control": "obstacles are passed with position-controlled joints",
    "push": "steps are not moved to catch the robot beside obstacles",
    "terrain": "obstacles are passed on level ground",
    "duration": "a walk past obstacles is as long as its --steps",
}
"""Why options are refused beside obstacles, where it is not that these are passed straight ahead, at one speed."""


def _refuse_with_obstacles(**options: object) -> None:
    """Refuse what a walk past obstacles would not do."""
    for name, value in options.items():
        if value not in (0.0, None, [], "flat", "clik", "position"):
            why = _WITH_OBSTACLES.get(name, "obstacles are passed straight ahead, at one speed")
            raise typer.BadParameter(f"--{name} and --obstacles exclude each other: {why}")


def _walk_past(
    loaded: Model,
    scene: Path,
    speed: float,
    steps: int | None,
    feet: str | None,
    sensors: bool,
    step_time: float | None,
    clearance: float | None,
    seed: int,
    record: Path | None,
    report: Path | None,
    video: Path | None,
    view: bool,
) -> None:
    """Walk past the obstacles of a file."""
    from tarsus.cli.motions.model_volumes import with_volumes
    from tarsus.walking.obstacles.experiments import CYCLE
    from tarsus.walking.obstacles.obstacle_walk import walk_past_obstacles
    from tarsus.walking.obstacles.scene_file import read_scene_file
    from tarsus.walking.obstacles.scene_shapes import scene_shapes
    from tarsus.walking.walker.walker import Walker

    obstructions = read_scene_file(scene)
    named = None if feet is None else feet.split(",")
    walker = Walker(with_volumes(loaded), feet=named, step_time=step_time, clearance=clearance, control_dt=CYCLE)
    _tell(str(walker.biped))
    walk = walk_past_obstacles(walker, obstructions, speed, steps=steps, sensed=sensors, seed=seed, record=record)
    _tell(str(walk))
    if walk.outcome.recording:
        typer.echo(
            f"{printable(walk.outcome.recording)}: recorded; see it with `tarsus view`, `tarsus replay`, `tarsus plot`"
        )
    _write(walk.outcome.trajectory, report, video)
    if view:
        from tarsus.viewer.live.browser import show

        with show(walk.outcome.trajectory, ground=scene_shapes(walk.plan), block=False) as viewer:
            typer.echo(f"{printable(loaded.name)}: {viewer.url}  (Ctrl-C ends it)")
            viewer.wait()
    if not walk.passed:
        raise typer.Exit(1)


def _tell(text: str) -> None:
    for line in text.splitlines():
        typer.echo(printable(line))


def _refuse_with_stairs(context: typer.Context) -> None:
    """Refuse what a walk up or down stairs would not do."""
    for name in ("speed", "side", "turn", "steps", "duration", "command", "commands"):
        if _is_given(context, name):
            raise typer.BadParameter(f"--{name} and stairs exclude each other: both feet go onto every tread")


def _terrain(text: str) -> Ground | Stairs | None:
    """The ground of a text; None where it is level."""
    from tarsus.walking.steps.stairs import Stairs
    from tarsus.walking.walker.terrain import STEEPEST, kerbs, ramp

    kind, *numbers = text.split(":")
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no terrain: {numbers} are not numbers") from None
    if kind == "flat" and not values:
        return None
    if kind == "ramp" and len(values) == 1:
        if not abs(math.radians(values[0])) < STEEPEST:
            raise typer.BadParameter(
                f"{text!r} is no terrain: ramps are less than {math.degrees(STEEPEST):g} degrees steep, up or down"
            )
        return ramp(math.radians(values[0]))
    if kind == "kerbs" and len(values) == 1:
        return kerbs(values[0])
    if kind == "stairs" and len(values) == 3:
        if not values[0].is_integer():
            raise typer.BadParameter(f"{text!r} is no terrain: COUNT is {numbers[0]}; expected a whole number")
        return Stairs(int(values[0]), values[1], values[2])
    expected = "flat, ramp:DEGREES, kerbs:HEIGHT or stairs:COUNT:RISE:RUN"
    raise typer.BadParameter(f"{text!r} is no terrain; expected {expected}")
