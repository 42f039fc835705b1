"""A recording played in the terminal: time, centre of mass, contact forces and energies as they change."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

import numpy as np

from tarsus.cli.options.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tarsus.recording.trajectory import Trajectory

BAR_WIDTH = 32
"""Width of bars [characters]."""
MOST_CONTACTS = 12
"""Contacts that are listed, the strongest of those that touch."""
PICTURE_RATE = 15.0
"""Pictures a second."""


def play(run: Trajectory, speed: float, console: Console | None = None) -> None:
    """Play one simulation from start to end; Ctrl-C ends it early.

    Parameters
    ----------
    run : Trajectory
        One simulation.
    speed : float
        Seconds of simulation in one second.
    """
    from rich.console import Console
    from rich.live import Live

    if not len(run):
        return
    console = Console() if console is None else console
    first, last = float(run.time[0]), float(run.time[-1])
    start = clock.monotonic()
    try:
        with Live(frame(run, first), console=console, auto_refresh=False, transient=False) as live:
            while True:
                t = min(first + speed * (clock.monotonic() - start), last)
                live.update(frame(run, t), refresh=True)
                if t >= last:
                    break
                clock.sleep(min(1.0 / PICTURE_RATE, (last - t) / speed))
    except KeyboardInterrupt:
        pass


def frame(run: Trajectory, t: float) -> Table:
    """Everything shown at time t [s]."""
    from rich.table import Table

    import tarsus

    now = run.at(t)
    table = Table.grid(padding=(0, 2))
    span = run.duration or 1.0
    table.add_row("time", bar((t - float(run.time[0])) / span), f"{t:.3f} of {run.time[-1]:.3f} s")
    if run.model.total_mass > 0.0:
        com = tarsus.center_of_mass(run.model, now.q)
        table.add_row("centre of mass", "", ", ".join(f"{x + 0.0:.3f}" for x in com) + " m")
    weight = run.model.total_mass * float(np.linalg.norm(run.model.gravity))
    strength = np.linalg.norm(now.contact_force, axis=-1)
    scale = max(weight, float(np.linalg.norm(run.contact_force, axis=-1).max(initial=0.0)), 1e-300)
    touching = np.flatnonzero(strength)
    strongest = set(touching[np.argsort(-strength[touching], kind="stable")][:MOST_CONTACTS].tolist())
    for k in (k for k in touching.tolist() if k in strongest):
        table.add_row(printable(run.contacts[k]), bar(float(strength[k]) / scale), f"{strength[k]:.1f} N")
    if len(touching) > MOST_CONTACTS:
        rest = strength[[k for k in touching.tolist() if k not in strongest]]
        table.add_row("", "", f"and {len(rest)} more, none above {rest.max():.1f} N")
    if run.contacts:
        table.add_row("touching", "", f"{len(touching)} of {len(run.contacts)} contacts")
    for name in ("kinetic", "potential"):
        if name in now.energy:
            table.add_row(f"{name} energy", "", f"{float(now.energy[name]):.2f} J")
    return table


def bar(share: float) -> str:
    """Bar that is filled by a share between 0 and 1."""
    full = round(BAR_WIDTH * min(max(share, 0.0), 1.0))
    return "━" * full + "╌" * (BAR_WIDTH - full)
