"""Stabilisation via the contact moment: a PD law on the centre of mass, saturated (Buschmann 2014, (5.97))."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.drift_feedback import DAMPING, DriftFeedback
from tarsus.walking.kineto_dynamics.moment_equation import Centroid, MomentEquation

FIRM = 2.5
"""Kp that holds without planning each step, in (g + z'') / z."""


@dataclass(frozen=True)
class MomentFeedback:
    """dT = B (Kp (w_plan - w) + Kd (w_plan' - w')), before sat().

    An error of the centre of mass then obeys e'' + Kd e' + (Kp - (g + z'') / z) e = 0: it vanishes where Kp is above
    (g + z'') / z.

    Attributes
    ----------
    kp, kd : float
        [1/s^2], [1/s].
    """

    kp: float
    kd: float

    @classmethod
    def of(cls, k: float, dt: float) -> Self:
        """For the overall gain k of figure 5.23 at cycles of `dt` [s]."""
        return cls(*DriftFeedback.at(dt).scaled(k))

    @classmethod
    def holding(cls, rate: float) -> Self:
        """For a pendulum of (g + z'') / z [1/s^2], stiff enough to hold alone: as k = 1e-3 is for Lola."""
        kp = FIRM * rate
        return cls(kp, 2.0 * DAMPING * math.sqrt(kp))

    def moment(
        self, equation: MomentEquation, centroid: Centroid, position: FloatArray, velocity: FloatArray,
        heading: FloatArray,
    ) -> FloatArray:  # fmt: skip
        """The moment dT in the axes of the heading, shape (2,) [N m], for a planned centre of mass [m], [m/s]."""
        wanted = self.kp * (position - centroid.com[:2]) + self.kd * (velocity - centroid.com_rate[:2])
        return equation.moment_of(np.asarray(heading.T @ wanted))
