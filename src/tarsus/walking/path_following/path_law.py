"""The law: joint accelerations along a path, s'' from the ground's wrench, torques by inverse dynamics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import mass_matrix
from tarsus.errors import ArgumentError
from tarsus.walking.path_following.joint_path import JointPath, PathPoint
from tarsus.walking.path_following.planar_biped import PlanarBiped
from tarsus.walking.path_following.timing import Timing


class Command(NamedTuple):
    """What the law asks for at one instant.

    Attributes
    ----------
    path_acceleration : float
        s'' [1/s^2].
    tau : ndarray, shape (nv,)
        Joint torques [N m]; those of the base are zero.
    wrench : ndarray, shape (3,)
        Of the ground on the foot that stands, as the model has it: forward, up [N], moment about +y at the sole's
        frame [N m].
    limit : str
        What s'' had to give way to; empty where the pressure is the wanted one.
    """

    path_acceleration: float
    tau: FloatArray
    wrench: FloatArray
    limit: str


@dataclass(frozen=True, eq=False)
class PathLaw:
    """Follows a path theta_d(s) at a pace that is chosen at each instant (Chevallereau, Djoudi and Grizzle 2008).

    The joints shall have

        theta'' = theta_d' s'' + theta_d'' s'^2 + kd (theta_d' s' - theta') + kp (theta_d - theta),

    which is affine in s''. So are, by inverse dynamics with the foot at rest, the torques and the wrench of the ground:
    two evaluations, at s'' = 0 and s'' = 1, give w = w_0 + w_1 s''. A planar robot on a flat foot has as many drives as
    angles and one condition more, the pressure; the path parameter is the input that it lacks. The errors of the joints
    vanish whatever s'' is.

    Attributes
    ----------
    biped : PlanarBiped
    path : JointPath
    timing : Timing
        Chooses s''.
    kp, kd : float
        Gains [1/s^2], [1/s].
    """

    biped: PlanarBiped
    path: JointPath
    timing: Timing
    kp: float = 400.0
    kd: float = 40.0

    def __post_init__(self) -> None:
        for name in ("kp", "kd"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} of PathLaw is {value!r}; expected a finite number, 0 or more")

    def command(self, theta: npt.ArrayLike, theta_rate: npt.ArrayLike, s: float, rate: float) -> Command:
        """What to do in a state: joint angles and rates, shape (joints,) [rad], [rad/s], and s, s' [1/s]."""
        return self._command(self.path.at(s), np.asarray(theta, float), np.asarray(theta_rate, float), s, rate)

    def on_path(self, s: float, rate: float) -> Command:
        """What to do where the joints are exactly on the path at s, with s' [1/s]."""
        at = self.path.at(s)
        return self._command(at, at.theta, rate * at.slope, s, rate)

    def _command(self, at: PathPoint, theta: FloatArray, theta_rate: FloatArray, s: float, rate: float) -> Command:
        error, error_rate = at.theta - theta, at.slope * rate - theta_rate
        still = at.curvature * rate**2 + self.kd * error_rate + self.kp * error
        q = self.biped.placed(theta)
        v = self.biped.velocity(q, theta_rate)
        both = self.biped.acceleration(np.stack([q, q]), np.stack([v, v]), np.stack([still, still + at.slope]))
        wrench, tau = self.biped.grounded(np.stack([q, q]), np.stack([v, v]), both)
        chosen = self.timing.acceleration(s, rate, wrench[0], wrench[1] - wrench[0])
        a = chosen.value
        return Command(a, tau[0] + a * (tau[1] - tau[0]), wrench[0] + a * (wrench[1] - wrench[0]), chosen.limit)

    def start_rate(self, theta: npt.ArrayLike, theta_rate: npt.ArrayLike) -> float:
        """Pace s' at the start of a step [1/s]: what the timing makes of the one that fits the robot's motion best.

        That one leaves the least kinetic energy in the error theta_d' s' - theta'.
        """
        q = self.biped.placed(theta)
        along, v = (self.biped.velocity(q, rates) for rates in (self.path.at(0.0).slope, theta_rate))
        momentum = mass_matrix(self.biped.model, q) @ along
        return self.timing.start(float(momentum @ v / (momentum @ along)))
