"""Steps against pushes: what the pressure under a foot cannot bring back until touch-down is left to the step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray

HASTE = 2.5
"""Largest rate of the clock of a plan."""
TRIED = (1.0, 1.25, 1.5, 1.75, 2.0, 2.25, HASTE)
"""Rates that are tried."""
USED = 0.9
"""Part of the sole that is counted on until touch-down: the pressure gets to its edge with some delay."""
LATEST = 0.85
"""Part of a swing after which the landing is not changed any more."""


class Adaptation(NamedTuple):
    """How the step that is under way differs from the plan.

    Attributes
    ----------
    shift : ndarray, shape (2,)
        Of the landing, world axes [m].
    rate : float
        Of the clock of the plan.
    """

    shift: FloatArray
    rate: float


@dataclass(frozen=True)
class StepAdaptation:
    """Where and when to step, from the divergent component.

    Until touch-down, a time t away, xi -> p + (xi - p) e^(w t) above a pressure p. All p within the foot that stands
    make a range of xi there. Where the planned xi lies in it, the step stays as it is: ankles will do. Otherwise the
    landing is moved by what is missing, so that xi lies relative to the new foot as planned (foothold relative to the
    capture point); and since what is missing grows with e^(w t), the step is hurried until it is within reach.

    Attributes
    ----------
    omega : float
        w [1/s].
    half : tuple of ndarray, shape (2,)
        Half sizes of the soles, left and right [m].
    forward, outward, inward : float
        Largest shift along the foot that stands, away from it, and towards it [m].
    pace : float
        How fast the landing may be moved [m/s].
    """

    omega: float
    half: tuple[FloatArray, FloatArray]
    forward: float
    outward: float
    inward: float
    pace: float

    def adapt(
        self,
        xi: FloatArray,
        planned: FloatArray,
        stance: FloatArray,
        yaw: float,
        swinging: int,
        lead: float,
        left_over: float,
        before: FloatArray,
        dt: float,
    ) -> Adaptation:
        """Shift and rate for the state now.

        Parameters
        ----------
        xi : ndarray, shape (2,)
            Divergent component [m].
        planned : ndarray, shape (2,)
            The same at touch-down, as planned on the feet as they are [m].
        stance : ndarray, shape (2,)
            Middle of the foot that stands [m].
        yaw : float
            Of that foot [rad].
        swinging : int
            0 for the left foot, 1 for the right one.
        lead : float
            By how much of the shift of the foot the divergent component shall move at touch-down.
        left_over : float
            Time on the clock of the plan to touch-down [s].
        before : ndarray, shape (2,)
            Shift of the last cycle [m].
        dt : float
            Since then [s].
        """
        c, s = math.cos(yaw), math.sin(yaw)
        local = np.array([[c, s], [-s, c]])  # to axes of the foot
        at, aim = local @ (xi - stance), local @ (planned - stance)
        edge = USED * self.half[1 - swinging]
        side = 1.0 if swinging == 0 else -1.0
        low = np.array([-self.forward, -self.inward if side > 0 else -self.outward])
        high = np.array([self.forward, self.outward if side > 0 else self.inward])
        shift, rate = np.zeros(2), 1.0
        for rate in TRIED:
            wanted = self._missing(at, aim, edge, left_over / rate) / lead
            shift = np.clip(wanted, low, high)
            if (wanted == shift).all():
                break
        way = local.T @ shift - before
        length = math.hypot(way[0], way[1])
        if length > self.pace * dt:
            way *= self.pace * dt / length
        return Adaptation(before + way, rate)

    def _missing(self, at: FloatArray, aim: FloatArray, edge: FloatArray, t: float) -> FloatArray:
        """From the planned xi at touch-down to the range that is possible, in axes of the foot, shape (2,)."""
        grown = math.exp(self.omega * t)
        ends = -edge * (1.0 - grown)  # p = -edge and p = edge
        low, high = at * grown - ends, at * grown + ends
        return np.asarray(np.where(aim < low, low - aim, np.where(aim > high, high - aim, 0.0)))
