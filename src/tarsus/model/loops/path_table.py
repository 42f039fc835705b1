"""Path of a loop with one independent joint as a table over its range.

The branch is the one that continues the reference configuration without a jump, also through singular positions in
which several branches meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.loops.dead_end import JUMP, PathPoint, Solver, dead_end

INTERVALS = 127
"""Knots of a table; an odd number, so that they miss singular positions at multiples of a quarter turn."""
SMALLEST_PART = 1.0 / 64.0
"""Of an interval, below which a loop counts as not closing any more."""
SLIDES = (0.05, 0.005, 0.0005)
"""Spacings [m] that are tried for a slider without limits, whose reach is not known beforehand."""
FEWEST_KNOTS, LONGEST_SLIDE = 40, 500
"""Knots that describe the reach of such a slider, and those after which nothing seems to bound it."""
TURNS = 2
"""After which a loop comes round: where two branches cross once in a turn, it comes back on the other one first."""
ROUND = 1e-6
"""Deviation [rad or m] of the dependents at which a loop has come round."""


class PathTable(NamedTuple):
    """Dependents (knots, dependents) and their slopes at equidistant values of the independent coordinate.

    `bounds` is the interval in which the loop closes, None where nothing bounds it but limits of the joint; `ends` are
    the dependents (2, dependents) at the ends of that interval; `dead` tells which of these are dead points of the
    independent joint, and not where limits or patience ended the walk.
    """

    values: FloatArray
    slopes: FloatArray
    first: float
    spacing: float
    periodic: bool
    bounds: tuple[float, float] | None
    ends: FloatArray | None = None
    dead: tuple[bool, bool] = (False, False)


def tabulate(
    solve: Solver, reference: FloatArray, places: Sequence[int], low: float, high: float, turns: bool
) -> PathTable | None:
    """Follow the dependents at `places[:-1]` while the independent coordinate at `places[-1]` goes through its range.

    Parameters
    ----------
    solve : callable
    reference : ndarray, shape (nq_tree,)
        A closed configuration.
    low, high : float
        Limits of the joint.
    turns : bool
        The joint turns and, without limits, comes round again.

    Returns
    -------
    PathTable or None
        None where the range is unbounded.
    """
    free = places[-1]
    here = float(reference[free])
    start = solve(reference)
    if start is None:
        return None
    origin = PathPoint(*start)
    if np.isfinite(low) and np.isfinite(high):
        low, high = min(low, here), max(high, here)
        spacing = max(high - low, 1e-3) / INTERVALS
        counts = _count(high - here, spacing), _count(here - low, spacing)
        found = _both_ways(solve, origin, places, spacing, counts)
        if found is None:
            return None
        first, last = found.bounds or (here, here)
        closes_everywhere = first <= low + 1e-12 and last >= high - 1e-12
        return found._replace(bounds=None, ends=None, dead=(False, False)) if closes_everywhere else found
    if not turns:
        for spacing in SLIDES:
            found = _both_ways(solve, origin, places, spacing, (LONGEST_SLIDE, LONGEST_SLIDE))
            if found is not None and len(found.values) >= FEWEST_KNOTS:
                return found if len(found.values) <= LONGEST_SLIDE else None
        return None
    spacing = 2.0 * np.pi / INTERVALS
    forward = [origin]
    for turn in range(1, TURNS + 1):
        forward += _walk(solve, forward[-1], places, spacing, INTERVALS)[1:]
        if len(forward) < turn * INTERVALS + 1:
            break
        values, slopes = _columns(forward, places)
        rest = np.remainder(values[-1] - values[0] + np.pi, 2.0 * np.pi) - np.pi
        if np.abs(rest).max() < ROUND:
            return PathTable(values, slopes, here, spacing, True, None)
    return _both_ways(solve, origin, places, spacing, (INTERVALS, INTERVALS), forward[: INTERVALS + 1])


def _both_ways(
    solve: Solver,
    origin: PathPoint,
    places: Sequence[int],
    spacing: float,
    counts: tuple[int, int],
    forward: list[PathPoint] | None = None,
) -> PathTable | None:
    """At most so many steps forward, where that is not done yet, and backward; what was reached is the bounds."""
    if forward is None:
        forward = _walk(solve, origin, places, spacing, counts[0])
    backward = _walk(solve, origin, places, -spacing, counts[1])
    points = [*backward[:0:-1], *forward]
    if len(points) < 2:
        return None
    values, slopes = _columns(points, places)
    free = places[-1]
    first = float(origin.q[free]) - spacing * (len(backward) - 1)
    last = first + spacing * (len(points) - 1)
    bounds, ends = [first, last], [points[0], points[-1]]
    dead = len(backward) <= counts[1], len(forward) <= counts[0]
    for k, way in enumerate((backward, forward)):
        if dead[k]:
            ends[k] = dead_end(solve, way, places, spacing if k else -spacing, last - first)
            bounds[k] = float(ends[k].q[free])
    return PathTable(values, slopes, first, spacing, False, (bounds[0], bounds[1]), _columns(ends, places)[0], dead)


def _count(length: float, spacing: float) -> int:
    return int(np.ceil(length / spacing - 1e-9))


def _columns(points: Sequence[PathPoint], places: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    dependents = list(places[:-1])
    return np.array([p.q[dependents] for p in points]), np.array([p.slope for p in points])


def _walk(solve: Solver, start: PathPoint, places: Sequence[int], step: float, count: int) -> list[PathPoint]:
    points = [start]
    before: PathPoint | None = None
    for _ in range(count):
        following = _advance(solve, points[-1], before, places, step, 1.0)
        if following is None:
            break
        before = points[-1]
        points.append(following)
    return points


def _advance(
    solve: Solver, point: PathPoint, before: PathPoint | None, places: Sequence[int], step: float, part: float
) -> PathPoint | None:
    """One step, in halves where Newton's method fails or jumps to another branch."""
    dependents, free = list(places[:-1]), places[-1]
    guess = point.q.copy()
    guess[free] += step
    curvature = 0.0 if before is None else 0.5 * (point.slope - before.slope)
    predicted = point.q[dependents] + step * (point.slope + curvature)
    guess[dependents] = predicted
    solved = solve(guess)
    if solved is not None:
        deviation = np.abs(solved[0][dependents] - predicted).max()
        if deviation <= JUMP * abs(step) * (1.0 + np.abs(point.slope).max()):
            return PathPoint(*solved)
    if part <= SMALLEST_PART:
        return None
    middle = _advance(solve, point, None, places, 0.5 * step, 0.5 * part)
    return None if middle is None else _advance(solve, middle, None, places, 0.5 * step, 0.5 * part)
