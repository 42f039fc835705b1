"""A walk from its recording: verdict, footsteps, feet, centre of mass and pressure, phases and commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.plots.figure_file import clean
from tarsus.plots.report.section import Missing, Section, drawable, lines, panels
from tarsus.recording.recorded_pushes import RecordedPush, pushes_in_words, pushes_of
from tarsus.recording.trajectory import Trajectory
from tarsus.walking.walker.walk_record import RecordedWalk, recorded_walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WALK, TIMES = "Walk", "Walk over time"
SIDES = ("left", "right")
FOOT_COLORS = ("#1f4fd8", "#c62828")
PUSH_COLOR = "#d9730d"
LONGEST_ARROW, SHORTEST_ARROW = 0.25, 0.05
"""Of pushes, seen from above [m]."""
UPRIGHT = 0.1
"""Level part of a push up to which it has no arrow."""
_MOST_SAMPLES = 3000
"""Samples that are looked at."""


def walk_sections(run: Trajectory) -> Iterator[Section | Missing]:
    """What a recording tells of a walk; nothing where it is none."""
    walk = recorded_walk(run)
    if walk is None or not len(run):
        return
    keep = np.unique(np.linspace(0, len(run) - 1, _MOST_SAMPLES).astype(int))
    seen = _Seen(run, walk, keep)
    yield _verdict_section(seen)
    yield _time_section(seen)


class _Seen:
    """A walk at the samples that are looked at.

    Attributes
    ----------
    time : ndarray, shape (n,)
        [s].
    q : ndarray, shape (n, nq)
    soles : ndarray, shape (2, n, 4, 4)
        Poses of the left and the right one.
    com : ndarray, shape (n, 3)
        [m].
    pressure : ndarray, shape (n, 2)
        NaN where nothing carries [m].
    landed : ndarray, shape (steps, 4)
        Where feet stood when the next one left the ground: x, y, z, yaw [m, rad]; NaN where a foot did not get there.
    """

    def __init__(self, run: Trajectory, walk: RecordedWalk, keep: FloatArray) -> None:
        self.run, self.walk, self.time = run, walk, run.time[keep]
        self.pushes = pushes_of(run)
        q = self.q = run.q[keep]
        self.soles = np.stack([frame_pose(run.model, q, sole) for sole in walk.soles])
        self.com = np.asarray(center_of_mass(run.model, q))
        self.pressure = _pressure(run, keep)
        self.signals = {name: drawable(values[keep]) for name, values in run.signals.items() if _plain(values)}
        self.landed = self._landed()

    def reference(self, name: str, width: int) -> FloatArray | None:
        """A signal of so many numbers, shape (n, width); None where it was not recorded."""
        values = self.signals.get(name)
        return values if values is not None and values.shape[1:] == (width,) else None

    def _landed(self) -> FloatArray:
        walk, found = self.walk, np.full((len(self.walk.foot), 4), np.nan)
        ends = [*walk.lifted[1:], self.run.time[-1]][: len(walk.foot)]  # a robot that only stood lifted none
        for k, (foot, end) in enumerate(zip(walk.foot, ends, strict=True)):
            if walk.passed or end < walk.time:
                i = max(int(np.searchsorted(self.run.time, end - 1e-9, side="right")) - 1, 0)
                X = frame_pose(self.run.model, self.run.q[i], walk.soles[foot])
                found[k] = [*X[:3, 3], np.arctan2(X[1, 0], X[0, 0])]
        return found


def _plain(values: np.ndarray) -> bool:
    return values.dtype.kind in "fiub"


def _pressure(run: Trajectory, keep: FloatArray) -> FloatArray:
    """Centre of pressure seen from above, shape (n, 2) [m]."""
    up = np.maximum(drawable(run.contact_force[keep])[..., 2], 0.0)
    total = up.sum(axis=1)
    place = drawable(run.contact_position[keep])[..., :2]
    found = np.full((len(keep), 2), np.nan)
    on = total > 0.0
    found[on] = np.sum(up[on, :, None] * np.nan_to_num(place[on]), axis=1) / total[on, None]
    return found


def _verdict_section(seen: _Seen) -> Section:
    walk = seen.walk
    note = f"{walk.steps} steps of {walk.step_time:.2f} s, {walk.walked(seen.run)}. "
    if walk.passed:
        note += f"Passed: it stands after {walk.time:.2f} s."
    else:
        note += f"Failed at {walk.time:.2f} s: {walk.reason}."
        if walk.first is not None and walk.first[1] != walk.reason:
            note += f" First, at {walk.first[0]:.2f} s: {walk.first[1]}."
    notes = walk.notes(seen.run)
    if seen.pushes:
        note += f" Pushed by {'; '.join(pushes_in_words(seen.pushes, walk.time, seen.run.finished))}."
    note += "".join(f" {text[0].upper()}{text[1:]}." for text in notes)
    off = seen.landed[:, :2] - walk.planned[:, :2]
    rows = [
        (
            f"{k + 1}",
            SIDES[foot],
            f"{walk.lifted[k]:.2f}",
            _place(walk.planned[k]),
            _place(seen.landed[k]),
            "-" if np.isnan(off[k]).any() else f"{1e3 * np.linalg.norm(off[k]):.0f}",
        )
        for k, foot in enumerate(walk.foot)
    ]
    header = ("step", "foot", "lifted [s]", "planned x, y, yaw [m, degrees]", "landed", "off [mm]")
    return Section(WALK, note, _from_above(seen), header, rows, warning=not walk.passed or bool(notes))


def _place(place: FloatArray) -> str:
    if np.isnan(place).any():
        return "-"
    return f"{place[0]:.3f}, {place[1]:.3f}, {np.degrees(place[3]):.0f}"


def _from_above(seen: _Seen) -> Figure:
    from matplotlib.figure import Figure

    walk = seen.walk
    ways = np.concatenate([seen.com[:, :2], walk.planned[:, :2]])
    spread = np.ptp(ways, axis=0) + 0.4
    figure = Figure(figsize=(9.0, float(np.clip(9.0 * spread[1] / spread[0] + 0.9, 2.8, 9.0))), layout="constrained")
    axes = figure.subplots()
    for foot, outline in zip(walk.foot, walk.outlines, strict=True):
        axes.fill(*outline[:, :2].T, fill=False, edgecolor=FOOT_COLORS[foot], lw=0.9, ls="--")
    for side, color in enumerate(FOOT_COLORS):
        first = _outline(walk, side, seen.soles[side, 0])
        axes.fill(*first.T, color=color, alpha=0.15, lw=0.0)
    for foot, place in zip(walk.foot, seen.landed, strict=True):
        if not np.isnan(place).any():
            axes.fill(*_turned(walk.corners[foot], place).T, color=FOOT_COLORS[foot], alpha=0.2, lw=0.0)
    reference, wanted = seen.reference("com_reference", 3), seen.reference("pressure_reference", 2)
    if wanted is not None:
        axes.plot(*wanted.T, color="#2e7d32", lw=0.8, ls=":", label="pressure, planned")
    axes.plot(*seen.pressure.T, color="#2e7d32", lw=0.9, label="centre of pressure")
    if reference is not None:
        axes.plot(*reference[:, :2].T, color="#616161", lw=0.9, ls=":", label="centre of mass, planned")
    axes.plot(*seen.com[:, :2].T, color="black", lw=1.1, label="centre of mass")
    _push_arrows(axes, seen)
    axes.plot([], [], color="#616161", lw=0.9, ls="--", label="planned footsteps")
    clean(axes, "x [m]", "y [m]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.05)
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _outline(walk: RecordedWalk, side: int, X: FloatArray) -> FloatArray:
    return np.asarray((walk.corners[side] @ X[:3, :3].T + X[:3, 3])[:, :2])


def _turned(corners: FloatArray, place: FloatArray) -> FloatArray:
    c, s = np.cos(place[3]), np.sin(place[3])
    return np.asarray(corners[:, :2] @ np.array([[c, s], [-s, c]]) + place[:2])


def _push_arrows(axes: Axes, seen: _Seen) -> None:
    """Arrows of pushes at where the centre of mass was then; the strongest is a quarter of a metre long.

    What has no direction seen from above is a ring: a force that points up or down, a moment alone. Each has its size
    and its time.
    """
    strongest = max((float(np.linalg.norm(push.force)) for push in seen.pushes), default=0.0)
    for push in seen.pushes:
        if push.start > seen.time[-1]:
            continue
        k = min(int(np.searchsorted(seen.time, push.start)), len(seen.time) - 1)
        (x, y), told = seen.com[k, :2], f"{push.size}\n{push.start:.2f} s"
        level, whole = float(np.hypot(*push.force[:2])), float(np.linalg.norm(push.force))
        if level > UPRIGHT * whole:
            length = max(LONGEST_ARROW * level / strongest, SHORTEST_ARROW)
            dx, dy = length * push.force[:2] / level
            arrow = {"arrowstyle": "-|>", "color": PUSH_COLOR, "lw": 1.8}
            axes.annotate("", (x, y), (x - dx, y - dy), arrowprops=arrow)
            _beside(axes, told, (x - dx, y - dy), (-dx / length, -dy / length))
        else:
            way = "up" if push.force[2] > 0.0 else "down" if push.force[2] < 0.0 else "moment"
            axes.plot([x], [y], "o", ms=9, mfc="none", mec=PUSH_COLOR, mew=1.8)
            _beside(axes, f"{way}, {told}", (x, y), (0.0, 1.0))


def _beside(axes: Axes, told: str, place: tuple[float, float], way: tuple[float, float]) -> None:
    """Words of a push, from a place [m] on along a direction."""
    across = abs(way[0]) > abs(way[1])
    sideways = "center" if not across else "left" if way[0] > 0.0 else "right"
    upwards = "center" if across else "bottom" if way[1] > 0.0 else "top"
    shift = 8.0 * way[0], 8.0 * way[1]
    paper = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75}
    axes.annotate(told, place, shift, textcoords="offset points", color=PUSH_COLOR, fontsize=7, ha=sideways,
                  va=upwards, bbox=paper)  # fmt: skip


def _time_section(seen: _Seen) -> Section:
    command = seen.reference("command", 3)
    error = seen.reference("divergent_error", 2)
    figure, axes = panels(4 + (error is not None) + (command is not None), 1.7)
    time, left = seen.time, iter(axes[4:])
    feet = {name: seen.soles[k, :, :3, 3] for k, name in enumerate(SIDES)}
    _pair(axes[0], time, {name: p[:, 0] for name, p in feet.items()}, "feet, x [m]")
    _pair(axes[1], time, {name: 1e3 * p[:, 2] for name, p in feet.items()}, "feet, z [mm]")
    for panel, k in ((axes[2], 0), (axes[3], 1)):
        _tracked(panel, seen, k)
    if error is not None:
        named = {"x": 1e3 * error[:, 0], "y": 1e3 * error[:, 1]}
        lines(next(left), time, named, "error of divergent\ncomponent [mm]")
    if command is not None:
        turned = np.degrees(command[:, 2]) / 100.0
        named = {"forward [m/s]": command[:, 0], "left [m/s]": command[:, 1], "turning [100 degrees/s]": turned}
        lines(next(left), time, named, "command")
    for panel in axes:
        _mark(panel, seen, seen.pushes)
    axes[-1].set_xlabel("time [s]")
    pushed = " Pushes are marked in orange." if seen.pushes else ""
    note = f"Bands are phases of the plan: blue while the left foot swings, red while the right one does.{pushed}"
    return Section(TIMES, note, figure)


def _pair(axes: Axes, time: FloatArray, named: dict[str, FloatArray], unit: str) -> None:
    for color, (name, values) in zip(FOOT_COLORS, named.items(), strict=True):
        axes.plot(time, drawable(values), color=color, lw=1.1, label=name)
    clean(axes, "", unit)
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _tracked(axes: Axes, seen: _Seen, k: int) -> None:
    """Centre of mass and pressure with their references along one axis."""
    axis = "xy"[k]
    reference, wanted = seen.reference("com_reference", 3), seen.reference("pressure_reference", 2)
    axes.plot(seen.time, seen.pressure[:, k], color="#2e7d32", lw=0.9, label="pressure")
    if wanted is not None:
        axes.plot(seen.time, wanted[:, k], color="#2e7d32", lw=0.8, ls=":", label="planned")
    axes.plot(seen.time, seen.com[:, k], color="black", lw=1.1, label="centre of mass")
    if reference is not None:
        axes.plot(seen.time, reference[:, k], color="#616161", lw=0.9, ls=":", label="planned")
    clean(axes, "", f"{axis} [m]")
    axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _mark(axes: Axes, seen: _Seen, pushes: tuple[RecordedPush, ...]) -> None:
    """Phases as bands, and pushes."""
    phase = seen.signals.get("phase")
    if phase is not None and phase.ndim == 1:
        for side, color in enumerate(FOOT_COLORS):
            on = phase == 1 + side
            change = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
            for start, stop in zip(change[::2], change[1::2], strict=True):
                axes.axvspan(seen.time[start], seen.time[min(int(stop), len(seen.time) - 1)], color=color, alpha=0.06,
                             lw=0.0)  # fmt: skip
    for push in pushes:
        if push.start <= seen.time[-1]:
            axes.axvspan(push.start, min(push.end, seen.time[-1]), color=PUSH_COLOR, alpha=0.5, lw=0.0)
