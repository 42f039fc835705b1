"""A centre of mass that goes up and down stairs with the feet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.walking.steps.gait import Phase


def climbs(phases: Sequence[Phase], times: FloatArray) -> FloatArray:
    """Height of the ground that the centre of mass is carried above, shape (n,) [m].

    While both feet stand it is that of the lower one, whose leg is the longer: a robot that goes up is lifted by the
    leg that stands above, one that goes down is lowered before its foot is there. In between it changes while one foot
    stands, by the least-jerk law.

    Parameters
    ----------
    times : ndarray, shape (n,)
        [s].
    """
    found = np.full(len(times), _ground(phases[0]))
    for k, phase in enumerate(phases):
        if phase.swing is None:
            found[times >= phase.start] = _ground(phase)
            continue
        before, after = _ground(phases[k - 1]), _ground(phases[k + 1])
        for i in np.flatnonzero((times >= phase.start) & (times < phase.end)):
            share = minimum_jerk(float(times[i]) - phase.start, phase.end - phase.start).share
            found[i] = before + share * (after - before)
    return found


def _ground(phase: Phase) -> float:
    """Height of the lower foot of a double support [m]."""
    return min(float(foot.position[2]) for foot in phase.standing)
