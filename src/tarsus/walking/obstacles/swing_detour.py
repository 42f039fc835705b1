"""Swings over and around boxes: control points that are raised or shifted before anything is measured."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.errors import PlanningError
from tarsus.walking.obstacles.foot_extent import FootExtent
from tarsus.walking.obstacles.situation import Situation
from tarsus.walking.steps.foot_swing import FootSwing
from tarsus.walking.steps.footsteps import Footstep

RISES = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25)
"""Parts of a swing in which a foot may rise, and in which it may come down; the slowest that passes is taken."""
DELAYS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
"""Parts of a swing for which a foot may wait at both ends before it goes forward."""
KEPT = 0.5
"""Part of the margin that is kept all along the swing: feet start and land a whole margin away."""
SAMPLES = 81
"""Of a swing."""
ABREAST = 0.9
"""Part of a shift that is there beside an obstacle."""


@dataclass(frozen=True)
class SwingDetour:
    """A swing whose control points are moved: raised, shifted, and later or sooner on its way forward.

    All of it are pieces of order 5, at rest at both ends, position, velocity and acceleration continuous, as in
    Buschmann 2014, 5.4.2: z rises to the height of the box, y is shifted by the overlap; both are held in between.

    Attributes
    ----------
    start, end : Footstep
    duration : float
        [s].
    top : float
        Highest z above the higher of both ends [m].
    shift : float
        Largest shift of y [m].
    rise, fall : float
        Parts of the duration in which it rises and is shifted, and in which it comes back.
    wait, early : float
        Parts of the duration after which it goes forward, and before the end of which it is there.
    """

    start: Footstep
    end: Footstep
    duration: float
    top: float
    shift: float
    rise: float
    fall: float
    wait: float
    early: float

    def at(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(x, y, z, yaw), rates and accelerations at a time from lift-off on, shape (4,) each."""
        T = self.duration
        first, last = np.append(self.start.position, self.start.yaw), np.append(self.end.position, self.end.yaw)
        along = minimum_jerk(t - self.wait * T, (1.0 - self.wait - self.early) * T)
        up = minimum_jerk(t, self.rise * T)
        down = minimum_jerk(t - (1.0 - self.fall) * T, self.fall * T)
        found = []
        for order, base in enumerate((first, np.zeros(4), np.zeros(4))):
            value = base + along[order] * (last - first)
            value[1] += (up[order] - down[order]) * self.shift
            low, high = float(first[2]), float(last[2])
            top = max(low, high) + self.top
            value[2] = (low if order == 0 else 0.0) + up[order] * (top - low) + down[order] * (high - top)
            found.append(value)
        return found[0], found[1], found[2]

    @property
    def effort(self) -> float:
        """Largest acceleration of its pieces [m/s^2]."""
        return float(_effort(self, np.array([[self.rise, self.fall, self.wait, self.early]]))[0])


def swing_detour(
    plain: FootSwing, passed: Sequence[Situation], feet: FootExtent, margin: float, leg: float
) -> FootSwing | SwingDetour:
    """The gentlest swing that keeps half of the margin from the boxes it passes; the plain one where there are none.

    Parameters
    ----------
    plain : FootSwing
        With nothing in its way.
    passed : sequence of Situation
        Obstacles ahead.
    feet : FootExtent
    margin : float
        [m].
    leg : float
        Length of the legs, for messages [m].

    Raises
    ------
    PlanningError
        Where none of the swings that are tried passes.
    """
    start, end = plain.start.position, plain.end.position
    left = plain.end.left
    met = [
        one
        for one in passed
        if one.of(left).way != "straight"
        and end[0] + feet.front > one.low[0] - KEPT * margin
        and start[0] - feet.back < one.high[0] + KEPT * margin
    ]
    if not met:
        return plain
    top = max([plain.clearance, *(one.of(left).raised for one in met)])
    shifts = [one.of(left).shift for one in met]
    shift = max(shifts, key=abs)
    if any(a * b < 0 for a, b in itertools.pairwise([s for s in shifts if s])):
        raise PlanningError(f"one swing would have to pass {' and '.join(o.name for o in met)} on different sides")
    base = SwingDetour(plain.start, plain.end, plain.duration, top, shift, 0.5, 0.5, 0.0, 0.0)
    tried = np.array(list(itertools.product(RISES, RISES, DELAYS, DELAYS)))
    clear = np.all([_passes(base, tried, one, feet, margin) for one in met], axis=0)
    if not clear.any():
        raise PlanningError(
            f"no swing of {plain.duration:.2f} s passes obstacle {met[0].name!r} from x = {start[0]:.2f} m to "
            f"{end[0]:.2f} m; legs are {leg:.2f} m long"
        )
    best = tried[clear][_effort(base, tried[clear]).argmin()]
    return SwingDetour(plain.start, plain.end, plain.duration, top, shift, *(float(value) for value in best))


def _effort(base: SwingDetour, tried: FloatArray) -> FloatArray:
    """Largest acceleration of the pieces of tried shapes (n, 4), shape (n,) [m/s^2]."""
    rise, fall, wait, early = tried.T
    T2 = base.duration**2
    forward = np.linalg.norm(base.end.position[:2] - base.start.position[:2])
    up = np.hypot(base.top, base.shift)
    peak = 10.0 / np.sqrt(3.0)
    return np.asarray(peak * np.max([forward / (1 - wait - early) ** 2, up / rise**2, up / fall**2], axis=0) / T2)


def _passes(base: SwingDetour, tried: FloatArray, one: Situation, feet: FootExtent, margin: float) -> FloatArray:
    """Which shapes keep half of the margin from a box, shape (n,) of bool."""
    rise, fall, wait, early = tried.T[:, :, None]
    u = np.linspace(0.0, 1.0, SAMPLES)
    x0, x1 = base.start.position[0], base.end.position[0]
    x = x0 + _share((u - wait) / (1 - wait - early)) * (x1 - x0)
    up = _share(u / rise) - _share((u - 1 + fall) / fall)
    near = KEPT * margin
    abreast = (x + feet.front > one.low[0] - near) & (x - feet.back < one.high[0] + near)
    how = one.of(base.end.left)
    ground = max(base.start.position[2], base.end.position[2])
    there = ground + up * base.top >= how.raised - near if how.way == "over" else up >= ABREAST
    return np.asarray(np.all(~abreast | there, axis=1))


def _share(u: FloatArray) -> FloatArray:
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u))
