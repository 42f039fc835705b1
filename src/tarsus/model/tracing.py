"""Following the joints of a loop with one independent joint along its range.

The branch is the one that continues the reference configuration without a jump, also through singular positions in
which several branches meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tarsus.spatial.pose import FloatArray

INTERVALS = 127
"""Knots of a table; an odd number, so that they miss singular positions at multiples of a quarter turn."""
SMALLEST_PART = 1.0 / 64.0
"""Of an interval, below which a loop counts as not closing any more."""
JUMP = 0.25
"""Deviation from the prediction, relative to the step, that is another branch."""

Solver = Callable[[FloatArray], tuple[FloatArray, FloatArray] | None]
"""Closed configuration and slopes of the dependents near a given configuration, or None."""


class Trace(NamedTuple):
    """Dependents (knots, dependents) and their slopes at equidistant values of the independent coordinate.

    `bounds` is the interval in which the loop closes, None where nothing bounds it but limits of the joint.
    """

    values: FloatArray
    slopes: FloatArray
    first: float
    spacing: float
    periodic: bool
    bounds: tuple[float, float] | None


class _Point(NamedTuple):
    q: FloatArray
    slope: FloatArray


def trace(
    solve: Solver, reference: FloatArray, places: Sequence[int], low: float, high: float, turns: bool
) -> Trace | None:
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
    Trace or None
        None where the range is unbounded.
    """
    free = places[-1]
    here = float(reference[free])
    bounded = bool(np.isfinite(low) and np.isfinite(high))
    if not bounded and not turns:
        return None
    low, high = (min(low, here), max(high, here)) if bounded else (here - 2.0 * np.pi, here + 2.0 * np.pi)
    length = max(high - low, 1e-3) if bounded else 2.0 * np.pi
    spacing = length / INTERVALS
    start = solve(reference)
    if start is None:
        return None
    forward = _walk(solve, _Point(*start), places, spacing, INTERVALS if not bounded else _count(high - here, spacing))
    if not bounded and len(forward) == INTERVALS + 1:
        values, slopes = _columns(forward, places)
        return Trace(values, slopes, here, spacing, True, None)
    backward = _walk(solve, _Point(*start), places, -spacing, INTERVALS if not bounded else _count(here - low, spacing))
    points = [*backward[:0:-1], *forward]
    if len(points) < 2:
        return None
    values, slopes = _columns(points, places)
    first = here - spacing * (len(backward) - 1)
    last = first + spacing * (len(points) - 1)
    closes_everywhere = bounded and first <= low + 1e-12 and last >= high - 1e-12
    return Trace(values, slopes, first, spacing, False, None if closes_everywhere else (first, last))


def _count(length: float, spacing: float) -> int:
    return int(np.ceil(length / spacing - 1e-9))


def _columns(points: Sequence[_Point], places: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    dependents = list(places[:-1])
    return np.array([p.q[dependents] for p in points]), np.array([p.slope for p in points])


def _walk(solve: Solver, start: _Point, places: Sequence[int], step: float, count: int) -> list[_Point]:
    points = [start]
    before: _Point | None = None
    for _ in range(count):
        following = _advance(solve, points[-1], before, places, step, 1.0)
        if following is None:
            break
        before = points[-1]
        points.append(following)
    return points


def _advance(
    solve: Solver, point: _Point, before: _Point | None, places: Sequence[int], step: float, part: float
) -> _Point | None:
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
            return _Point(*solved)
    if part <= SMALLEST_PART:
        return None
    middle = _advance(solve, point, None, places, 0.5 * step, 0.5 * part)
    return None if middle is None else _advance(solve, middle, None, places, 0.5 * step, 0.5 * part)
