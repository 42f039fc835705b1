"""A walk as it was planned: footsteps on the ground, and the ways of centre of mass and pressure."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.recording.recorded import Recorded
from tarsus.viewer.live.stage import Stage
from tarsus.walking.walker.walk_record import recorded_walk

LEFT_COLOR, RIGHT_COLOR = (31, 79, 216), (198, 40, 40)
MASS_COLOR, PRESSURE_COLOR = (60, 60, 66), (46, 125, 50)
ABOVE = 0.004
"""Of lines over the ground, beside the robot's extent."""
MOST_POINTS = 4000
"""Of the ways that are drawn."""
_SLIGHT = 1e-3
"""Shortest line of a way [m]."""


class PlannedWalk(NamedTuple):
    """What is drawn of a walk.

    Attributes
    ----------
    left, right : ndarray, shape (n, 4, 3)
        Outlines of planned footsteps, world [m].
    com, pressure : ndarray, shape (m, 3)
        Ways of the centre of mass and of the pressure as they were planned, world [m].
    """

    left: FloatArray
    right: FloatArray
    com: FloatArray
    pressure: FloatArray


def planned_walk(run: Recorded) -> PlannedWalk | None:
    """The plan of a recorded walk; None where a recording is none."""
    walk = recorded_walk(run)
    if walk is None:
        return None
    outlines, left = walk.outlines, walk.foot == 0
    level = float(walk.planned[:, 2].min(initial=0.0))
    return PlannedWalk(
        outlines[left], outlines[~left], _way(run, "com_reference"), _way(run, "pressure_reference", level)
    )


def _way(run: Recorded, name: str, level: float = 0.0) -> FloatArray:
    """A logged place over time, shape (m, 3); none where it was not logged."""
    values = run.signals.get(name)
    if values is None or values.ndim != 2 or values.shape[1] not in (2, 3) or values.dtype.kind != "f":
        return np.zeros((0, 3))
    rows = np.unique(np.linspace(0, len(values) - 1, min(MOST_POINTS, len(values))).astype(int))
    kept = np.asarray(values[rows], dtype=float)
    kept = kept[np.isfinite(kept).all(axis=1)]
    return kept if kept.shape[1] == 3 else np.column_stack([kept, np.full(len(kept), level)])


def segments_of_way(way: FloatArray) -> FloatArray:
    """Lines along it, one after another, shape (k, 2, 3); places that are nearer than a millimetre are left out."""
    kept: list[FloatArray] = []
    for place in way:
        if not kept or np.linalg.norm(place - kept[-1]) > _SLIGHT:
            kept.append(place)
    points = np.array(kept).reshape(-1, 3)
    return np.stack([points[:-1], points[1:]], axis=1)


def segments_of_outlines(outlines: FloatArray) -> FloatArray:
    """Their edges, shape (4 n, 2, 3)."""
    return np.stack([outlines, np.roll(outlines, -1, axis=1)], axis=2).reshape(-1, 2, 3)


class WalkLayer:
    """Lines of one part of a plan in a stage: "footsteps" or "plan"."""

    def __init__(self, server: Any, stage: Stage, walk: PlannedWalk, part: str, *, visible: bool = True) -> None:
        self.visible = visible
        up = np.array([0.0, 0.0, ABOVE * stage.extent])
        if part == "footsteps":
            drawn = {
                "left": (segments_of_outlines(walk.left) + up, LEFT_COLOR),
                "right": (segments_of_outlines(walk.right) + up, RIGHT_COLOR),
            }
        else:
            drawn = {
                "mass": (segments_of_way(walk.com), MASS_COLOR),
                "pressure": (segments_of_way(walk.pressure) + up, PRESSURE_COLOR),
            }
        self._lines = [
            server.scene.add_line_segments(
                f"/walk/{part}/{name}", lines.astype(np.float32), color, thickness=0.005 * stage.extent, visible=visible
            )
            for name, (lines, color) in drawn.items()
            if len(lines)
        ]

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        self.visible = visible
        for lines in self._lines:
            lines.visible = visible
