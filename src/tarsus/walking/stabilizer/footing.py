"""Where feet really stand, and the plan moved there."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.reference.moment import Moment

RISING = 0.15
"""Time in which the base follows the height of the feet [s]: a step up is no jump."""


class Footing:
    """Places of both feet on the ground, and how the plan is carried along with them.

    The plan is anchored on the feet as they carry the load: a step that lands elsewhere moves all that follows, so that
    errors of places do not pile up.

    Attributes
    ----------
    X : list of ndarray, shape (4, 4)
        Poses of the left and the right sole where they stand, or will stand.
    yaw : list of float
        [rad].
    """

    def __init__(self, poses: list[FloatArray]) -> None:
        self.X = [np.array(pose) for pose in poses]
        self.yaw = [heading(pose) for pose in poses]
        self._turn = np.eye(2)
        self._angle, self._rise = 0.0, 0.0
        self._here, self._there, self._ahead = np.zeros(3), np.zeros(3), np.zeros(2)

    def stand(self, foot: int, X: FloatArray) -> None:
        """A foot stands here."""
        self.X[foot] = np.array(X)
        self.yaw[foot] = heading(X)

    def carry(self, moment: Moment, dt: float) -> None:
        """Anchor the plan on the feet, weighted by their planned load, a cycle of `dt` [s] after the last time."""
        left, right = moment.load
        place = moment.place
        off = [math.remainder(self.yaw[k] - place[k, 3] - self._angle, 2.0 * math.pi) for k in (0, 1)]
        self._angle += left * off[0] + right * off[1]  # whole turns do not count
        c, s = math.cos(self._angle), math.sin(self._angle)
        self._turn = np.array([[c, -s], [s, c]])
        self._here = left * place[0, :3] + right * place[1, :3]
        self._there = left * self.X[0][:3, 3] + right * self.X[1][:3, 3]
        self._rise += (1.0 - math.exp(-dt / RISING)) * (self._there[2] - self._here[2] - self._rise)
        left, right = moment.lead
        ahead = left * place[0, :2] + right * place[1, :2]
        self._ahead = left * self.X[0][:2, 3] + right * self.X[1][:2, 3] - self._turn @ ahead

    @property
    def angle(self) -> float:
        """By which the plan is turned [rad]."""
        return self._angle

    def point(self, p: FloatArray) -> FloatArray:
        """A point of the plan, seen from above, in the world, shape (2,)."""
        return np.asarray(self._there[:2] + self._turn @ (p - self._here[:2]))

    def divergent(self, xi: FloatArray) -> FloatArray:
        """The divergent component of the plan in the world, shape (2,): it goes with the feet that will carry."""
        return np.asarray(self._ahead + self._turn @ xi)

    def raised(self, z: float) -> float:
        """A height of the plan in the world [m]."""
        return z + self._rise


def heading(X: FloatArray) -> float:
    """Yaw of a pose [rad]."""
    return math.atan2(X[1, 0], X[0, 0])
