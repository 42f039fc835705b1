"""A run as one page that a browser shows without a network."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tarsus.plots.energy import plot_energy
from tarsus.plots.report.contacts import cone_section, contact_section
from tarsus.plots.report.control import solver_section, tracking_section
from tarsus.plots.report.limits import speed_section, torque_section
from tarsus.plots.report.momentum import momentum_section
from tarsus.plots.report.page import Picture, page
from tarsus.plots.report.pressure import pressure_section
from tarsus.plots.report.section import Missing, Section
from tarsus.plots.report.walk import walk_sections
from tarsus.recording.atomic_file import write_file
from tarsus.recording.curves import one_simulation
from tarsus.recording.trajectory import CONTACT_BODIES, Trajectory
from tarsus.walking.walker.walk_record import WALK

ENERGY = "Energy"
_LONGEST_FACT = 300
"""Letters of a text of the recording that are shown."""
_UNSEEN = ("ground", "pushes", CONTACT_BODIES, WALK)
"""Entries of the metadata that are no facts for people."""
_RC: dict[Any, Any] = {"text.parse_math": False, "svg.hashsalt": "tarsus", "font.family": "sans-serif"}
"""Names are no formulas, and the same run gives the same file."""


def write_report(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    *,
    simulation: int | None = None,
    pictures: Sequence[Picture] = (),
) -> tuple[Missing, ...]:
    """Write a report: torques and speeds against limits, contacts, forces, pressure, momentum, errors, solver, energy.

    Of a walk it also tells the verdict, footsteps as planned and as they came, feet, centre of mass and pressure over
    time, phases and commands. The page holds everything it shows and loads nothing. What a recording does not hold is
    left out and told at the end of the page. Texts of the recording cannot become anything but text.

    Parameters
    ----------
    trajectory : Trajectory
    path : path-like
        File to write; it appears complete or not at all.
    simulation : int, optional
        Which simulation of a batch.
    pictures : sequence of Picture
        Pictures of the robot, such as those of the viewer.

    Returns
    -------
    tuple of Missing
        What was left out, and why.
    """
    import matplotlib as mpl

    run = one_simulation(trajectory, simulation)
    with mpl.rc_context(_RC), np.errstate(over="ignore", invalid="ignore"):
        parts = list(_parts(run))
        text = page(run.model.name, list(_facts(run)), pictures, parts)
    write_file(path, lambda stream: stream.write(text.encode(errors="backslashreplace")))
    return tuple(part for part in parts if isinstance(part, Missing))


def _parts(run: Trajectory) -> Iterator[Section | Missing]:
    yield from walk_sections(run)
    for make in (torque_section, speed_section, contact_section, cone_section, pressure_section, momentum_section,
                 tracking_section, solver_section):  # fmt: skip
        yield make(run)
    if run.energy and len(run):
        figure = plot_energy(run)
        figure.suptitle("")
        figure.axes[-1].ticklabel_format(axis="y", useMathText=False)  # which would need a formula
        yield Section(ENERGY, "Where the energy is, and whether the sum stays: the audit of the simulation.", figure)
    else:
        yield Missing(ENERGY, "the recording holds no energies")


def _facts(run: Trajectory) -> Iterator[tuple[str, str]]:
    yield "samples", f"{len(run)}" + (f" from {run.time[0]:g} to {run.time[-1]:g} s" if len(run) else "")
    yield "ended", "as planned" if run.finished and not run.reason else run.reason[:_LONGEST_FACT] or "early"
    yield "robot", f"{run.model.nv} degrees of freedom, {run.model.total_mass:.4g} kg"
    for name, value in run.metadata.items():
        if name not in _UNSEEN:
            yield name[:_LONGEST_FACT], str(value)[:_LONGEST_FACT]
