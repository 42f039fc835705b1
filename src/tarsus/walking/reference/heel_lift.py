"""Heels that rise before long steps: legs reach further over their toes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.walking.steps.gait import Phase

SHORT = 0.4
"""Length of a step, in lengths of the leg, up to which feet stay flat."""
STEEPNESS = 1.5
"""Rise of a heel [rad] for each length of the leg beyond."""
MOST = 0.6
"""[rad]."""
RISING = 0.2
"""Part of the swing in which it still rises: in a short double support alone it would be thrown up."""
LEVEL = 0.8
"""Part of the swing after which the foot is level again."""


def lift_of(length: float, leg: float) -> float:
    """How far the heel rises before a step of this length [rad]."""
    return float(np.clip(STEEPNESS * (length / leg - SHORT), 0.0, MOST))


def heel_lifts(
    phases: Sequence[Phase],
    times: FloatArray,
    number: IntArray,
    leg: float,
    rising: float = RISING,
    level: float = LEVEL,
) -> FloatArray:
    """By which feet are turned about their toes, shape (n, 2) [rad].

    The foot that will swing turns from the double support before on, by the least-jerk law, and is level again before
    it lands. The length of a step is half of the way of the foot.

    Parameters
    ----------
    times : ndarray, shape (n,)
        [s].
    number : ndarray of int, shape (n,)
        Of the phase at each time.
    leg : float
        Length of the legs [m].
    """
    pitch = np.zeros((len(times), 2))
    for k, phase in enumerate(phases):
        if phase.swing is None:
            continue
        start, end = phase.swing
        side, most = int(not end.left), lift_of(0.5 * float(np.linalg.norm(end.position[:2] - start.position[:2])), leg)
        begin, swing = phases[k - 1].start, phase.end - phase.start
        highest = phase.start + rising * swing
        for i in np.flatnonzero((number == k - 1) | (number == k)):
            up = minimum_jerk(times[i] - begin, highest - begin).share
            down = minimum_jerk(times[i] - highest, (level - rising) * swing).share
            pitch[i, side] = most * (up - down)
    return pitch


def on_toes(X: FloatArray, pitch: FloatArray, toe: float) -> FloatArray:
    """Poses of soles, shape (..., 4, 4), turned about their front edge, `toe` [m] in front of their middle."""
    c, s, T = np.cos(pitch), np.sin(pitch), np.zeros((*np.shape(pitch), 4, 4))
    T[..., 0, 0] = T[..., 2, 2] = c
    T[..., 0, 2], T[..., 2, 0] = s, -s
    T[..., 1, 1] = T[..., 3, 3] = 1.0
    T[..., 0, 3], T[..., 2, 3] = toe * (1.0 - c), toe * s  # the edge (toe, 0, 0) stays where it is
    return np.asarray(X @ T)
