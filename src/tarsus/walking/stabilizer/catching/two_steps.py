"""Two steps chosen together, where one after the other does not catch the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.stabilizer.catching.reach import Reach

FIRST = np.array([1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 3.5])[:, None, None, None]
"""Rates of the clock that are tried in the step that is under way."""
SECOND = np.array([1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5])[None, :, None, None]
"""Rates that are tried in the step after it."""
ALONG, ACROSS = 9, 5
"""Landings that are tried, to front and back and to the side, beside the planned one and the place of the foot."""
SWINGING = 0.8
"""Part of the second step in which its foot is in the air."""
MOST, SPARED = 0.9, 0.3
"""Parts of soles: what the pressure can use at most, and what it had better use."""
NEVER, RATHER_NOT, WAY, HASTE = 10.0, 1.0, 0.3, 0.04
"""Costs of a length that is out of reach, of one that is better avoided, of the way of the foot, and of haste, in level
steps."""


class Disturbed(NamedTuple):
    """A step from which the robot falls; axes and middle of the foot that stands, shape (2,) each [m].

    Attributes
    ----------
    divergent : ndarray, shape (2,)
        Now.
    offset : ndarray, shape (2,)
        Of the planned divergent component from the planned landing.
    landing : ndarray, shape (2,)
        As planned.
    way : ndarray, shape (2,)
        Of the foot in the air from where it is to there.
    left_over, after : float
        Time to touch-down, and from there to the next one, on the clock of the plan [s].
    """

    divergent: FloatArray
    offset: FloatArray
    landing: FloatArray
    way: FloatArray
    left_over: float
    after: float


class Pair(NamedTuple):
    """The first one of two steps that are chosen together.

    Attributes
    ----------
    shift : ndarray, shape (2,)
        Of its landing, axes of the foot that stands [m].
    rate : float
        Of the clock of the plan until then.
    missing : float
        What is out of reach with all of the soles, and by how much feet are too slow [m].
    """

    shift: FloatArray
    rate: float
    missing: float


@dataclass(frozen=True)
class TwoSteps:
    """Where and when to put a foot so that the next step of the other one catches the robot.

    In times t_1 and t_2, above pressures p_1 in the foot that stands and L_1 + p_2 in the one that lands at L_1,

        xi_2 = (xi e^(w t_1) - p_1 (e^(w t_1) - 1)) e^(w t_2) - (L_1 + p_2) (e^(w t_2) - 1),

    and the second step D = L_2 - L_1 catches the robot where xi_2 - L_2 is the offset b of the plan, mirrored. So

        D = xi e^(w (t_1 + t_2)) - b - L_1 e^(w t_2) - p_1 (e^(w t_1) - 1) e^(w t_2) - p_2 (e^(w t_2) - 1).

    Of all pairs of rates of the clock and all landings L_1 that are tried, that with the least costs is taken. By far
    the most costs what of D is out of reach with all of the soles, and feet that are too slow; then what is out of
    reach with a part of the soles, and steps that are longer than legs reach at the height of the walk; then the way of
    the foot, and haste. This differs most from one step after the other where a push leads across the foot that stands:
    the foot in the air comes down at once, near to where it is, so that the other one may go.

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

    def choose(self, step: Disturbed, swinging: int) -> Pair:
        """The pair with the least costs.

        Parameters
        ----------
        step : Disturbed
        swinging : int
            0 for the left foot, 1 for the right one.
        """
        low, high = self.reach.box(step.landing, swinging)
        x, y = _tried(low[0], high[0], -step.way[0], ALONG), _tried(low[1], high[1], -step.way[1], ACROSS)
        missing, cost = self._costs(step, swinging, FIRST, x[:, None], y[None, :])
        cost = cost + NEVER * missing
        chosen = first, _, i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
        return Pair(np.array([x[i], y[j]]), float(FIRST[first, 0, 0, 0]), float(missing[chosen]))

    def missing(self, step: Disturbed, swinging: int, shift: FloatArray, rate: float) -> float:
        """What is out of reach after a first step that is moved and timed like this, by the best second one [m]."""
        x, y = shift.tolist()
        missing, _ = self._costs(step, swinging, np.full((1, 1, 1, 1), rate), x, y)
        return float(missing.min())

    def _costs(self, step: Disturbed, swinging: int, rates: FloatArray, x: Any, y: Any) -> tuple[Any, Any]:
        """What is out of reach, and the other costs, for rates of the first step and shifts of its landing [m].

        The first two axes are those of the rates of both steps, the last two those of the shifts.
        """
        reach, w = self.reach, self.omega
        t_1, t_2 = step.left_over / rates, step.after / SECOND
        g_1, g_2 = np.exp(w * t_1), np.exp(w * t_2)
        way = np.hypot(step.way[0] + x, step.way[1] + y)
        missing = np.maximum(0.0, reach.lacks_time(way, t_1))
        cost = WAY * way + HASTE * reach.level * ((rates - 1.0) + 0.5 * (SECOND - 1.0))
        stance, other = self.half[1 - swinging], self.half[swinging]
        offset, second = (step.offset[0], -step.offset[1]), []
        for k, (least, most) in enumerate(reach.steps(1 - swinging)):
            L_1 = step.landing[k] + (x, y)[k]
            D = step.divergent[k] * g_1 * g_2 - offset[k] - L_1 * g_2
            sole = stance[k] * (g_1 - 1.0) * g_2 + other[k] * (g_2 - 1.0)
            beyond = np.maximum(least - D, D - most)
            missing = missing + np.maximum(0.0, beyond - MOST * sole)
            cost = cost + RATHER_NOT * np.maximum(0.0, beyond - SPARED * sole)
            if k == 0:
                D = _towards(D, -reach.level, reach.level, SPARED * sole)
                level = max(reach.level, abs(step.landing[0]))
                cost = cost + RATHER_NOT * np.maximum(0.0, abs(L_1) - level)
                cost = cost + RATHER_NOT * np.maximum(0.0, np.minimum(abs(D), most) - reach.level)
            else:
                D = _towards(D, least, most, SPARED * sole)
            second.append(L_1 + np.clip(D, least, most))
        return missing + np.maximum(0.0, reach.lacks_time(np.hypot(*second), SWINGING * t_2)), cost


def _towards(D: FloatArray, least: float, most: float, room: FloatArray) -> FloatArray:
    """Steps D moved into a range, each by no more than its room [m]."""
    return D - np.clip(D - np.clip(D, least, most), -room, room)


def _tried(low: float, high: float, here: float, count: int) -> FloatArray:
    """Shifts between two, with none at all and with that which leaves the foot here."""
    return np.unique([*np.linspace(low, high, count), 0.0, min(max(here, low), high)])
