"""The path of a foot from one footstep to the next: pieces of order 5, at rest at both ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import (
    check_finite,
    check_not_negative,
    check_positive,
    finite_vector,
)
from tarsus.walking.steps.footsteps import Footstep, checked_step

LANDING = 2.5
"""Landing speed over the mean speed of the way down up to which that never rises: 10 - 4 r >= 0 of the polynomial."""

LATE = 22.0
"""Deceleration with which feet of long steps arrive, for each length of the leg that they are longer than `SHORT`, in
ways of the swing over the square of its duration."""
SHORT = 0.4
"""Length of a step, in lengths of the leg, up to which feet come to rest softly."""
BESIDE = 0.2
"""Part of a swing up or down stairs in which a foot goes up or down beside them."""
LATEST = 12.0
"""Largest of these decelerations."""
BACK = 20.0
"""Below it a foot never goes back."""
ROUNDING = 1e-9
"""Of times that are at touch-down, when a foot that lands still moves [s]."""


def lateness(step: float) -> float:
    """Deceleration with which a foot arrives, for the length of a step in lengths of the leg.

    A foot that comes to rest by the least-jerk law is where it shall land long before the body is near: the leg would
    have to reach further than where it lands.
    """
    return min(LATEST, LATE * max(0.0, step - SHORT))


def along_of(climb: float) -> tuple[float, float]:
    """When a foot that climbs by so much [m] moves along the ground, as parts of its swing.

    Up stairs it is raised before its toes reach the riser, down stairs it is lowered when its heel has passed the edge.
    """
    return (0.0, 1.0) if climb == 0.0 else (BESIDE, 1.0) if climb > 0.0 else (0.0, 1.0 - BESIDE)


def late_share(u: float, late: float) -> tuple[float, float, float]:
    """Part of the way, its rate and acceleration over the part u of the time, for u in 0 to 1.

    The least-jerk law, less late / 2 u^3 (1 - u)^2: at rest at both ends, and decelerated by `late` at the second.
    """
    w, half = 1.0 - u, 0.5 * late
    value = u**3 * (10.0 - 15.0 * u + 6.0 * u * u) - half * u**3 * w * w
    rate = 30.0 * u * u * w * w - half * u * u * w * (3.0 - 5.0 * u)
    change = 60.0 * u * w * (1.0 - 2.0 * u) - half * u * (6.0 - 24.0 * u + 20.0 * u * u)
    return value, rate, change


@dataclass(frozen=True, eq=False)
class FootSwing:
    """x, y and yaw go over in one piece, z over an apex in two; position, velocity and acceleration are continuous.

    The apex is `clearance` above the higher of the two footsteps. At both ends everything is at rest, but for z at
    touch-down, which may have a velocity `landing` downwards.

    Attributes
    ----------
    start, end : Footstep
    duration : float
        [s].
    clearance : float
        [m].
    apex : float
        When the apex is reached, as a part of the duration.
    landing : float
        Speed at which the foot comes down [m/s].
    late : float
        Deceleration at the end of x, y and yaw, in their ways over the square of the duration; see `lateness`.
    along : tuple of float
        When x, y and yaw begin and end to change, as parts of the duration; see `along_of`.
    """

    start: Footstep
    end: Footstep
    duration: float
    clearance: float
    apex: float = 0.5
    landing: float = 0.0
    late: float = 0.0
    along: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            object.__setattr__(self, name, checked_step(f"{name} of FootSwing", getattr(self, name)))
        if self.start.left is not self.end.left:
            raise ArgumentError("FootSwing: found a left and a right footstep; expected two of one foot")
        check_positive("duration of FootSwing", self.duration, "a finite number above 0 [s]")
        check_not_negative("clearance of FootSwing", self.clearance, "a finite number of at least 0 [m]")
        check_positive("apex of FootSwing", self.apex, "a part of the duration between 0 and 1")
        if not self.apex < 1:
            raise ArgumentError(f"apex of FootSwing is {self.apex!r}; expected a part of the duration between 0 and 1")
        check_not_negative("late of FootSwing", self.late, f"a number from 0 to below {BACK:g}")
        if not self.late < BACK:
            raise ArgumentError(f"late of FootSwing is {self.late!r}; expected a number from 0 to below {BACK:g}")
        first, last = finite_vector("along of FootSwing", self.along, 2, "two parts of the duration in order")
        if not 0.0 <= first < last <= 1.0:
            raise ArgumentError(f"along of FootSwing is {self.along!r}; expected two parts of the duration in order")
        check_finite("landing of FootSwing", self.landing, "a finite number [m/s]")
        fall = max(self.start.position[2] - self.end.position[2], 0.0) + self.clearance
        if not 0 <= self.landing * (1 - self.apex) * self.duration <= LANDING * fall:
            raise ArgumentError(
                f"landing of FootSwing is {self.landing!r}; expected 0 to "
                f"{LANDING * fall / ((1 - self.apex) * self.duration):.3g} m/s, beyond which the foot would rise first"
            )

    def at(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(x, y, z, yaw), rates and accelerations at a time from lift-off on, shape (4,) each; held beyond the ends.

        At touch-down itself z has its velocity, and none later.
        """
        check_finite("t", t, "a finite time [s]")
        first = np.append(self.start.position, self.start.yaw)
        turn = (self.end.yaw - self.start.yaw + np.pi) % (2 * np.pi) - np.pi
        way = np.append(self.end.position - self.start.position, turn)
        begin, lasts = self.along[0] * self.duration, (self.along[1] - self.along[0]) * self.duration
        share, pace, change = late_share(min(max((t - begin) / lasts, 0.0), 1.0), self.late)
        if not 0.0 <= t - begin < lasts:
            pace = change = 0.0
        value = first + share * way
        rate, acceleration = pace / lasts * way, change / lasts**2 * way
        value[2], rate[2], acceleration[2] = self._height(min(max(t, 0.0), self.duration))
        if t > self.duration + ROUNDING:
            rate[2] = acceleration[2] = 0.0
        return value, rate, acceleration

    def _height(self, t: float) -> tuple[float, float, float]:
        low, high = float(self.start.position[2]), float(self.end.position[2])
        top, up = max(low, high) + self.clearance, self.apex * self.duration
        if t <= up:
            return _quintic(t, up, (low, 0.0, 0.0), (top, 0.0, 0.0))
        down = self.duration - up
        return _quintic(t - up, down, (top, 0.0, 0.0), (high, -self.landing, 0.0))


def _quintic(
    t: float, T: float, start: tuple[float, float, float], end: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The polynomial of order 5 with these values, rates and accelerations at 0 and T."""
    x0, v0, a0 = start
    h = end[0] - x0 - v0 * T - a0 * T**2 / 2
    v, a = (end[1] - v0 - a0 * T) * T, (end[2] - a0) * T**2
    c3, c4, c5 = 10 * h - 4 * v + a / 2, -15 * h + 7 * v - a, 6 * h - 3 * v + a / 2
    s = t / T
    value = x0 + v0 * t + a0 * t**2 / 2 + s**3 * (c3 + s * (c4 + s * c5))
    rate = v0 + a0 * t + s**2 * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / T
    return value, rate, a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / T**2
