"""How fast a path is gone along: as fast as limits of velocity and acceleration allow, with smooth beginnings."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PPoly

from tarsus.arrays import FloatArray
from tarsus.ik.reaching.spline_path import SplinePath

GRID = 400
"""Places of a path at which its speed is chosen, at least."""
BENDING = 0.7
"""Share of the acceleration that bends of the path may take; the rest is for changes of speed."""
ROUNDED = 0.1
"""Time over which accelerations are averaged [s], at most a fifth of the motion."""
CHECKED = 4
"""Moments a place of the grid at which the limits are looked at in the end."""
RESERVE = 1.0 + 2e-3
"""Factor of the duration for what is between these moments."""
TINY = 1e-12
"""Of derivatives, in place of zero."""


class TimeLaw:
    """Where on a path a motion is at a time: s(t), twice continuously differentiable, at rest at both ends.

    Speeds are the largest that a forward and a backward pass over the path allow (Bobrow, Dubowsky and Gibson 1985,
    with the acceleration of bends and that of changes of speed bounded apart); their accelerations jump, so that s(t)
    is averaged over a short time, and the whole is slowed down until every limit is kept again.

    Parameters
    ----------
    path : SplinePath
    v_max, vdot_max : ndarray, shape (nv,)
        Limits of rates and of their changes.

    Attributes
    ----------
    duration : float
        [s].
    """

    def __init__(self, path: SplinePath, v_max: FloatArray, vdot_max: FloatArray) -> None:
        grid = np.linspace(0.0, path.length, max(GRID, 2 * len(path.s)) + 1)
        first, second = (np.abs(rate) for rate in path.rates(grid))
        step = float(grid[1])
        z = _squared_speeds(first, second, step, v_max, vdot_max)
        spent = 2 * step / (np.sqrt(z[:-1]) + np.sqrt(z[1:]))
        t = np.concatenate([[0.0], np.cumsum(spent)])
        self._window = min(ROUNDED, t[-1] / 5)
        self._slower = 1.0
        pause = self._window
        breaks = np.concatenate([[-pause], t, [t[-1] + pause]])
        change = np.concatenate([[0.0], np.diff(z) / (2 * step), [0.0]])
        speed = np.concatenate([[0.0], np.sqrt(z[:-1]), [0.0]])
        place = np.concatenate([[0.0], grid[:-1], [path.length]])
        self._s = PPoly(np.stack([change / 2, speed, place]), breaks)
        self._integral, self._speed = self._s.antiderivative(), self._s.derivative()
        self._end = float(t[-1])
        self._slow_down(path, self._moments(t, path.s, len(grid) * CHECKED), v_max, vdot_max)

    @property
    def duration(self) -> float:
        """[s]."""
        return float((self._end + self._window) * self._slower)

    def at(self, t: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place on the path, its rate and its acceleration at times (n,)."""
        own = np.clip(t, 0.0, self.duration) / self._slower
        late, early = own, own - self._window
        mean = (self._integral(late) - self._integral(early)) / self._window
        rate = (self._s(late) - self._s(early)) / self._window
        change = (self._speed(late) - self._speed(early)) / self._window
        return mean, rate / self._slower, change / self._slower**2

    def _moments(self, breaks: FloatArray, knots: FloatArray, count: int) -> FloatArray:
        """Times at which limits are looked at: equal steps, and all at which an acceleration has a corner."""
        even = np.linspace(0.0, self.duration, count)
        corners = np.interp(knots, self.at(even)[0], even)
        return np.concatenate([even, breaks, breaks + self._window, corners])

    def _slow_down(self, path: SplinePath, t: FloatArray, v_max: FloatArray, vdot_max: FloatArray) -> None:
        s, rate, change = self.at(t)
        first, second = path.rates(s)
        v = first * rate[:, None]
        vdot = second * rate[:, None] ** 2 + first * change[:, None]
        faster = max(float((np.abs(v) / v_max).max()), float(np.sqrt((np.abs(vdot) / vdot_max).max())))
        self._slower = max(1.0, faster) * RESERVE


def _squared_speeds(
    first: FloatArray, second: FloatArray, step: float, v_max: FloatArray, vdot_max: FloatArray
) -> FloatArray:
    """(ds/dt)^2 at places that are `step` apart, for sizes of the first and second derivative (n, nv) of the path.

    With z = (ds/dt)^2, |q' ds/dt| <= v_max, |q''| z <= part of vdot_max, |q'| |z'| / 2 <= what is left of it.
    """
    most = np.minimum(
        ((v_max / np.maximum(first, TINY)) ** 2).min(axis=-1),
        (BENDING * vdot_max / np.maximum(second, TINY)).min(axis=-1),
    )
    z: FloatArray = most.copy()
    z[0] = z[-1] = 0.0
    inverse = 1.0 / np.maximum(first, TINY)

    def most_change(k: int) -> float:
        left = vdot_max - second[k] * z[k]
        return float((left * inverse[k]).min())

    for k in range(len(z) - 1):
        z[k + 1] = min(z[k + 1], z[k] + 2 * step * most_change(k))
    for k in range(len(z) - 1, 0, -1):
        z[k - 1] = min(z[k - 1], z[k] + 2 * step * most_change(k))
    return z
