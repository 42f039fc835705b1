"""Centre of pressure in the support polygon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import center_of_mass
from tarsus.geometry.support_polygon import support_polygon
from tarsus.plots.figure_file import clean
from tarsus.plots.report.section import Missing, Section, drawable, most
from tarsus.recording.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Centre of pressure in the support polygon"
_LEVEL = 0.02
"""Heights by which contacts may differ to have one centre of pressure [m]."""
_POLYGONS = 40
"""Support polygons that are drawn."""
_MOST_SAMPLES = 2000
"""Samples that are looked at."""


def pressure_section(run: Trajectory) -> Section | Missing:
    """Ways of centre of pressure and centre of mass over the support polygons, and the margin to their edges."""
    keep = np.unique(np.linspace(0, max(len(run) - 1, 0), _MOST_SAMPLES).astype(int)) if len(run) else np.zeros(0, int)
    place, force = drawable(run.contact_position[keep]), drawable(run.contact_force[keep])
    place, force = np.nan_to_num(place), np.nan_to_num(force)
    polygons = [support_polygon(p, f) for p, f in zip(place, force, strict=True)]
    on = np.array([len(polygon) > 0 for polygon in polygons], dtype=bool)
    if not on.any():
        return Missing(TITLE, "no contact carries the robot")
    height = float(max(np.ptp(polygon[:, 2]) for polygon in polygons if len(polygon)))
    if height > _LEVEL:
        return Missing(TITLE, f"contacts that carry at the same time are up to {height:.2g} m apart in height")
    pressure = np.full((len(keep), 2), np.nan)
    up = np.maximum(force[..., 2], 0.0)
    pressure[on] = np.sum(up[on, :, None] * place[on, :, :2], axis=1) / np.sum(up[on], axis=1)[:, None]
    margin = np.array([_margin(polygon, p) for polygon, p in zip(polygons, pressure, strict=True)])
    center = np.asarray(center_of_mass(run.model, run.q[keep]))[:, :2] if run.model.total_mass > 0.0 else pressure
    known = margin[~np.isnan(margin)]
    least = f"; the smallest margin to an edge is {1e3 * known.min():.1f} mm" if len(known) else ""
    note = f"Seen from above: polygons of the contacts that carry at {_POLYGONS} moments at most{least}."
    if not on.all():
        note += f" The robot is in the air in {100.0 * (1.0 - on.mean()):.1f} % of the samples."
    figure = _figure(run.time[keep], [polygons[k] for k in np.flatnonzero(on)], pressure, center, margin)
    return Section(TITLE, note, figure)


def _margin(polygon: FloatArray, p: FloatArray) -> float:
    """Distance of a point to the nearest edge of the polygon around it [m]; negative outside, NaN without an area."""
    if len(polygon) < 3 or not np.isfinite(p).all():
        return float("nan")
    edge = np.roll(polygon[:, :2], -1, axis=0) - polygon[:, :2]
    length = np.linalg.norm(edge, axis=1)
    offset = p - polygon[:, :2]
    beside = edge[:, 0] * offset[:, 1] - edge[:, 1] * offset[:, 0]
    return float((beside[length > 0.0] / length[length > 0.0]).min(initial=np.inf))


def _figure(
    time: FloatArray, polygons: list[FloatArray], pressure: FloatArray, center: FloatArray, margin: FloatArray
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    above, beside = figure.subplots(1, 2)
    drawn = np.unique(np.linspace(0, len(polygons) - 1, _POLYGONS).astype(int))
    for corners in (polygons[k][:, :2] for k in drawn):
        if len(corners) > 2:
            above.fill(*corners.T, color="#2e7d32", alpha=0.6 / len(drawn), lw=0.0)
            above.fill(*corners.T, fill=False, edgecolor="#2e7d32", alpha=0.4, lw=0.5)
    above.plot(*center.T, color="#616161", lw=0.8, label="centre of mass")
    above.plot(*pressure.T, color="#c62828", lw=1.0, label="centre of pressure")
    clean(above, "x [m]", "y [m]")
    above.set_aspect("equal", adjustable="datalim")
    above.margins(0.08)
    above.legend(frameon=False, fontsize=7)
    beside.plot(time, 1e3 * margin, color="#1f4fd8", lw=1.0)
    beside.axhline(0.0, color="black", lw=0.9, ls="--")
    beside.set_ylim(min(0.0, -float(most(-1e3 * margin))) - 2.0, 1.1 * float(most(1e3 * margin)) + 2.0)
    clean(beside, "time [s]", "margin to the edge [mm]")
    return figure
