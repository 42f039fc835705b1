"""Where feet are set along a straight way, so that none is set on an obstacle and steps are as ordinary as possible."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.errors import PlanningError

GRID = 0.005
"""Between places that are tried, at most [m]."""
FINEST = 8
"""Places in an ordinary step, at least."""
LONGER = 20.0
"""Cost of a step that is longer than an ordinary one beside that of a shorter one: long steps strain the robot."""
STEP = 0.02
"""Cost of a step, in that of one of no length: few steps rather than many short ones."""

Interval = tuple[float, float]


def step_positions(
    way: float,
    step: float,
    longest: float,
    forbidden: tuple[Sequence[Interval], Sequence[Interval]],
    *,
    left_first: bool = True,
) -> FloatArray:
    """Positions x of the footsteps, the two at the start left out, by dynamic programming, shape (n,) [m].

    Least sum of squares of what steps, from one foot to the other, are shorter or longer than ordinary ones, longer
    ones counted more: obstacles are passed by the shortest steps that keep the margins. The first step, from feet that
    are side by side, is half an ordinary one where it can be. The last footstep is where the other foot can come beside
    it.

    Parameters
    ----------
    way : float
        Where to come to, to half a step [m].
    step, longest : float
        Ordinary and longest length of a step [m].
    forbidden : pair of sequences of (float, float)
        Between which x there may be no left, and no right footstep [m].
    left_first : bool
        Which foot steps first.

    Raises
    ------
    PlanningError
        Where there is no such row of footsteps, with the place that is not passed.
    """
    grid = min(GRID, step / FINEST)
    count = int(np.ceil((way + step) / grid)) + 1
    x = np.arange(count) * np.float64(grid)
    free = [_free(x, intervals) for intervals in forbidden]
    reach = min(int(np.floor(longest / grid + 1e-9)), count - 1)
    cost = np.full(count, np.inf)
    cost[0] = 0.0
    back: list[np.ndarray] = []
    best: tuple[float, int, int] | None = None
    furthest = 0.0
    most = int(np.ceil(3.0 * way / step)) + 4
    for k in range(most):
        side = 0 if (k % 2 == 0) == left_first else 1
        ways = np.arange(reach + 1) * np.float64(grid)
        own = _cost(ways, 0.5 * step if k == 0 else step)
        # Shifted copies of the costs so far: from x - way to x.
        table = np.full((reach + 1, count), np.inf)
        for i in range(reach + 1):
            table[i, i:] = cost[: count - i] + own[i]
        chosen = table.argmin(axis=0)
        cost = np.where(free[side], table.min(axis=0), np.inf)
        back.append(chosen)
        if np.isfinite(cost).any():
            furthest = max(furthest, float(x[np.isfinite(cost)].max()))
        ends = np.where((np.abs(x - way) <= step / 2) & free[1 - side], cost, np.inf)
        at = int(ends.argmin())
        if np.isfinite(ends[at]) and (best is None or ends[at] < best[0]):
            best = float(ends[at]), k, at
    if best is None and furthest > way - step / 2:
        raise PlanningError(
            f"no row of steps of at most {longest:.2f} m ends between obstacles with both feet side by side, half a "
            f"step around x = {way:.2f} m"
        )
    if best is None:
        raise PlanningError(
            f"no row of steps of at most {longest:.2f} m leads past the obstacles: from x = {furthest:.2f} m on"
        )
    return _traced(best[1], best[2], back, x)


def _cost(ways: FloatArray, step: float) -> FloatArray:
    off = (ways - step) / step
    return np.asarray(np.where(off > 0.0, LONGER, 1.0) * off**2 + STEP)


def _free(x: FloatArray, intervals: Sequence[Interval]) -> BoolArray:
    free = np.ones(len(x), dtype=bool)
    for low, high in intervals:
        free &= (x <= low + 1e-9) | (x >= high - 1e-9)
    return free


def _traced(last: int, at: int, back: Sequence[np.ndarray], x: FloatArray) -> FloatArray:
    found = []
    for k in range(last, -1, -1):
        found.append(x[at])
        at -= int(back[k][at])
    return np.array(found[::-1])
