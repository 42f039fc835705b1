"""Planned stances beside a motion: ghosts where they will be, or a strip of them behind the robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import tarsus
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, NonFiniteError
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded
from tarsus.viewer.configurations import configurations
from tarsus.viewer.live.stage import Stage

SIGNAL = "q_reference"
"""Posture that a controller logs: every posture that it keeps for some time is a stance."""
MOST_STANCES = 24
OPACITY = 0.28
_APART = 0.62
"""Distance of neighbours in the strip, beside the robot's extent."""
_BEHIND = 1.1
"""Distance of the strip from where the motion begins, beside the robot's extent."""
_FIRST, _LAST = np.array([31.0, 79.0, 216.0]), np.array([216.0, 90.0, 20.0])
"""Colours of the first and the last stance."""


def logged_stances(trajectory: Recorded, simulation: int = 0) -> FloatArray:
    """Postures (n, nq) that the references of a motion stay at, one after another; none where none were logged.

    A reference that moves all the time, sample by sample, is no sequence of stances: then there are none, too.
    """
    nq = trajectory.model.nq
    values = trajectory.signals.get(SIGNAL)
    if values is None or values.dtype.kind != "f" or values.shape[-1:] != (nq,):
        return np.zeros((0, nq))
    postures = np.asarray(values, dtype=float).reshape(len(values), -1, nq)
    if not simulation < postures.shape[1]:
        return np.zeros((0, nq))
    postures = postures[:, simulation]
    changes = np.flatnonzero(np.any(np.diff(postures, axis=0) != 0.0, axis=1)) + 1
    starts = np.append(0, changes)
    kept = starts[np.diff(np.append(starts, len(postures))) > 1]  # a stance lasts longer than a sample
    found = postures[kept]
    return found if len(found) <= MOST_STANCES and np.isfinite(found).all() else np.zeros((0, nq))


def stance_configurations(model: Model, stances: npt.ArrayLike) -> FloatArray:
    """Postures (n, nq) that somebody gives, checked.

    Raises
    ------
    ArgumentError
        If they are too many, or no configurations of the model.
    """
    found = configurations(model, stances, several=True)
    if len(found) > MOST_STANCES:
        raise ArgumentError(f"stances: found {len(found)}, expected at most {MOST_STANCES}")
    if not np.isfinite(found).all():
        raise NonFiniteError("stances contains values that are not finite")
    return found


class StanceLayer:
    """One half-transparent mesh a stance, from blue for the first to orange for the last."""

    def __init__(self, server: Any, stage: Stage, stances: FloatArray, *, ghosts: bool = False, strip: bool = False):
        self._stage, self._strip = stage, strip
        self._shapes = [self._vertices(q) for q in stances]
        faces, first = [], 0
        for part in stage.parts:
            faces.append(part.mesh.faces + first)
            first += len(part.mesh.vertices)
        self._meshes = [
            server.scene.add_mesh_simple(
                f"/stances/{k}",
                vertices.astype(np.float32),
                np.concatenate(faces).astype(np.uint32),
                color=_color(k, len(stances)),
                opacity=OPACITY,
                cast_shadow=False,
                visible=False,
            )
            for k, vertices in enumerate(self._shapes)
        ]
        self._places = self._offsets(stances)
        self.show(ghosts=ghosts, strip=strip)

    def show(self, *, ghosts: bool, strip: bool) -> None:
        """Show the stances where they are, or in a strip, or not at all."""
        for mesh, place in zip(self._meshes, self._places, strict=True):
            mesh.visible = ghosts or strip
            mesh.position = place if strip else np.zeros(3)

    def _vertices(self, q: FloatArray) -> FloatArray:
        X_WB = np.asarray(tarsus.body_poses(self._stage.model, q))
        return np.concatenate(
            [part.mesh.vertices @ X_WB[part.body, :3, :3].T + X_WB[part.body, :3, 3] for part in self._stage.parts]
        )

    def _offsets(self, stances: FloatArray) -> FloatArray:
        """Shifts (n, 3) into a strip behind the robot and to its right, which reads from left to right [m]."""
        size = self._stage.extent
        middle = [0.5 * (points.min(axis=0) + points.max(axis=0)) for points in self._shapes]
        row = _APART * size * (np.arange(len(stances)) - len(stances) - 1.2)
        start = middle[0] if middle else np.zeros(3)
        shifts = [
            (start[0] - _BEHIND * size - m[0], start[1] + y - m[1], 0.0) for m, y in zip(middle, row, strict=True)
        ]
        return np.array(shifts).reshape(-1, 3)


def _color(k: int, count: int) -> tuple[int, int, int]:
    mixed = _FIRST + (_LAST - _FIRST) * (k / max(count - 1, 1))
    red, green, blue = (round(x) for x in mixed)
    return red, green, blue
