"""`tarsus plot`: signals of a recording as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from tarsus.cli.failure import one_line_errors
from tarsus.cli.options.output_file import check_directory
from tarsus.cli.options.recording_file import RecordingArgument, SignalsOption, SimulationOption, listed, open_run
from tarsus.cli.options.text import counted, printable
from tarsus.errors import ArgumentError
from tarsus.plots.figure_file import PICTURES

if TYPE_CHECKING:
    from tarsus.recording.trajectory import Trajectory


def plot(
    context: typer.Context,
    recording: RecordingArgument,
    signals: SignalsOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Picture to write: .png, .pdf or .svg.", show_default=False)
    ] = None,
    energy: Annotated[bool, typer.Option("--energy", help="Draw the energy audit: every part and the total.")] = False,
    names: Annotated[bool, typer.Option("--list", help="Print the names of all signals and draw nothing.")] = False,
    start: Annotated[float | None, typer.Option("--from", help="First moment drawn [s].")] = None,
    stop: Annotated[float | None, typer.Option("--to", help="Last moment drawn [s].")] = None,
    simulation: SimulationOption = 0,
) -> None:
    """Draw signals of a recording over time.

    Without `--signals`: positions, velocities and forces of the joints, vertical contact forces, and what has changed
    of the energies and their sum since the start. The picture is named after the recording unless `--output` says
    otherwise.

    For example:

    `tarsus plot run.h5`

    `tarsus plot run.h5 --energy -o audit.pdf`

    `tarsus plot run.h5 --signals "q.*knee,force.left_sole,energy.total" --from 1 --to 2`

    `tarsus plot run.h5 --list`
    """
    if energy and signals:
        raise typer.BadParameter("--energy draws the whole audit; without it, --signals energy.kinetic chooses parts")
    target = output or Path(f"{recording.stem}{'-energy' if energy else ''}.png")
    if target.suffix.lower() not in PICTURES:
        raise typer.BadParameter(f"the picture {target.name!r} must end in one of {', '.join(PICTURES)}")
    check_directory(target)
    with one_line_errors(context):
        from tarsus.plots.energy import plot_energy
        from tarsus.plots.signals import plot_signals
        from tarsus.recording.curves import curves_of, one_simulation

        run = one_simulation(open_run(recording), simulation)
        if names:
            for curve in curves_of(run).values():
                typer.echo(printable(f"{curve.name} [{curve.unit}]" if curve.unit else curve.name))
            return
        if start is not None or stop is not None:
            run = _between(run, start, stop)
        figure = plot_energy(run, target) if energy else plot_signals(run, listed(signals), target)
        panels = counted(len(figure.axes), "panel")
        typer.echo(f"{printable(str(target))}: {panels}, {counted(len(run), 'sample')} of {printable(run.model.name)}")


def _between(run: Trajectory, start: float | None, stop: float | None) -> Trajectory:
    """The samples from `start` to `stop`, both included [s]."""
    low = -np.inf if start is None else start
    high = np.inf if stop is None else stop
    inside = np.flatnonzero((run.time >= low) & (run.time <= high))
    if not len(inside):
        span = f"it lasts from {run.time[0]:g} to {run.time[-1]:g} s" if len(run) else "it is empty"
        raise ArgumentError(f"the recording has no samples from {low:g} to {high:g} s: {span}")
    return run[int(inside[0]) : int(inside[-1]) + 1]
