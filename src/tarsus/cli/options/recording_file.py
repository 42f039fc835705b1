"""The FILE argument of commands that take recordings, and what is said about one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from tarsus.cli.failure import tell_warning
from tarsus.cli.options.text import printable
from tarsus.errors import RecordingWarning

if TYPE_CHECKING:
    from tarsus.recording.trajectory import Trajectory

RECORDINGS = (".h5", ".hdf5")
"""Suffixes of recordings; for commands that take models, too, everything else is a model."""

RecordingArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A recording (.h5), as `tarsus simulate -o` and `ts.save` write it.", show_default=False
    ),
]
SimulationOption = Annotated[int, typer.Option(min=0, help="Which simulation of a batch, counted from 0.")]
SignalsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--signals",
        "-s",
        help="Names such as q.knee, energy, force.l_sole or tau.left_*; separated by commas, may be repeated. "
        "`tarsus plot FILE --list` prints all.",
        show_default=False,
    ),
]


def open_run(path: Path) -> Trajectory:
    """Read a recording; what is odd about it is told on stderr."""
    from tarsus.recording.files import open_recording

    with warnings.catch_warnings():
        warnings.simplefilter("always", RecordingWarning)
        warnings.showwarning = tell_warning
        return open_recording(path)


def listed(texts: list[str] | None) -> list[str] | None:
    """Names given by repeated options, each with one or more of them."""
    if texts is None:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def summary_lines(run: Trajectory) -> Iterator[str]:
    """What a recording holds, for people."""
    from tarsus.plots.energy import exchanged_energy
    from tarsus.recording.trajectory import CONTACT_BODIES

    yield printable(run.model.name)
    span = f", {run.time[0]:g} to {run.time[-1]:g} s" if len(run) else ""
    yield f"  samples       {len(run)}{span}"
    steps = np.diff(run.time)
    if steps.size:
        yield f"  interval      {_interval(float(steps.min()), float(steps.max()))}"
    if run.batch_shape:
        yield f"  simulations   {' x '.join(map(str, run.batch_shape))}"
    yield f"  ended         {'as planned' if run.finished else printable(run.reason or 'early')}"
    if run.contacts:
        touching = np.any(run.contact_force.reshape(-1, len(run.contacts), 3) != 0.0, axis=(0, 2))
        names = ", ".join(printable(name) for name, on in zip(run.contacts, touching, strict=True) if on)
        yield f"  contacts      {len(run.contacts)}, touching: {names or 'none'}"
    if run.signals:
        yield f"  signals       {', '.join(printable(name) for name in run.signals)}"
    if run.energy and len(run):
        drift = float(np.abs(run.total_energy - run.total_energy[0]).max())
        exchanged = exchanged_energy(run)
        share = f", {100.0 * drift / exchanged:.2g} % of what was exchanged" if exchanged > 0.0 else ""
        yield f"  total energy  deviates by {drift:.2g} J{share}"
    for key, value in run.metadata.items():
        if key == CONTACT_BODIES:
            continue
        shown = _ground_names(run) if key == "ground" else str(value)
        yield f"  {printable(key):<13} {printable(shown)}"


def run_summary(run: Trajectory) -> dict[str, Any]:
    """What a recording holds, for programs."""
    return {
        "model": run.model.name,
        "nq": run.model.nq,
        "nv": run.model.nv,
        "samples": len(run),
        "time": [float(run.time[0]), float(run.time[-1])] if len(run) else None,
        "batch": list(run.batch_shape),
        "finished": run.finished,
        "reason": run.reason,
        "contacts": list(run.contacts),
        "signals": {name: list(values.shape) for name, values in run.signals.items()},
        "energies": list(run.energy),
        "metadata": run.metadata,
    }


def _ground_names(run: Trajectory) -> str:
    ground = run.ground
    if ground is None:
        return str(run.metadata["ground"])
    return ", ".join(f"{surface.name} ({type(surface.law).__name__})" for surface in ground.surfaces)


def _interval(least: float, most: float) -> str:
    if most - least <= 1e-6 * most:
        return f"{most:.6g} s"
    return f"{least:.3g} to {most:.3g} s"
