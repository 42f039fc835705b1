"""`tarsus simulate`: a robot dropped or standing on a ground, held by its joints."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, LoopsOption, NameOption, open_model
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RECORDINGS
from tarsus.cli.options.text import printable
from tarsus.errors import ArgumentError, nearest

if TYPE_CHECKING:
    from tarsus.arrays import FloatArray
    from tarsus.contact import ContactLaw, Ground
    from tarsus.model.model import Model
    from tarsus.recording.trajectory import Trajectory
    from tarsus.simulation.push import Push

_CLEARANCE = 1e-3
"""Height of the lowest contact point above the ground at the start [m]."""
_STEEPEST_SLOPE = 85.0
"""Largest angle of a slope [deg]."""


def simulate(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=TARGET_HELP, show_default=False)],
    duration: Annotated[float, typer.Option(help="Time to simulate [s].")] = 2.0,
    record: Annotated[
        Path | None, typer.Option("--record", "-o", help="Recording to write (.h5), for replay, plot and view.")
    ] = None,
    ground: Annotated[
        str | None,
        typer.Option(
            help="flat, none, slope:DEGREES, stairs:STEPS:RISE:RUN (metres) along +x, or a mesh file (STL, OBJ, PLY, "
            "COLLADA, glTF) of a terrain; flat where left out, and none for a robot that is fixed to the world.",
            show_default=False,
        ),
    ] = None,
    law: Annotated[
        str,
        typer.Option(
            help="Contact law of the ground, such as compliant, pseudo-coulomb, visco-elastic-sole, rigid or "
            "least-constraint.",
        ),
    ] = "compliant",
    friction: Annotated[float, typer.Option(help="Coefficient of friction.")] = 0.8,
    pairs: Annotated[bool, typer.Option("--pairs", help="Let bodies of the model touch each other, too.")] = False,
    start: Annotated[
        str | None,
        typer.Option(
            help="Pose of the model to start from, such as home, or standing, which is looked for; its reference pose "
            "where left out."
        ),
    ] = None,
    drop: Annotated[float, typer.Option(help="Height above the ground at the start [m].")] = 0.0,
    kp: Annotated[float, typer.Option(help="Stiffness with which joints hold the start pose [N m/rad].")] = 1000.0,
    kd: Annotated[float, typer.Option(help="Damping of that [N m s/rad].")] = 50.0,
    passive: Annotated[bool, typer.Option("--passive", help="No joint torques at all.")] = False,
    push: Annotated[
        list[str] | None,
        typer.Option(
            help="FRAME:FX,FY,FZ:START:DURATION, a force in world axes [N, s]; may be repeated.", show_default=False
        ),
    ] = None,
    integrator: Annotated[
        str | None,
        typer.Option(
            help="Such as semi-implicit-euler, runge-kutta-4 or dormand-prince; the laws rigid and least-constraint "
            "take none.",
            show_default=False,
        ),
    ] = None,
    dt: Annotated[float, typer.Option(help="Step [s].")] = 1e-3,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    package_dir: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="Where packages with meshes are looked for; may be repeated."),
    ] = None,
    name: NameOption = None,
    loops: LoopsOption = None,
    leaders: Annotated[
        str,
        typer.Option(
            help="fixed, or change: other joints lead a loop near dead points of those that do; with --passive."
        ),
    ] = "fixed",
) -> None:
    """Simulate a robot that holds its reference pose on a ground.

    It starts upright, touching the ground or `--drop` above it, and every joint holds its angle by `--kp` and `--kd`;
    nothing else keeps it from falling over. Ctrl-C ends the run early and keeps what was computed.

    For example:

    `tarsus simulate robot:hrp2 --drop 0.1 --record fall.h5`

    `tarsus simulate robot:hrp2 --push "BODY:150,0,0:1.0:0.1" --duration 4 -o push.h5`

    `tarsus simulate robot.urdf --base free --ground stairs:3:0.1:0.3 --passive -o stairs.h5`

    `tarsus simulate robot.xml --start home -o home.h5`

    `tarsus simulate quadruped.urdf --base free --start standing -o stands.h5`

    `tarsus simulate robot:rabbit --ground slope:5 --law least-constraint --friction 0.3`

    Then `tarsus view fall.h5`, `tarsus plot fall.h5 --energy`, `tarsus export fall.h5 fall.csv`.
    """
    _check_recording(record)
    if leaders == "change" and not passive:
        raise typer.BadParameter("gains hold leading joints, which change: give --passive", param_hint="'--leaders'")
    with one_line_errors(context):
        loaded = open_model(model, base, package_dir or (), name, loops)
        from tarsus.control.joint_law import JointLaw
        from tarsus.simulation.simulate import simulate as run

        _check_integrator(integrator)
        chosen = ground or ("none" if loaded.base == "fixed" else "flat")
        terrain = _ground(chosen, _law(law, friction))
        q0 = _placed(loaded, terrain, drop, start)
        controller = None if passive else JointLaw(kp=kp, kd=kd, q=q0)
        pushes = [_push(text) for text in push or ()]
        trajectory = run(loaded, q0, duration=duration, controller=controller, ground=terrain, pushes=pushes, dt=dt,
                         integrator=integrator, record=record, pairs="all" if pairs else None,
                         leaders=leaders)  # fmt: skip
        _summary(loaded, trajectory, record)


def _check_recording(path: Path | None) -> None:
    if path is None:
        return
    if path.suffix.lower() not in RECORDINGS:
        raise typer.BadParameter(f"the recording {path.name!r} must end in {' or '.join(RECORDINGS)}")
    check_directory(path)


def _check_integrator(name: str | None) -> None:
    """Tell the option of a contact law that is taken for an integrator."""
    from tarsus.contact.laws import LAWS

    for law in LAWS:
        if name is not None and name == law.method:
            raise typer.BadParameter(
                f"{name!r} is what the contact law does: --law {law.name}, without --integrator",
                param_hint="'--integrator'",
            )


def _law(name: str, friction: float) -> ContactLaw:
    from tarsus.contact.laws import LAWS

    known = {law.name: law for law in LAWS}
    if name not in known:
        raise typer.BadParameter(
            f"{name!r} is no contact law{nearest(name, known)}; there are {', '.join(known)}", param_hint="'--law'"
        )
    return known[name](friction=friction)


def _ground(text: str, law: ContactLaw) -> Ground | None:
    from tarsus import contact
    from tarsus.geometry.meshes.read import FORMATS

    if Path(text).suffix.lower() in FORMATS:
        try:
            return contact.Ground(contact.TriangleMesh.from_file(text, law=law))
        except ArgumentError as error:
            raise typer.BadParameter(str(error)) from None
    kind, *numbers = text.split(":")
    try:
        values = [float(number) for number in numbers]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no ground: {numbers} are not numbers") from None
    if kind == "none" and not values:
        return None
    if kind == "flat" and not values:
        return contact.flat(law)
    if kind == "slope" and len(values) == 1:
        if not abs(values[0]) < _STEEPEST_SLOPE:
            raise typer.BadParameter(
                f"{text!r} is too steep; expected -{_STEEPEST_SLOPE:g} to {_STEEPEST_SLOPE:g} degrees"
            )
        return contact.slope(math.radians(values[0]), law)
    if kind == "stairs" and len(values) == 3:
        if not values[0].is_integer():
            raise typer.BadParameter(f"{text!r}: {numbers[0]} is no number of steps")
        return contact.stairs(int(values[0]), values[1], values[2], law=law)
    raise typer.BadParameter(
        f"{text!r} is no ground; expected flat, none, slope:DEGREES, stairs:STEPS:RISE:RUN or a mesh file"
    )


def _placed(model: Model, ground: Ground | None, drop: float, start: str | None) -> FloatArray:
    """The reference pose, or the one that is named, just above the ground, plus `drop`."""
    from tarsus.contact import contactors, on_ground
    from tarsus.simulation.starts.start import named_pose

    pose = model.reference if start is None else named_pose(model, start)
    if ground is None or model.base == "fixed":
        return np.array(pose)
    if not contactors(model):
        raise typer.BadParameter("the model has no collision shapes to touch the ground with; try --ground none")
    q = on_ground(model, pose, ground)
    q[1 if model.base == "planar" else 2] += _CLEARANCE + drop
    return q


def _push(text: str) -> Push:
    from tarsus.simulation.push import Push

    try:
        frame, force, *span = text.split(":")
        x, y, z = (float(number) for number in force.split(","))
        start, duration = (float(number) for number in span)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no push; expected FRAME:FX,FY,FZ:START:DURATION") from None
    return Push(frame, (x, y, z), start, duration)


def _summary(model: Model, run: Trajectory, record: Path | None) -> None:
    total = run.total_energy
    typer.echo(
        printable(f"{model.name}: {run.time[-1]:g} s, {len(run)} samples" + ("" if run.finished else f", {run.reason}"))
    )
    if run.contacts:
        force = run.contact_force[-1]
        touching = [name for name, f in zip(run.contacts, force, strict=True) if np.any(f)]
        weight = model.total_mass * float(np.linalg.norm(model.gravity))
        shown = ", ".join(touching[:8]) + (", ..." if len(touching) > 8 else "")
        typer.echo(printable(f"contacts at the end: {len(touching)} of {len(run.contacts)} ({shown or 'none'})"))
        typer.echo(f"force of the ground at the end: {np.linalg.norm(force.sum(axis=0)):.1f} N; weight {weight:.1f} N")
    typer.echo(f"energy: {total[0]:.3f} J at the start, {total[-1]:.3f} J in the audit at the end")
    if record is not None:
        typer.echo(f"{printable(str(record))}: recorded; see it with `tarsus view`, `tarsus replay`, `tarsus plot`")
