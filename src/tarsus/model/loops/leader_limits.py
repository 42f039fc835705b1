"""Limits of dependent joints, seen at the joint that leads them.

A dependent joint may turn back while its leader goes on, so that several intervals of the leader are inside its limits.
What a mechanism reaches is the one in which it is: the interval with the reference, or the nearest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from tarsus.arrays import FloatArray

STEPS = 50
"""Of Newton's method or bisection, which gains a digit in three steps at least."""
REST = 1e-13
"""Step, relative to the coordinate, at which the end of an interval is found."""

TURNED = 1e-8
"""Slope, or distance, from a place where a relation turns back: its height is known to the square of that."""
REAL = 1e-9
"""Imaginary part of a root, relative to the real one, that is rounding."""

Interval = tuple[float, float]
Relation = Callable[[float], tuple[float, float] | None]
"""Value and slope of a dependent coordinate at a leading one; None where there is none."""


def leader_intervals(
    relation: Relation, span: FloatArray, values: FloatArray, slopes: FloatArray, low: float, high: float
) -> list[Interval]:
    """Parts of a range of the leading coordinate in which a dependent one is inside its limits, ascending.

    Parameters
    ----------
    relation : callable
    span, values, slopes : ndarray, shape (n,)
        The leading coordinate, ascending, what the dependent one is there, and its slopes (not finite: not known).
    low, high : float
        Limits of the dependent coordinate.
    """
    places, heights = _with_turns(relation, span, values, slopes, (low, high))
    crossings = sorted(
        _crossing(relation, places[k : k + 2], heights[k : k + 2], level)
        for k in range(len(places) - 1)
        for level in (low, high)
        if (heights[k] < level) != (heights[k + 1] < level)
    )
    edges = [places[0], *crossings, places[-1]]
    inside = bool(low <= heights[0] <= high)  # and changes at every crossing
    parts = [(a, b) for k, (a, b) in enumerate(itertools.pairwise(edges)) if inside == (k % 2 == 0)]
    return [(a, b) for a, b in parts if a < b]


def polynomial_interval(
    coefficients: Sequence[float], leader: Interval, low: float, high: float, here: float = 0.0
) -> Interval | None:
    """The interval with (or next to) `here` in which c0 + c1 x + c2 x^2 + ... is inside limits.

    The range of the leading coordinate may be infinite. None where nothing is excluded or nothing is left; coefficients
    so large or so far apart that roots cannot be computed exclude nothing.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            found = _polynomial_intervals(np.polynomial.Polynomial(coefficients), leader, low, high)
        except np.linalg.LinAlgError:
            return None
    chosen = nearest_interval(found, here)
    return chosen if chosen != leader else None


def _polynomial_intervals(p: np.polynomial.Polynomial, leader: Interval, low: float, high: float) -> list[Interval]:
    roots = [x for level in (low, high) if np.isfinite(level) for x in (p - level).roots()]
    real = sorted(float(x.real) for x in roots if abs(x.imag) <= REAL * (1.0 + abs(x.real)))
    edges = [leader[0], *(x for x in real if leader[0] < x < leader[1]), leader[1]]
    parts = [part for part in itertools.pairwise(edges) if low <= p(_middle(part)) <= high]
    return _joined(parts)


def _joined(parts: Sequence[Interval]) -> list[Interval]:
    """Neighbours that touch, as one: the relation only touches its limit there."""
    found: list[Interval] = []
    for part in parts:
        if found and found[-1][1] == part[0]:
            found[-1] = (found[-1][0], part[1])
        else:
            found.append(part)
    return found


def _middle(interval: Interval) -> float:
    low, high = interval
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low + 1.0 if np.isfinite(low) else high - 1.0 if np.isfinite(high) else 0.0


def common_intervals(a: Sequence[Interval], b: Sequence[Interval]) -> list[Interval]:
    """What two lists of intervals share, ascending."""
    shared = ((max(x[0], y[0]), min(x[1], y[1])) for x in a for y in b)
    return sorted(x for x in shared if x[0] < x[1])


def nearest_interval(intervals: Sequence[Interval], here: float) -> Interval | None:
    """The interval with a place in it, or the nearest one; None where there is none."""
    return min(intervals, key=lambda x: max(x[0] - here, here - x[1], 0.0), default=None)


def intersection(a: Interval | None, b: Interval | None) -> Interval | None:
    """What two intervals share; the first one where they share nothing."""
    if a is None or b is None:
        return b if a is None else a
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else a


def _with_turns(
    relation: Relation, span: FloatArray, values: FloatArray, slopes: FloatArray, levels: Interval
) -> tuple[list[float], list[float]]:
    """Samples between which the relation is monotonic: those given, and the places between them where it turns back.

    Turns that do not come near one of the levels are left out.
    """
    places, heights = [float(span[0])], [float(values[0])]
    for k in range(len(span) - 1):
        ends = (float(span[k]), float(span[k + 1]))
        if slopes[k] * slopes[k + 1] < 0.0:
            most = (ends[1] - ends[0]) * max(abs(slopes[k]), abs(slopes[k + 1]))
            near = any(min(values[k : k + 2]) - most <= x <= max(values[k : k + 2]) + most for x in levels)
            turn = _turn(relation, ends, (float(slopes[k]), float(slopes[k + 1]))) if near else None
            if turn is not None:
                places.append(turn[0])
                heights.append(turn[1])
        places.append(ends[1])
        heights.append(float(values[k + 1]))
    return places, heights


def _turn(relation: Relation, ends: Interval, slopes: Interval) -> Interval | None:
    """Place and height at which a slope is zero, by the secant with halved weights (Illinois)."""
    (a, b), (at_a, at_b) = ends, slopes
    found, side = None, 0
    for _ in range(STEPS):
        x = (at_a * b - at_b * a) / (at_a - at_b)
        here = relation(x)
        if here is None:
            return found
        found = (x, here[0])
        if here[1] * at_a > 0.0:
            a, at_a, at_b, side = x, here[1], at_b * (0.5 if side == 1 else 1.0), 1
        else:
            b, at_b, at_a, side = x, here[1], at_a * (0.5 if side == -1 else 1.0), -1
        if here[1] == 0.0 or abs(b - a) <= TURNED * (1.0 + abs(x)) or abs(here[1]) <= TURNED:
            break  # heights near a turn are as good as the square of places
    return found


def _crossing(relation: Relation, span: Sequence[float], values: Sequence[float], level: float) -> float:
    """Where a monotonic relation takes a value, by Newton's method that stays between two samples."""
    low, high = span
    rising = values[1] > values[0]
    x = low + (high - low) * (level - values[0]) / (values[1] - values[0])
    for _ in range(STEPS):
        found = relation(x)
        if found is None:
            break
        value, slope = found
        if (value < level) == rising:
            low = x
        else:
            high = x
        newton = x - (value - level) / slope if slope != 0.0 else low - 1.0
        following = newton if low <= newton <= high else 0.5 * (low + high)
        if abs(following - x) <= REST * (1.0 + abs(x)):
            return following
        x = following
    return x
