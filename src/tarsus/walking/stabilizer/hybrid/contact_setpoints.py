"""What each foot shall carry, and with which moments: the pressure that is wanted, shared by the feet that stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray

TOUCH = 0.05
"""Least part of the weight that a foot on the ground shall carry: one that is wanted to carry nothing bounces."""


class ContactSetpoints(NamedTuple):
    """Of the left and the right foot.

    Attributes
    ----------
    wrench : ndarray, shape (2, 3)
        Vertical force [N] and moments about x and y of the middle of the sole, axes of the sole [N m]; zero in the air.
    missing : ndarray, shape (2,)
        By how much the pressure that is wanted is beyond what the soles can give, world axes [m].
    """

    wrench: FloatArray
    missing: FloatArray


class LoadDistribution:
    """Shares a pressure between feet.

    The load goes to the feet as planned, and as far as both stand also by the change of the pressure along the line
    between them: s_L = s_p + 4 s_p (1 - s_p) d . (p - p_ref) / d^2 with d from the right to the left foot. The
    factor leaves planned loads of 0 and 1 alone, so that lift-off and touch-down are no jumps. What the loads leave of
    the pressure, p - sum s_i c_i, is made by moments: the same way in both soles, so that moments are shared like
    loads; a foot at the edge of its sole leaves its rest to the other one.

    Parameters
    ----------
    half : sequence of two ndarrays, shape (2,)
        Half sizes of the soles that the pressure may use, left and right [m].
    weight : float
        Of the robot [N].
    """

    def __init__(self, half: Sequence[FloatArray], weight: float) -> None:
        self._half, self._weight = [np.asarray(own, dtype=float) for own in half], weight

    def shares(
        self, planned: FloatArray, standing: Sequence[bool], places: Sequence[FloatArray], change: FloatArray
    ) -> FloatArray:
        """Parts of the weight that the feet shall carry, shape (2,).

        Parameters
        ----------
        planned : ndarray, shape (2,)
        standing : sequence of two bool
        places : sequence of two ndarrays, shape (2,)
            Middles of the soles, seen from above [m].
        change : ndarray, shape (2,)
            By which the pressure is wanted elsewhere than planned [m].
        """
        left, right = bool(standing[0]), bool(standing[1])
        if not (left and right):
            return np.array([float(left), float(right)])
        share = float(planned[0])
        d = places[0] - places[1]
        share += 4.0 * share * (1.0 - share) * float(d @ change) / float(d @ d)
        share = min(max(share, TOUCH), 1.0 - TOUCH)
        return np.array([share, 1.0 - share])

    def setpoints(
        self,
        pressure: FloatArray,
        shares: FloatArray,
        places: Sequence[FloatArray],
        yaw: Sequence[float],
        rolled: FloatArray,
    ) -> ContactSetpoints:
        """Forces and moments that put the pressure there, as far as soles allow.

        Parameters
        ----------
        pressure : ndarray, shape (2,)
            Wanted, seen from above [m].
        shares : ndarray, shape (2,)
        places : sequence of two ndarrays, shape (2,)
        yaw : sequence of two float
            Of the soles [rad].
        """
        off = pressure - shares[0] * places[0] - shares[1] * places[1]
        turns = [np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in yaw]
        ways = [turn.T @ self._inside(k, turn @ off, rolled[k]) for k, turn in enumerate(turns)]
        for k in (0, 1):  # what one cannot, the other one does
            if shares[k] > 0.0:
                rest = shares[1 - k] * (off - ways[1 - k]) / shares[k]
                ways[k] = turns[k].T @ self._inside(k, turns[k] @ (off + rest), rolled[k])
        wrench = np.zeros((2, 3))
        for k in (0, 1):
            x, y = turns[k] @ ways[k]
            wrench[k] = self._weight * shares[k] * np.array([1.0, y, -x])
        return ContactSetpoints(wrench, off - shares[0] * ways[0] - shares[1] * ways[1])

    def _inside(self, foot: int, way: FloatArray, rolled: float) -> FloatArray:
        half = self._half[foot]
        return np.asarray(np.clip(way, half * [2.0 * rolled - 1.0, -1.0], half))
