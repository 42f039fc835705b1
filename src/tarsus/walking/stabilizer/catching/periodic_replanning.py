"""Steps against pushes: the present step ends with the velocity of the walk, and the next foot follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.step_adaptation import USED, Adaptation, ComingStep


@dataclass(frozen=True)
class PeriodicReplanning:
    """Where to step, from the velocity that the periodic gait has at touch-down.

    The motion of the present step is planned anew in every cycle, from where the centre of mass is to the velocity
    that the periodic gait begins its next step with; where it ends is free. The next foot goes there, plus the distance
    that the periodic gait has between centre of mass and foot (Nishiwaki and Kagami 2006; Tajima et al. 2009;
    Buschmann 2014, 4.5.2).

    The pendulum is linear, so that errors beside the plan move as it does: e of the place, e' of the velocity and the
    change u of a pressure that is constant until touch-down, a time t away. The velocity comes back with

        u = e + e' / w coth(w t),   and then   e(t) = e + e' / w tanh(w t / 2),

    by which the landing is moved. Within the sole, the pressure may not be able to do that; then the place is that
    above the pressure at its edge,

        e(t) = u + (e - u) cosh(w t) + e' / w sinh(w t),

    and what is left of the error of the velocity is left to the steps that follow. The clock is not changed.

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
        """Shift for the divergent component now, shape (2,) [m]; the rate is 1."""
        c, s = math.cos(step.yaw), math.sin(step.yaw)
        local = np.array([[c, s], [-s, c]])  # to axes of the foot that stands
        place = local @ (step.com - step.planned.com)
        rate = local @ (xi - step.planned.divergent) - place  # of the velocity, over w
        at = local @ (step.planned.pressure - step.stance)
        edge = USED * self.half[1 - step.swinging]
        moved = self.arrival(place, rate, max(step.left_over, 1e-6), np.minimum(-edge - at, 0.0),
                             np.maximum(edge - at, 0.0))  # fmt: skip
        low, high = self.reach.box(local @ (step.landing - step.stance), step.swinging)
        return Adaptation(local.T @ np.clip(moved, low, high), 1.0)

    def arrival(self, place: FloatArray, rate: FloatArray, t: float, low: FloatArray, high: FloatArray) -> FloatArray:
        """Error of the place at touch-down, shape (2,) [m].

        Parameters
        ----------
        place, rate : ndarray, shape (2,)
            e and e' / w [m].
        t : float
            Time left [s].
        low, high : ndarray, shape (2,)
            Least and largest change of the pressure [m].
        """
        C, S = math.cosh(self.omega * t), math.sinh(self.omega * t)
        u = np.clip(place + rate * (C / S), low, high)
        return np.asarray(u + (place - u) * C + rate * S)
