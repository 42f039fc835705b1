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
        self._angle, self._rise = 0.0, 0.0
        self._turn = 1.0, 0.0  # cosine and sine; numbers, not arrays: this is done every cycle
        self._here = self._there = 0.0, 0.0, 0.0
        self._ahead = 0.0, 0.0

    def stand(self, foot: int, X: FloatArray) -> None:
        """A foot stands here."""
        self.X[foot] = np.array(X)
        self.yaw[foot] = heading(X)

    def carry(self, moment: Moment, dt: float) -> None:
        """Anchor the plan on the feet, weighted by their planned load, a cycle of `dt` [s] after the last time."""
        places, feet = moment.place.tolist(), [X[:3, 3].tolist() for X in self.X]
        left, right = moment.load.tolist()
        off = [math.remainder(self.yaw[k] - places[k][3] - self._angle, 2.0 * math.pi) for k in (0, 1)]
        self._angle += left * off[0] + right * off[1]  # whole turns do not count
        c, s = self._turn = math.cos(self._angle), math.sin(self._angle)
        self._here = _weighted(left, places[0], right, places[1])
        self._there = _weighted(left, feet[0], right, feet[1])
        self._rise += (1.0 - math.exp(-dt / RISING)) * (self._there[2] - self._here[2] - self._rise)
        left, right = moment.lead.tolist()
        x, y, _ = _weighted(left, places[0], right, places[1])
        ahead = _weighted(left, feet[0], right, feet[1])
        self._ahead = ahead[0] - c * x + s * y, ahead[1] - s * x - c * y

    @property
    def angle(self) -> float:
        """By which the plan is turned [rad]."""
        return self._angle

    def point(self, p: FloatArray) -> FloatArray:
        """A point of the plan, seen from above, in the world, shape (2,)."""
        (c, s), (x, y) = self._turn, p.tolist()
        x, y = x - self._here[0], y - self._here[1]
        return np.array([self._there[0] + c * x - s * y, self._there[1] + s * x + c * y])

    def divergent(self, xi: FloatArray) -> FloatArray:
        """The divergent component of the plan in the world, shape (2,): it goes with the feet that will carry."""
        (c, s), (x, y) = self._turn, xi.tolist()
        return np.array([self._ahead[0] + c * x - s * y, self._ahead[1] + s * x + c * y])

    def raised(self, z: float) -> float:
        """A height of the plan in the world [m]."""
        return z + self._rise


def heading(X: FloatArray) -> float:
    """Yaw of a pose [rad]."""
    return math.atan2(X[1, 0], X[0, 0])


def _weighted(a: float, first: list[float], b: float, second: list[float]) -> tuple[float, float, float]:
    """A times one point and b times another."""
    return (
        a * first[0] + b * second[0],
        a * first[1] + b * second[1],
        a * first[2] + b * second[2],
    )
