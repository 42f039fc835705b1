"""A motion of the reference robot, and what the ground would have to do for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
from tarsus.walking.reference.ground_wrench import GroundWrench, ground_wrench


@dataclass(frozen=True, eq=False)
class GeneratedMotion:
    """States and accelerations of the whole robot at n cycles; fewer than planned where it diverged.

    Attributes
    ----------
    known : KnownMotion
    times : ndarray, shape (n,)
        [s].
    q, v, vdot : ndarray
        Shapes (n, nq), (n, nv), (n, nv).
    com, planned : ndarray, shape (n, 2)
        Centre of mass, and the planned one [m].
    reference : ndarray, shape (n, 2)
        The same of the whole walk as it was planned at first [m].
    pressure : ndarray, shape (n, 2)
        That the motion was told to have; where it was told its centre of mass, that of the plan [m].
    saturated : ndarray of bool, shape (n,)
        Where sat() took away of what stabilisation asked for.
    missed : ndarray, shape (n,)
        Largest error of known tasks [m, rad].
    diverged : float or None
        When it was given up [s].
    reason : str
        Why.
    """

    known: KnownMotion
    times: FloatArray
    q: FloatArray
    v: FloatArray
    vdot: FloatArray
    com: FloatArray
    planned: FloatArray
    reference: FloatArray
    pressure: FloatArray
    saturated: BoolArray
    missed: FloatArray
    diverged: float | None
    reason: str

    @cached_property
    def wrench(self) -> GroundWrench:
        """Of the ground, by inverse dynamics."""
        return ground_wrench(self.known.biped, self.q, self.v, self.vdot)

    @cached_property
    def stance(self) -> FloatArray:
        """Points about which moments are told: the feet that carry more, shape (n, 3) [m]."""
        return np.array([self.known.stance(k) for k in range(len(self.times))])

    @property
    def moment(self) -> FloatArray:
        """Contact moment about the foot that stands, by inverse dynamics, shape (n, 2): T_x, T_y [N m]."""
        wrench = self.wrench
        about = wrench.moment + np.cross(wrench.origin - self.stance, wrench.force)
        return np.asarray(about[:, :2])

    @property
    def ideal_moment(self) -> FloatArray:
        """Of the pressure of the gait under the weight of the robot, shape (n, 2) [N m]."""
        way = self.known.path.at(self.times) - self.stance[:, :2]
        return self.known.biped.weight * np.column_stack([way[:, 1], -way[:, 0]])

    @property
    def moment_error(self) -> FloatArray:
        """T - T_ideal, shape (n, 2) [N m]."""
        return self.moment - self.ideal_moment

    @property
    def beyond(self) -> float:
        """How far the pressure, by inverse dynamics, leaves the bounds of `known` at most [m]; 0 or less inside."""
        pressure = self.wrench.pressure
        return max(self.known.supports[k].beyond(p) for k, p in enumerate(pressure))
