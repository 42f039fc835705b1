"""Where feet are, which of them stand, and how the load is shared, along a row of footsteps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IntArray
from tarsus.walking.reference.heel_lift import heel_lifts
from tarsus.walking.steps.foot_swing import LATEST, FootSwing, along_of, lateness
from tarsus.walking.steps.footsteps import Footstep
from tarsus.walking.steps.gait import Phase

APEX = 0.4
"""Part of a swing in which the foot rises: it comes down more slowly, since ground may come early."""
LATE_APEX = 0.52
"""The same of the longest steps, whose feet are fast until they land: those that were next to the ground long before
touched it on the way, which made Lola fall at 3.5 km/h."""
LEFT, RIGHT = 0, 1
"""Places of the feet in arrays."""


class SwingPath(Protocol):
    """A foot in the air."""

    def at(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(x, y, z, yaw), rates and accelerations at a time from lift-off on, shape (4,) each."""


class SwingMaker(Protocol):
    """What swings a foot."""

    def __call__(self, number: int, phase: Phase, clearance: float, leg: float) -> SwingPath:
        """The path of the foot that swings in a phase; `number` counts phases from 0."""


def plain_swing(number: int, phase: Phase, clearance: float, leg: float) -> FootSwing:
    """The path of a foot with nothing in its way."""
    assert phase.swing is not None
    start, end = phase.swing
    climb = float(end.position[2] - start.position[2])
    return FootSwing(start, end, phase.end - phase.start, clearance, apex_of(phase, leg),
                     late=_lateness(start, end, leg), along=along_of(climb))  # fmt: skip


def apex_of(phase: Phase, leg: float) -> float:
    """When the foot that swings in a phase is highest, as a part of its swing; `leg` is the length of the legs [m].

    The later, the faster it still is where it lands, as those of long steps are. On the way down that is as late as it
    is soon on the way up, so that its heel passes the edge.
    """
    assert phase.swing is not None
    start, end = phase.swing
    if end.position[2] < start.position[2]:
        return 1.0 - APEX
    return APEX + (LATE_APEX - APEX) * _lateness(start, end, leg) / LATEST


def _lateness(start: Footstep, end: Footstep, leg: float) -> float:
    """Deceleration with which a foot arrives, see `lateness`."""
    return lateness(0.5 * float(np.linalg.norm(end.position[:2] - start.position[:2])) / leg)


class FootPaths(NamedTuple):
    """Both feet at n times.

    Attributes
    ----------
    place, rate : ndarray, shape (n, 2, 4)
        (x, y, z, yaw) of the left and the right sole [m, rad], and their rates.
    standing : ndarray of bool, shape (n, 2)
    load : ndarray, shape (n, 2)
        Parts of the weight that feet carry.
    phase : ndarray of int, shape (n,)
        Number of the phase.
    pitch : ndarray, shape (n, 2)
        By which feet are turned about their toes, heel up [rad].
    """

    place: FloatArray
    rate: FloatArray
    standing: BoolArray
    load: FloatArray
    phase: IntArray
    pitch: FloatArray

    def at(self, own: BoolArray) -> FootPaths:
        """At some of the times."""
        return FootPaths(
            self.place[own], self.rate[own], self.standing[own], self.load[own], self.phase[own], self.pitch[own]
        )


def foot_paths(
    phases: Sequence[Phase],
    times: FloatArray,
    pressure: FloatArray,
    clearance: float,
    leg: float = np.inf,
    swings: SwingMaker = plain_swing,
) -> FootPaths:
    """Feet along phases.

    In double support the load is shared so that its centre is nearest to the pressure.

    Parameters
    ----------
    times : ndarray, shape (n,)
        [s].
    pressure : ndarray, shape (n, 2)
        Centre of pressure [m].
    clearance : float
        Of swinging feet above the ground [m].
    leg : float
        Length of the legs [m]; heels of feet that are left behind by long steps rise. They do not by default.
    swings : callable
        What swings feet: `plain_swing`, or what leads them over obstacles.
    """
    n = len(times)
    place, rate = np.zeros((n, 2, 4)), np.zeros((n, 2, 4))
    standing = np.ones((n, 2), dtype=bool)
    number = np.searchsorted([phase.start for phase in phases], times + 1e-9) - 1
    for k, phase in enumerate(phases):
        own = np.flatnonzero(number == k)
        for foot in phase.standing:
            place[own, _side(foot)] = [*foot.position, foot.yaw]
        if phase.swing is not None:
            end, swing = phase.swing[1], swings(k, phase, clearance, leg)
            moved = [swing.at(float(t - phase.start)) for t in times[own]]
            place[own, _side(end)] = [value for value, _, _ in moved]
            rate[own, _side(end)] = [speed for _, speed, _ in moved]
            standing[own, _side(end)] = False
    return FootPaths(
        place, rate, standing, _loads(place, standing, pressure), number, heel_lifts(phases, times, number, leg)
    )


def _side(foot: Footstep) -> int:
    return LEFT if foot.left else RIGHT


def _loads(place: FloatArray, standing: BoolArray, pressure: FloatArray) -> FloatArray:
    left, right = place[:, LEFT, :2], place[:, RIGHT, :2]
    apart = left - right
    share = np.clip(np.sum((pressure - right) * apart, axis=-1) / np.sum(apart * apart, axis=-1), 0.0, 1.0)
    share = np.where(standing[:, LEFT], np.where(standing[:, RIGHT], share, 1.0), 0.0)
    return np.stack([share, 1.0 - share], axis=-1)
