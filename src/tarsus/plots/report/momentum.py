"""Momentum of the whole robot about its centre of mass."""

from __future__ import annotations

import numpy as np

from tarsus.dynamics import momentum
from tarsus.plots.report.section import Missing, Section, drawable, lines, most, panels
from tarsus.recording.trajectory import Trajectory

TITLE = "Momentum"


def momentum_section(run: Trajectory) -> Section | Missing:
    """Linear and angular momentum over time, world axes."""
    if not run.model.total_mass > 0.0:
        return Missing(TITLE, f"{run.model.name} has no mass")
    if not np.any(run.v):
        return Missing(TITLE, "nothing moves in the recording")
    values = drawable(momentum(run.model, run.q, run.v))
    figure, axes = panels(2)
    names = ("x", "y", "z")
    lines(axes[0], run.time, {name: values[:, k] for k, name in enumerate(names)}, "linear [N s]")
    lines(axes[1], run.time, {name: values[:, 3 + k] for k, name in enumerate(names)}, "angular [N m s]")
    axes[-1].set_xlabel("time [s]")
    rows = [
        (name, f"{float(most(np.abs(values[:, k]))):.4g}", f"{float(most(np.abs(values[:, 3 + k]))):.4g}")
        for k, name in enumerate(names)
    ]
    note = "Of all bodies, about the centre of mass, in world axes."
    return Section(TITLE, note, figure, ("axis", "largest linear [N s]", "largest angular [N m s]"), rows)
