"""How far a robot has walked, how long its way was, and how fast it was."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.recording.recorded import Recorded

STRAIGHT = 0.1
"""Part of a way by which it is longer than the line from its start to its end, from which on both are told."""
LEAST = 0.05
"""The same [m]: what is left of the sway."""


class WalkedWay(NamedTuple):
    """Of the pelvis, seen from above.

    Attributes
    ----------
    way : ndarray, shape (2,)
        From the start to the end [m].
    length : float
        From the start over all lift-offs to the end, without the sway between them [m].
    speed : float
        That length over whole strides, of both feet, between the second or third lift-off and the last one, over the
        time between them [m/s]: feet that step aside move on with every second step. Of one step where there are no
        more, and not a number where there is none.
    """

    way: FloatArray
    length: float
    speed: float

    @classmethod
    def of(cls, run: Recorded, pelvis: str, lifted: FloatArray, end: float) -> Self:
        """From a run, the name of the pelvis, times of lift-offs, shape (n,), and the time of the end [s]."""
        last = max(int(np.searchsorted(run.time, end + 1e-9, side="right")) - 1, 0)
        lifts = np.searchsorted(run.time, np.asarray(lifted) + 1e-9)  # the first samples in the air
        lifts = lifts[lifts <= last]
        at = np.array([0, *lifts, last])
        places = frame_pose(run.model, run.q[at], pelvis)[:, :2, 3]
        speed = float("nan")
        if len(lifts) > 2 and lifts[-1] > lifts[1]:
            first = 1 if len(lifts) % 2 == 0 or len(lifts) == 3 else 2
            speed = way_length(places[1 + first : -1]) / float(run.time[lifts[-1]] - run.time[lifts[first]])
        return cls(np.asarray(places[-1] - places[0]), way_length(places), speed)

    @property
    def distance(self) -> float:
        """From the start to the end [m]."""
        return float(np.linalg.norm(self.way))

    def __str__(self) -> str:
        """Its length, and how far from the start it ended where that is another number."""
        if self.length - self.distance <= max(STRAIGHT * self.length, LEAST):
            return f"{self.distance:.2f} m"
        return f"{self.length:.2f} m, ending {self.distance:.2f} m from the start"


def way_length(places: FloatArray) -> float:
    """Length of the way over places at one moment of every step, shape (n, 2), without the sway from foot to foot [m].

    A straight way is as long as the line between its ends. Others are longer by as much as the line through the middles
    of all steps, in which there is no sway, is longer than the line between its own ends; before the first of them and
    behind the last one it goes on for half a step.
    """
    line = float(np.linalg.norm(places[-1] - places[0]))
    if len(places) < 3:
        return line
    middles = (places[1:] + places[:-1]) / 2
    before, behind = (middles[0] - middles[1]) / 2, (middles[-1] - middles[-2]) / 2
    smooth = np.concatenate([[middles[0] + before], middles, [middles[-1] + behind]])
    path = float(np.linalg.norm(np.diff(smooth, axis=0), axis=1).sum())
    return line + path - float(np.linalg.norm(smooth[-1] - smooth[0]))
