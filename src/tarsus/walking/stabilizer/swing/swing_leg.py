"""The foot in the air: from where it really was to where it shall land, also where there is no ground yet."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.spatial import rotation_vector_from_rotation_matrix
from tarsus.walking.reference.foot_paths import APEX
from tarsus.walking.stabilizer.footing import heading
from tarsus.walking.steps.foot_swing import along_of, late_share, lateness

STEEPEST = 0.2
"""Slope of the ground that a foot prepares for [rad]."""
LOWERING = 0.4
"""Speed at which a foot looks for ground below the expected one, in lengths of the leg a second."""
DEEPEST = 0.1
"""How far below it looks, in lengths of the leg."""
HASTENING = 0.02
"""Time in which a foot that looks for ground is told its speed [s]."""
APART = 1e-3
"""Between parts of a swing whose differences tell rates."""


class SwingAim(NamedTuple):
    """Where a foot in the air goes to.

    Attributes
    ----------
    end : ndarray, shape (3,)
        Where it shall land [m].
    yaw : float
        Towards where it shall look then [rad].
    normal : ndarray, shape (3,)
        Of the ground there.
    part : float
        Part of the swing that is over.
    missing : float
        How long ground has been missing [s].
    """

    end: FloatArray
    yaw: float
    normal: FloatArray
    part: float
    missing: float


class SwingLeg:
    """Path of a foot from lift-off to touch-down.

    x and y go to the landing by the least-jerk law, at any time anew from where they are and how fast, so that landing
    and time left may change on the way. Yaw and tilt go over from the pose at lift-off to that of landing by the same
    law of the part of the swing that is over; z rises by the clearance above the line between both, and comes down.

    Parameters
    ----------
    start : ndarray, shape (4, 4)
        Sole at lift-off.
    clearance : float
        [m].
    leg : float
        Length of the legs [m].
    climb : float
        By which it is planned to land higher [m]: the clearance is above the higher end.
    apex : float
        Part of the swing after which it is highest.

    Attributes
    ----------
    start : ndarray, shape (4, 4)
        Sole at lift-off.
    """

    def __init__(self, start: FloatArray, clearance: float, leg: float, climb: float = 0.0, apex: float = APEX) -> None:
        self.start = np.array(start)
        self._clearance, self._leg, self._apex = clearance + abs(climb), leg, apex
        self._along = along_of(climb)
        self._yaw = heading(start)
        self._normal, self._from = self.start[:3, 2].tolist(), self.start[:3, 3].tolist()
        self._place = np.array(start[:2, 3])
        self._rate, self._change = np.zeros(2), np.zeros(2)
        self._lasts = 0.0

    @property
    def place(self) -> FloatArray:
        """Where the foot shall be by now, seen from above, shape (2,) [m]."""
        return self._place

    def go_on(self, end: FloatArray, left_over: float, dt: float) -> None:
        """Move x and y by a time [s] towards a landing, shape (2,), that is still a time away."""
        self._lasts = self._lasts or left_over
        begin, until = self._along
        if begin > 0.0 and left_over > (1.0 - begin) * self._lasts:
            return
        left_over -= (1.0 - until) * self._lasts
        if left_over <= dt:
            self._place, self._rate, self._change = np.array(end[:2]), np.zeros(2), np.zeros(2)
            return
        T, s = left_over, dt / left_over
        way = [float(end[k] - self.start[k, 3]) for k in (0, 1)]
        late = lateness(0.5 * math.hypot(*way) / self._leg) / self._lasts**2  # long steps arrive late, as planned
        place, rate, change = self._place.tolist(), self._rate.tolist(), self._change.tolist()
        for k in (0, 1):  # numbers, not arrays: this is done every cycle
            x, v, a = place[k], rate[k], change[k]
            h, vT, aT = float(end[k]) - x - v * T - a * (T * T / 2), -(v + a * T) * T, -(late * way[k] + a) * T * T
            c3, c4, c5 = 10 * h - 4 * vT + aT / 2, -15 * h + 7 * vT - aT, 6 * h - 3 * vT + aT / 2
            place[k] = x + v * dt + a * (dt * dt / 2) + s**3 * (c3 + s * (c4 + s * c5))
            rate[k] = v + a * dt + s**2 * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / T
            change[k] = a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / (T * T)
        self._place, self._rate, self._change = np.array(place), np.array(rate), np.array(change)

    def pose(self, aim: SwingAim) -> FloatArray:
        """Sole that is wanted, shape (4, 4)."""
        end, yaw, normal, part, missing = aim
        u = min(max(part, 0.0), 1.0)
        (x, y, z), (to_x, to_y, to_z) = self._from, end.tolist()
        b = late_share(u, lateness(0.5 * math.hypot(to_x - x, to_y - y) / self._leg))[0]
        height = (1.0 - b) * z + b * to_z + self._clearance * _raised(u, self._apex)
        height -= min(LOWERING * missing, DEEPEST) * self._leg
        turn = math.remainder(yaw - self._yaw, 2.0 * math.pi)
        up = [(1.0 - b) * n + b * m for n, m in zip(self._normal, normal.tolist(), strict=True)]
        first, second, third = _upright(up, self._yaw + b * turn)
        x, y = self._place.tolist() if u < 1.0 else (to_x, to_y)
        return np.array([[*first, x], [*second, y], [*third, height], [0.0, 0.0, 0.0, 1.0]])

    def landed(self, end: FloatArray, yaw: float, normal: FloatArray) -> FloatArray:
        """Sole where its swing ends on the ground, shape (4, 4): `pose` of the part 1."""
        x, y, z = end.tolist()
        first, second, third = _upright(normal.tolist(), self._yaw + math.remainder(yaw - self._yaw, 2.0 * math.pi))
        return np.array([[*first, x], [*second, y], [*third, z], [0.0, 0.0, 0.0, 1.0]])

    def motion(self, aim: SwingAim, pace: float) -> tuple[FloatArray, FloatArray]:
        """Twist and acceleration of the sole that is wanted (v; w), world axes, shape (6,) each.

        x and y have those of their law; height and orientation those along the path to this landing, which is taken not
        to move. A foot that looks for ground comes to the speed of its pose in a moment, so that torques do not jump,
        and ground that is a little late is met softly.

        Parameters
        ----------
        aim : SwingAim
        pace : float
            Part of the swing that is over in a second [1/s].
        """
        twist, change = np.zeros(6), np.zeros(6)
        if APART <= aim.part <= 1.0 - APART:
            twist[:2], change[:2] = self._rate, self._change
            before, now, after = (self.pose(aim._replace(part=aim.part + d)) for d in (-APART, 0.0, APART))
            rise, fall = after[2, 3] - now[2, 3], now[2, 3] - before[2, 3]
            to = rotation_vector_from_rotation_matrix(after[:3, :3] @ now[:3, :3].T)
            since = rotation_vector_from_rotation_matrix(now[:3, :3] @ before[:3, :3].T)
            twist[2], change[2] = pace * (rise + fall) / (2 * APART), pace**2 * (rise - fall) / APART**2
            twist[3:], change[3:] = pace * (to + since) / (2 * APART), pace**2 * (to - since) / APART**2
        if 0.0 < aim.missing and LOWERING * aim.missing < DEEPEST:
            twist[2] -= min(1.0, aim.missing / HASTENING) * LOWERING * self._leg
        return twist, change


def _raised(u: float, apex: float) -> float:
    """Height above the line between both ends, as a part of the clearance: highest at the part `apex` of the swing."""
    s = u / apex if u < apex else (1.0 - u) / (1.0 - apex)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def ground_normal(X: FloatArray) -> FloatArray:
    """Normal of the ground below a sole that stands, no steeper than what a foot prepares for, shape (3,)."""
    n = X[:3, 2]
    across = math.hypot(n[0], n[1])
    most = math.sin(STEEPEST)
    if across <= most:
        return np.array(n)
    return np.array([n[0] * most / across, n[1] * most / across, math.cos(STEEPEST)])


def height_on(X: FloatArray, normal: FloatArray, p: FloatArray) -> float:
    """Height of the plane through a sole with a normal, at a point seen from above [m]."""
    return float(X[2, 3] - (normal[0] * (p[0] - X[0, 3]) + normal[1] * (p[1] - X[1, 3])) / normal[2])


def _upright(normal: list[float], yaw: float) -> tuple[tuple[float, float, float], ...]:
    """Rotation with this z axis, whose x axis looks along `yaw`, seen from above, by rows."""
    length = math.hypot(*normal)
    z = [part / length for part in normal]
    c, s = math.cos(yaw), math.sin(yaw)
    down = -(c * z[0] + s * z[1]) / z[2]
    length = math.sqrt(1.0 + down * down)
    x = c / length, s / length, down / length
    y = z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])
