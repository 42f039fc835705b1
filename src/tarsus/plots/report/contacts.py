"""Contacts of a run: who touches when, and where forces are in their cones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact.touched import touched_surfaces
from tarsus.errors import TarsusError
from tarsus.plots.figure_file import clean
from tarsus.plots.report.section import COLORS, MOST_LINES, Missing, Section, drawable, lines, most, panels
from tarsus.recording.trajectory import CONTACT_BODIES, Trajectory

TIMES, CONES = "Contacts over time", "Contact forces in their cones"
_LOADED = 0.01
"""Part of the largest normal force of a run from which a contact counts as loaded."""
_EDGE, _BEYOND = 1e-6, 1e-3
"""Shares by which forces may be beyond their cones: until it is told, and until it is a warning. Sliding contacts of
implicit steps are on the edge to about 1e-4."""
_MOST_ROWS = 40
"""Contacts whose times are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """Contacts on one body.

    Attributes
    ----------
    name : str
        The body, or the contact where the recording does not tell bodies.
    normal : ndarray, shape (N,)
        Sum of forces along the normals of what is touched [N].
    share : ndarray, shape (N,)
        Tangential force over friction times normal force, the largest of the loaded contacts; NaN where none is loaded
        or nothing is known about friction.
    touching : ndarray of bool, shape (N,)
    """

    name: str
    normal: FloatArray
    share: FloatArray
    touching: BoolArray


def touches(run: Trajectory) -> list[Touch]:
    """Contacts with what is outside of the robot, by body."""
    outside = [k for k, name in enumerate(run.contacts) if "|" not in name]
    if not outside or not len(run):
        return []
    force, place = drawable(run.contact_force[:, outside]), drawable(run.contact_position[:, outside])
    touching = np.any(run.contact_force[:, outside] != 0.0, axis=-1)
    normal, friction = _surfaces(run, np.nan_to_num(place), force)
    pressed = np.sum(force * normal, axis=-1)
    along = np.linalg.norm(force - pressed[..., None] * normal, axis=-1)
    loaded = touching & (pressed > _LOADED * most(pressed))
    share = np.full(pressed.shape, np.nan)
    np.divide(along, friction * pressed, out=share, where=loaded & (friction > 0.0))
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(_owners(run, outside)):
        groups.setdefault(name, []).append(i)
    return [
        Touch(name, np.nansum(pressed[:, index], axis=1), _largest(share[:, index]), touching[:, index].any(axis=1))
        for name, index in groups.items()
    ]


def _largest(share: FloatArray) -> FloatArray:
    found: FloatArray = np.where(np.isnan(share), -np.inf, share).max(axis=1)
    return np.where(np.isfinite(found), found, np.nan)


def _surfaces(run: Trajectory, place: FloatArray, force: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Normals (N, nc, 3) and friction (N, nc) of what is touched; upwards and NaN where the ground is not told.

    At edges of blocks forces (N, nc, 3) decide on the normals.
    """
    try:
        ground = run.ground
    except TarsusError:  # of a recording that says something else than a ground
        ground = None
    if ground is None:
        return np.broadcast_to([0.0, 0.0, 1.0], place.shape), np.full(place.shape[:2], np.nan)
    found = touched_surfaces(ground, place, force)
    return found.normal, found.friction


def _owners(run: Trajectory, outside: list[int]) -> Iterator[str]:
    bodies = run.metadata.get(CONTACT_BODIES)
    known = isinstance(bodies, list) and len(bodies) == len(run.contacts)
    for k in outside:
        yield str(bodies[k]) if known else run.contacts[k]  # type: ignore[index]


def contact_section(run: Trajectory) -> Section | Missing:
    """When bodies touch."""
    shown = [touch for touch in touches(run) if touch.touching.any()]
    if not shown:
        return Missing(TIMES, "the recording holds no contacts" if not run.contacts else "nothing ever touches")
    from matplotlib.figure import Figure

    drawn = shown[:_MOST_ROWS]
    figure = Figure(figsize=(9.0, 0.9 + 0.24 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    for row, touch in enumerate(drawn):
        spans = [(start, stop - start) for start, stop in _spans(run.time, touch.touching)]
        axes.broken_barh(spans, (row - 0.36, 0.72), color=COLORS[row % len(COLORS)])
    axes.set_yticks(range(len(drawn)), [touch.name for touch in drawn], fontsize=7)
    axes.set_ylim(len(drawn) - 0.5, -0.5)
    clean(axes, "time [s]", "")
    rows = [
        (touch.name, f"{100.0 * touch.touching.mean():.1f} %", f"{sum(1 for _ in _spans(run.time, touch.touching))}")
        for touch in shown
    ]
    more = f" The picture shows the first {_MOST_ROWS}." if len(shown) > _MOST_ROWS else ""
    note = f"{len(shown)} of {len(touches(run))} bodies with contacts touch something.{more}"
    return Section(TIMES, note, figure, ("body", "part of the samples", "times"), rows)


def _spans(time: FloatArray, on: BoolArray) -> Iterator[tuple[float, float]]:
    """Start and end of every stretch of samples that are on [s]."""
    change = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(np.int8)))
    for start, stop in zip(change[::2], change[1::2], strict=True):
        yield float(time[start]), float(time[min(int(stop), len(time) - 1)])


def cone_section(run: Trajectory) -> Section | Missing:
    """Normal forces, and how much of its friction each body uses."""
    found = [touch for touch in touches(run) if touch.touching.any()]
    if not found:
        return Missing(CONES, "the recording holds no contact forces")
    told = any(not np.isnan(touch.share).all() for touch in found)
    figure, axes = panels(1 + told)
    lines(axes[0], run.time, {touch.name: touch.normal for touch in found}, "normal force [N]")
    peak = {touch.name: float(most(touch.share)) for touch in found}
    over = [f"{name} by {100.0 * (share - 1.0):.2g} %" for name, share in peak.items() if share > 1.0 + _EDGE]
    note = "Sums over the contacts of a body, along the normals of the surfaces that they touch. "
    if told:
        lines(axes[1], run.time, {touch.name: touch.share for touch in found}, "share of friction")
        axes[1].axhline(1.0, color="black", lw=0.9, ls="--")
        axes[1].set_ylim(0.0, 1.15 * max(1.0, max(peak.values())))
        note += "A share of 1 is the edge of the cone: there a contact slides."
        note += f" Beyond their cones: {', '.join(over)}." if over else ""
    else:
        note += "The recording does not tell its ground: normals are taken as upwards, and friction is not known."
    axes[-1].set_xlabel("time [s]")
    rows = [
        (touch.name, f"{float(most(touch.normal)):.4g}", f"{peak[touch.name]:.3f}" if told else "-")
        for touch in sorted(found, key=lambda touch: -float(most(touch.normal)))
    ]
    header = ("body", "largest normal force [N]", "largest share of friction")
    return Section(CONES, note, figure, header, rows[: 4 * MOST_LINES], warning=max(peak.values()) > 1.0 + _BEYOND)
