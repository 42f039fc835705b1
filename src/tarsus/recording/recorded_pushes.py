"""Pushes that the metadata of a run tell of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded

_MOST_PUSHES = 100
"""That are read; a recording may name any number."""

_MOST_TOLD = 6
"""That are told one by one."""


class RecordedPush(NamedTuple):
    """A force and a moment on a frame, from a time to another.

    Attributes
    ----------
    frame : str
    force, moment : ndarray, shape (3,)
        World axes [N], [N m].
    start, end : float
        [s].
    """

    frame: str
    force: FloatArray
    start: float
    end: float
    moment: FloatArray

    @property
    def size(self) -> str:
        """Of the force, and of the moment, where there are such."""
        return ", ".join(f"{_number(float(np.linalg.norm(part)))} {unit}" for part, unit in self._parts()) or "0 N"

    def __str__(self) -> str:
        """Size and direction, frame and time."""
        told = [
            f"{_number(float(np.linalg.norm(part)))} {unit} ({', '.join(map(_number, part.tolist()))})"
            for part, unit in self._parts()
        ]
        return f"{' and '.join(told) or '0 N'} at {self.frame!r}, {self.start:.2f} to {self.end:.2f} s"

    def _parts(self) -> list[tuple[FloatArray, str]]:
        """Force and moment with their units, those that are not 0."""
        return [(part, unit) for part, unit in ((self.force, "N"), (self.moment, "N m")) if part.any()]


def _number(x: float) -> str:
    """Three digits, those before the point at least; never minus zero."""
    return f"{x:.0f}" if abs(x) >= 100.0 else f"{x + 0.0:.3g}"


def pushes_in_words(pushes: tuple[RecordedPush, ...], end: float, finished: bool = True) -> list[str]:
    """Each of the first six, and how many there are beside them.

    Those from the end of a run on [s] were not felt. One that did not finish ends with its last state: what begins
    there may have ended it.
    """
    told = [
        f"{push}{'' if push.start < end or (push.start <= end and not finished) else ', not felt: it was over'}"
        for push in pushes[:_MOST_TOLD]
    ]
    more = len(pushes) - _MOST_TOLD
    return [*told, f"and {more} more"] if more > 0 else told


def pushes_of(trajectory: Recorded) -> tuple[RecordedPush, ...]:
    """Those of ``metadata["pushes"]``, as `simulate` writes them, without entries that do not fit that or the model."""
    found = getattr(trajectory, "metadata", {}).get("pushes", [])
    listed = found[:_MOST_PUSHES] if isinstance(found, list) else []
    return tuple(push for entry in listed if (push := _read(entry, trajectory.model)) is not None)


def _read(entry: Any, model: Model) -> RecordedPush | None:
    try:
        frame, force = entry["frame"], np.asarray(entry["force"], dtype=float)
        moment = np.asarray(entry.get("moment", (0.0, 0.0, 0.0)), dtype=float)
        start, duration = float(entry["start"]), float(entry["duration"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    fits = isinstance(frame, str) and frame in model.frames and force.shape == moment.shape == (3,)
    if not fits or not np.isfinite([*force, *moment, start, duration]).all():
        return None
    return RecordedPush(frame, force, start, start + duration, moment)
