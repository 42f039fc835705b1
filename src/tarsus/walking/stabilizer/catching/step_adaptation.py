"""Steps against pushes: what the pressure under a foot cannot bring back until touch-down is left to steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.two_steps import Disturbed, TwoSteps

HASTE = 2.5
"""Largest rate of the clock of a plan."""
TRIED = (1.0, 1.25, 1.5, 1.75, 2.0, 2.25, HASTE)
"""Rates that are tried."""
USED = 0.9
"""Part of the sole that is counted on until touch-down: the pressure gets to its edge with some delay."""
SPARED = 0.5
"""The same in a step that is hurried, as far as its landing is within reach: the rest is left for what comes."""
SECOND, SECOND_RATE = 0.8, 1.75
"""Part of its reach that the step after the next one is counted on for, and the rate of the clock."""
GAINED = 0.3
"""What two steps that are chosen together must bring into reach beside those chosen one after the other, in level
steps: they are hastier, and feet that hurry slip."""
MUCH = 2.0
"""How many times as far as a foot gets the first of these may lead: beyond that it is left where it was to land."""
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
    together : bool
        Whether this step and the next one were chosen together.
    """

    shift: FloatArray
    rate: float
    together: bool = False


class PlannedNow(NamedTuple):
    """The plan at this moment, on the feet as they are; world axes, seen from above, shape (2,) each [m].

    Attributes
    ----------
    com, divergent, pressure : ndarray, shape (2,)
        Centre of mass, divergent component and pressure.
    """

    com: FloatArray
    divergent: FloatArray
    pressure: FloatArray


class ComingStep(NamedTuple):
    """The next touch-down as it is planned on the feet as they are; world axes, seen from above.

    Attributes
    ----------
    swinging : int
        0 for the left foot, 1 for the right one.
    foot, landing : ndarray, shape (2,)
        Where that foot is, and where it shall land [m].
    stance : ndarray, shape (2,)
        Middle of the foot that stands [m].
    yaw : float
        Of that foot [rad].
    divergent : ndarray, shape (2,)
        Divergent component at touch-down [m].
    lead : float
        By how much of a shift of the landing that moves.
    left_over : float
        Time on the clock of the plan to touch-down [s].
    after : float
        From there to the touch-down of the other foot, on the same clock [s].
    com : ndarray, shape (2,)
        Centre of mass now [m].
    planned : PlannedNow
    together : bool
        Whether it was chosen together with the next one before.
    """

    swinging: int
    foot: FloatArray
    landing: FloatArray
    stance: FloatArray
    yaw: float
    divergent: FloatArray
    lead: float
    left_over: float
    after: float
    com: FloatArray
    planned: PlannedNow
    together: bool = False


class StepRule(Protocol):
    """Where and when to step, asked once a cycle."""

    def adapt(self, xi: FloatArray, step: ComingStep) -> Adaptation:
        """Shift and rate for the divergent component now, shape (2,) [m]."""


