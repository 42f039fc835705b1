"""How s'' is chosen: so that the pressure under the foot is the wanted one, or by a clock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from tarsus.arrays import FloatArray
from tarsus.errors import SingularityError
from tarsus.walking.path_following.flat_foot_limits import Bounded, FlatFootLimits
from tarsus.walking.path_following.pressure_target import PressureTarget

_TURNS = 1e-9
"""Share of its parts that the change of the moment with s'' has at least; below it is rounding."""


class Timing(ABC):
    """What chooses the acceleration s'' along a path."""

    @abstractmethod
    def acceleration(self, s: float, rate: float, constant: FloatArray, linear: FloatArray) -> Bounded:
        """Change s'' [1/s^2] at s and s', where the ground's wrench is constant + s'' linear, each of shape (3,)."""

    @abstractmethod
    def start(self, rate: float) -> float:
        """Pace s' at the start of a step [1/s], given the one that fits the robot's motion best."""


@dataclass(frozen=True)
class PressureTiming(Timing):
    """s'' for which the centre of pressure is the target (Chevallereau, Djoudi and Grizzle 2008).

    The moment about the point p of the sole is n + p f_z, and zero there: with the wrench w_0 + w_1 s'' that is

        s'' = -(n_0 + p f_0) / (n_1 + p f_1).

    Where the foot would tip, slip or lift, s'' gives way and the result says to what.

    Attributes
    ----------
    target : PressureTarget
    limits : FlatFootLimits
    """

    target: PressureTarget
    limits: FlatFootLimits

    def acceleration(self, s: float, rate: float, constant: FloatArray, linear: FloatArray) -> Bounded:
        """Change s'' [1/s^2] that gives the pressure, as far as the foot stays flat."""
        p = self.target(s, rate)
        turning = linear[2] + p * linear[1]
        if abs(turning) <= _TURNS * (abs(linear[2]) + abs(p * linear[1])):
            raise SingularityError(
                f"at s = {s:.6g} no s'' changes the moment about the pressure at {p:.6g} m: the path does not move the "
                "robot's angular momentum about that point"
            )
        return self.limits.bounded(float(-(constant[2] + p * constant[1]) / turning), constant, linear)

    def start(self, rate: float) -> float:
        """The rate that the robot has."""
        return rate


@dataclass(frozen=True)
class ClockTiming(Timing):
    """s(t) of a planned walk, whatever the robot does: the tracking of a motion in time.

    Attributes
    ----------
    start_rate : float
        s' at the start of each step [1/s].
    acceleration_along : callable
        s''(s) of the planned walk [1/s^2].
    """

    start_rate: float
    acceleration_along: Callable[[float], float]

    def acceleration(self, s: float, rate: float, constant: FloatArray, linear: FloatArray) -> Bounded:
        """Change s'' [1/s^2] of the plan."""
        return Bounded(self.acceleration_along(s), "")

    def start(self, rate: float) -> float:
        """The rate of the plan."""
        return self.start_rate
