"""Pushes that the metadata of a run tell of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.model import Model
from tarsus.recording.recorded import Recorded

_MOST_PUSHES = 100
"""That are read; a recording may name any number."""


class RecordedPush(NamedTuple):
    """A force on a frame, from a time to another.

    Attributes
    ----------
    frame : str
    force : ndarray, shape (3,)
        World axes [N].
    start, end : float
        [s].
    """

    frame: str
    force: FloatArray
    start: float
    end: float


def pushes_of(trajectory: Recorded) -> tuple[RecordedPush, ...]:
    """Those of ``metadata["pushes"]``, as `simulate` writes them, without entries that do not fit that or the model."""
    found = getattr(trajectory, "metadata", {}).get("pushes", [])
    listed = found[:_MOST_PUSHES] if isinstance(found, list) else []
    return tuple(push for entry in listed if (push := _read(entry, trajectory.model)) is not None)


def _read(entry: Any, model: Model) -> RecordedPush | None:
    try:
        frame, force = entry["frame"], np.asarray(entry["force"], dtype=float)
        start, duration = float(entry["start"]), float(entry["duration"])
    except (KeyError, TypeError, ValueError):
        return None
    fits = isinstance(frame, str) and frame in model.frames and force.shape == (3,)
    if not fits or not np.isfinite([*force, start, duration]).all():
        return None
    return RecordedPush(frame, force, start, start + duration)
