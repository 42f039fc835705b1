"""A centre of mass that is lower while feet are far apart: legs of long steps do not get stretched."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.walking.reference.heel_lift import SHORT
from tarsus.walking.steps.gait import Phase

DEPTH = 0.08
"""How much lower the centre of mass is in the middle of a double support, for each length that feet are further apart
than short steps are."""


def dips(phases: Sequence[Phase], times: FloatArray, leg: float) -> FloatArray:
    """How much lower the centre of mass is than where the robot stands, shape (n,) [m].

    It goes down to the middle of each double support and up again to the middle of each swing, by the least-jerk law.
    Steps of up to 0.4 legs have none of it, nor has standing.

    Parameters
    ----------
    times : ndarray, shape (n,)
        [s].
    leg : float
        Length of the legs [m].
    """
    knots = [(phases[0].end, 0.0)]
    for k, phase in enumerate(phases):
        middle = (phase.start + phase.end) / 2
        if phase.swing is not None:
            knots.append((middle, 0.0))
        elif 0 < k < len(phases) - 1:
            knots.append((middle, DEPTH * max(0.0, _apart(phase) - SHORT * leg)))
    knots.append((phases[-1].start, 0.0))
    found = np.zeros(len(times))
    for (t0, first), (t1, second) in itertools.pairwise(knots):
        for i in np.flatnonzero((times >= t0) & (times < t1)) if first or second else ():
            found[i] = first + minimum_jerk(float(times[i]) - t0, t1 - t0).share * (second - first)
    return found


def _apart(phase: Phase) -> float:
    """How far the feet of a double support are apart in the direction of the first [m]."""
    first, second = phase.standing
    dx, dy = second.position[:2] - first.position[:2]
    return abs(math.cos(first.yaw) * float(dx) + math.sin(first.yaw) * float(dy))