@dataclass(frozen=True)
class StepAdaptation:
    """Where and when to step, from the divergent component, two steps ahead.

    Until touch-down, a time t away, xi -> p + (xi - p) e^(w t) above a pressure p. All p within the foot that stands
    make a range of xi there. Where the planned xi lies in it, the step stays as it is: ankles will do. Otherwise the
    landing is moved by what is missing, so that xi lies relative to the new foot as planned (foothold relative to the
    capture point, Nelson et al. 2012). What is out of reach, as is most of a push across the foot that stands, is left
    to the step after it, of the other foot, which it reaches grown by e^(w t) once more. The slowest clock is taken
    with which one of the two gets there with a landing that legs reach at the height of the walk: haste makes steps
    shorter, since the missing part grows with time. Where no clock does both, the one with the least sum of what is out
    of reach and of what the landing is beyond that; or this step and the next one are chosen together (`TwoSteps`),
    where that brings much more within reach, and then until the next foot is lifted.

    Attributes
    ----------
    omega : float
        w [1/s].
    half : tuple of ndarray, shape (2,)
        Half sizes of the soles, left and right [m].
    reach : Reach
    """

    omega: float
    half: tuple[FloatArray, FloatArray]
    reach: Reach

    def adapt(self, xi: FloatArray, step: ComingStep) -> Adaptation:
        """Shift and rate for the divergent component now, shape (2,) [m]."""
        if self._ankles_do(xi, step):
            return Adaptation(np.zeros(2), 1.0)
        c, s = math.cos(step.yaw), math.sin(step.yaw)
        local = np.array([[c, s], [-s, c]])  # to axes of the foot that stands
        at, aim = local @ (xi - step.stance), local @ (step.divergent - step.stance)
        landing, way = local @ (step.landing - step.stance), local @ (step.landing - step.foot)
        low, high = self.reach.box(landing, step.swinging)
        edge, other = self.half[1 - step.swinging], self.half[step.swinging]
        best: tuple[float, float, FloatArray] | None = None
        for rate in TRIED:
            t = step.left_over / rate
            grown = math.exp(self.omega * t)
            middle, ends = (at * grown - aim) / step.lead, edge * (grown - 1.0) / step.lead
            used, spared = USED * ends, (USED if rate == 1.0 else SPARED) * ends
            shift = np.clip(np.clip(0.0, middle - spared, middle + spared), low, high)
            if rate > 1.0 and self._is_late(way + shift, t):
                shift = np.clip(np.clip(0.0, middle - used, middle + used), low, high)
                if self._is_late(way + shift, t):
                    break
            left = shift - np.clip(shift, middle - used, middle + used)
            beyond = self._beyond(-step.lead * left, other, landing + shift, step)
            beyond += max(0.0, abs(float(landing[0] + shift[0])) - self.reach.level)
            if best is None or beyond < best[0] - 1e-9:
                best = beyond, rate, shift
            if beyond <= 0.0:
                break
        assert best is not None
        _, rate, shift = best
        if best[0] > 0.0:
            fallen = Disturbed(at, aim - landing, landing, way, step.left_over, step.after)
            two = TwoSteps(self.omega, self.half, self.reach)
            pair = two.choose(fallen, step.swinging)
            gained = two.missing(fallen, step.swinging, shift, rate) - pair.missing
            hopeless = self._is_late((way + pair.shift) / MUCH, step.left_over / pair.rate)
            if not hopeless and (step.together or gained > GAINED * self.reach.level):
                return Adaptation(local.T @ pair.shift, pair.rate, True)
        return Adaptation(local.T @ shift, rate)

    def _ankles_do(self, xi: FloatArray, step: ComingStep) -> bool:
        """Whether some pressure within the sole leads to the planned xi; without arrays, since it mostly does."""
        c, s, grown = math.cos(step.yaw), math.sin(step.yaw), math.exp(self.omega * step.left_over)
        x, y = ((xi - step.stance) * grown - (step.divergent - step.stance)).tolist()
        most = USED * (grown - 1.0)
        a, b = self.half[1 - step.swinging].tolist()
        return bool(abs(c * x + s * y) <= most * a and abs(c * y - s * x) <= most * b)

    def _is_late(self, way: FloatArray, t: float) -> bool:
        """Whether a foot is too slow for its way, shape (2,), in a time [s]."""
        return bool(self.reach.lacks_time(math.hypot(way[0], way[1]), t) > 0.0)

    def _beyond(self, error: FloatArray, edge: FloatArray, landing: FloatArray, step: ComingStep) -> float:
        """By how much an error at touch-down is out of reach of the step after it, in haste [m]."""
        if not error.any():
            return 0.0
        grown = math.exp(self.omega * step.after / SECOND_RATE)
        rest = np.abs(error) * grown - USED * edge * (grown - 1.0)
        side = 1.0 if step.swinging == 0 else -1.0
        room = self.reach.wide - self.reach.narrow
        across = room if side * error[1] < 0.0 else 0.0  # the other foot steps to the other side
        most = SECOND * np.array([self.reach.along - abs(landing[0]), across])
        return float(np.maximum(rest - most, 0.0).max())
