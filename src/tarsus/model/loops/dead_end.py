"""The end of a path: the dead point of the independent joint, at which the dependents go on while it turns back.

There slopes grow like 1 / sqrt(2 d) with the distance d that is left, so that 1 / slope^2 is a line in the independent
coordinate: its zero is the end, and dependents follow a square root on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray

Solver = Callable[[FloatArray], tuple[FloatArray, FloatArray] | None]
"""Closed configuration and slopes of the dependents near a given configuration, or None."""

JUMP = 0.25
"""Deviation from the prediction, relative to the step, that is another branch."""
TIGHT = 5e-7
"""Distance of the point that is found from the end, as a share of the range that was followed, at most."""
_PART = 0.9
"""Of the estimated distance that one step takes."""
_STEPS = 60
"""At most: where slopes do not tell the end, each halves the distance."""


class PathPoint(NamedTuple):
    """A closed configuration of the tree, and slopes of the dependents there."""

    q: FloatArray
    slope: FloatArray


def dead_end(
    solve: Solver, points: Sequence[PathPoint], places: Sequence[int], step: float, followed: float
) -> PathPoint:
    """The last point of a path that does not get one step further.

    Parameters
    ----------
    solve : callable
    points : sequence of PathPoint
        The path so far, a step apart.
    places : sequence of int
        Coordinates of the dependents, and at last the independent one.
    step : float
        Signed, of the independent coordinate.
    followed : float
        Range of the independent coordinate that was followed, for `TIGHT`.
    """
    free, way = places[-1], float(np.sign(step))
    before, point = (points[-2] if len(points) > 1 else None), points[-1]
    open_at = float(point.q[free]) + step
    for _ in range(_STEPS):
        left = way * (open_at - float(point.q[free]))
        estimate = _distance(before, point, free)
        if min(left, np.inf if estimate is None else estimate) <= TIGHT * followed:
            break
        length = 0.5 * left if estimate is None else min(_PART * estimate, 0.5 * left)
        following = _moved(solve, point, places, way * length, estimate)
        if following is None:
            open_at = float(point.q[free]) + way * length
        else:
            before, point = point, following
    return point


def _distance(before: PathPoint | None, point: PathPoint, free: int) -> float | None:
    """Distance of the zero of 1 / slope^2 ahead, None where slopes do not grow."""
    if before is None:
        return None
    earlier, here = (1.0 / max(float(np.abs(p.slope).max()), 1e-300) ** 2 for p in (before, point))
    return here * abs(float(point.q[free] - before.q[free])) / (earlier - here) if earlier > here else None


def _moved(
    solve: Solver, point: PathPoint, places: Sequence[int], step: float, distance: float | None
) -> PathPoint | None:
    """The point one step further on the same branch, on the square root to an end at a distance."""
    dependents, free = list(places[:-1]), places[-1]
    length = step if distance is None else np.sign(step) * 2.0 * distance * (1.0 - np.sqrt(1.0 - abs(step) / distance))
    guess = point.q.copy()
    guess[free] += step
    guess[dependents] += length * point.slope
    solved = solve(guess)
    if solved is None:
        return None
    deviation = np.abs(solved[0][dependents] - guess[dependents]).max()
    near = deviation <= JUMP * (abs(step) + abs(length) * float(np.abs(point.slope).max()))
    return PathPoint(*solved) if near else None
