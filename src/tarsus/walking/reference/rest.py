"""A robot that stands still before it starts to walk, and after it has stopped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.steps.gait import Phase

RESTED = 4.0
"""Time of standing still at each end, in 1/w of the pendulum: motion that comes before a path fades with e^(-w t)."""


def rest_time(omega: float, dt: float) -> float:
    """How long a robot of a pendulum of rate w [1/s] stands still at each end, in whole samples of `dt` [s]."""
    return dt * math.ceil(RESTED / (omega * dt))


def rested_phases(phases: Sequence[Phase], rest: float) -> list[Phase]:
    """Phases with a time [s] of standing on both feet added at both ends."""
    shifted = [phase._replace(start=phase.start + rest, end=phase.end + rest) for phase in phases]
    shifted[0] = shifted[0]._replace(start=0.0)
    shifted[-1] = shifted[-1]._replace(end=shifted[-1].end + rest)
    return shifted


def rested_path(path: PressurePath, rest: float) -> PressurePath:
    """The path with the first and the last place held for a time [s]."""
    times, points = np.asarray(path.times), np.asarray(path.points)

    def held(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values[:1], values, values[-1:]])

    lower, upper = (None if bound is None else held(np.asarray(bound)) for bound in (path.lower, path.upper))
    return PressurePath(np.concatenate([[0.0], times + rest, [times[-1] + 2 * rest]]), held(points), lower, upper)
