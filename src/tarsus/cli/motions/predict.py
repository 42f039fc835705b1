"""`tarsus predict`: redundancy resolved locally, for a horizon ahead, and for a whole path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.motions.target import TARGET_HELP, BaseOption, open_model
from tarsus.cli.options.configuration import configuration_of
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from tarsus.ik.predictive import Motion
    from tarsus.ik.predictive.scenes import Scene
    from tarsus.model import Model

SCENE_PREFIX = "scene:"
Level = Literal["velocity", "acceleration"]


def predict(
    context: typer.Context,
    target: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help=f"{TARGET_HELP} Or a scene: scene:planar4, scene:crops9.", show_default=False
        ),
    ],
    frame: Annotated[str | None, typer.Option(help="The frame that shall move; of models.")] = None,
    to: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Where it shall move along a line, in the world [m].")
    ] = None,
    keep_orientation: Annotated[bool, typer.Option(help="The frame does not turn.")] = False,
    q: Annotated[
        str | None, typer.Option(help="Where to start: all entries of q, or joints as name=value [rad or m].")
    ] = None,
    base: Annotated[BaseOption | None, typer.Option(help="How the root is attached to the world.")] = None,
    duration: Annotated[float, typer.Option(help="Of the motion [s], of models.")] = 4.0,
    horizon: Annotated[float | None, typer.Option(help="How far ahead is looked [s].")] = None,
    level: Annotated[Level, typer.Option(help="What is chosen: nullspace velocities, or their rates.")] = "velocity",
    iterations: Annotated[int, typer.Option(min=1, help="Steps of the descent in every cycle.")] = 3,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Recording of the predictive motion (.h5), for tarsus view.")
    ] = None,
) -> None:
    """Compare local, predictive and global redundancy resolution; exit code 1 where the predictive motion fails.

    Energies are sums of squared velocities of revolute joints, over time and at most. For example:

    `tarsus predict scene:planar4`

    `tarsus predict robot:crops9 --frame tool --to 0.8 0.4 0.9 --horizon 2 -o motion.h5`
    """
    if output is not None:
        if output.suffix.lower() != ".h5":
            raise typer.BadParameter(f"the recording {output.name!r} must end in .h5")
        check_directory(output)
    with one_line_errors(context):
        scene = _scene(target, frame, to, keep_orientation, q, base, duration, horizon)
        ahead = scene.predictive(horizon, level=level, iterations=iterations)
        rows = {
            "local": scene.local(),
            f"predictive, {scene.horizons[-1] if horizon is None else horizon:g} s": ahead,
            "global": scene.whole(ahead.u),
        }
        _tell(scene, rows)
        if output is not None:
            _record(ahead, output)
            typer.echo(printable(str(output)))
    if not ahead.success:
        raise typer.Exit(1)


def _scene(
    target: str,
    frame: str | None,
    to: tuple[float, float, float] | None,
    keep_orientation: bool,
    q: str | None,
    base: BaseOption | None,
    duration: float,
    horizon: float | None,
) -> Scene:
    from tarsus.ik.predictive.scenes import line_scene, scene

    if target.startswith(SCENE_PREFIX):
        return scene(target.removeprefix(SCENE_PREFIX))
    if frame is None or to is None:
        raise typer.BadParameter("a model needs --frame and --to: what shall move where")
    model: Model = open_model(target, base)
    start = configuration_of(model, q)
    start = model.reference if start is None else np.asarray(start)
    return line_scene(model, frame, to, start, duration, horizon or 1.0, keep_orientation)


def _tell(scene: Scene, rows: dict[str, Motion]) -> None:
    width = max(map(len, rows))
    steps = len(next(iter(rows.values())).v)
    typer.echo(f"{printable(scene.name)}: {steps} steps of {1e3 * scene.dt:g} ms")
    typer.echo(f"{'':{width}}  {'energy':>9}  {'peak':>9}  {'clearance':>10}  {'task error':>10}")
    for name, motion in rows.items():
        energy = scene.pseudo_energy(motion)
        near = f"{1e3 * motion.clearance.min():.1f} mm" if motion.scene is not None else "-"
        numbers = f"{scene.dt * energy.sum():9.4g}  {energy.max():9.4g}  {near:>10}  {motion.task_error.max():10.2g}"
        typer.echo(f"{name:{width}}  {numbers}")
    for name, motion in rows.items():
        if not motion.success:
            typer.echo(f"{name}: {printable(motion.reason)}")


def _record(motion: Motion, path: Path) -> None:
    from tarsus.recording import Trajectory, save

    v = np.concatenate([motion.v, motion.v[-1:]])  # the last velocity leads to the last sample
    save(Trajectory(motion.model, motion.t, motion.q, v), path)
