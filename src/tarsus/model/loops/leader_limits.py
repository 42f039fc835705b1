"""Limits of dependent joints, seen at the joint that leads them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from tarsus.arrays import FloatArray

STEPS = 50
"""Of Newton's method or bisection, which gains a digit in three steps at least."""
REST = 1e-13
"""Step, relative to the coordinate, at which the end of an interval is found."""

REAL = 1e-9
"""Imaginary part of a root, relative to the real one, that is rounding."""

Interval = tuple[float, float]
Relation = Callable[[float], tuple[float, float] | None]
"""Value and slope of a dependent coordinate at a leading one; None where there is none."""


def leader_interval(
    relation: Relation, span: FloatArray, values: FloatArray, low: float, high: float
) -> Interval | None:
    """Part of a range of the leading coordinate in which a dependent one is inside its limits.

    Parameters
    ----------
    relation : callable
    span, values : ndarray, shape (n,)
        The leading coordinate, ascending, and what the dependent one is there.
    low, high : float
        Limits of the dependent coordinate.

    Returns
    -------
    (float, float) or None
        None where the relation is not monotonic, nothing is excluded, or nothing is left.
    """
    steps = np.diff(values)
    if not ((steps > 0.0).all() or (steps < 0.0).all()) or (low <= values.min() and values.max() <= high):
        return None
    if values.max() < low or values.min() > high:
        return None
    levels = (low, high) if steps[0] > 0.0 else (high, low)
    inside = (values >= low) & (values <= high)
    first = float(span[0]) if inside[0] else _crossing(relation, span, values, levels[0])
    last = float(span[-1]) if inside[-1] else _crossing(relation, span, values, levels[1])
    return (first, last) if first <= last else None


def polynomial_interval(coefficients: Sequence[float], leader: Interval, low: float, high: float) -> Interval | None:
    """The same for c0 + c1 x + c2 x^2 + ... over a range of the leading coordinate, which may be infinite.

    Coefficients so large or so far apart that roots cannot be computed exclude nothing.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        try:
            return _polynomial_interval(np.polynomial.Polynomial(coefficients), leader, low, high)
        except np.linalg.LinAlgError:
            return None


def _polynomial_interval(p: np.polynomial.Polynomial, leader: Interval, low: float, high: float) -> Interval | None:
    if not _monotonic(p, leader):
        return None
    ends = []
    for level in (low, high):
        if np.isfinite(level):
            ends += [float(x.real) for x in (p - level).roots() if abs(x.imag) <= REAL * (1.0 + abs(x.real))]
        else:
            ends.append(level if p.deriv()(_middle(leader)) > 0.0 else -level)
    found = sorted(x for x in ends if leader[0] <= x <= leader[1])
    inside = [bool(low <= p(x) <= high) if np.isfinite(x) else False for x in leader]
    if not found:
        return None
    first = leader[0] if inside[0] else found[0]
    last = leader[1] if inside[1] else found[-1]
    return (first, last) if (first, last) != leader else None


def _middle(interval: Interval) -> float:
    low, high = interval
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    return low + 1.0 if np.isfinite(low) else high - 1.0 if np.isfinite(high) else 0.0


def _monotonic(p: np.polynomial.Polynomial, leader: Interval) -> bool:
    """Whether the slope has one sign, also where it is zero in single points."""
    turning = [float(x.real) for x in p.deriv().roots() if abs(x.imag) <= REAL * (1.0 + abs(x.real))]
    edges = sorted(x for x in turning if leader[0] < x < leader[1])
    parts = [(a, b) for a, b in itertools.pairwise([leader[0], *edges, leader[1]]) if a < b]
    signs = {float(np.sign(p.deriv()(_middle(part)))) for part in parts}
    return len(signs) == 1 and 0.0 not in signs


def intersection(a: Interval | None, b: Interval | None) -> Interval | None:
    """What two intervals share; the first one where they share nothing."""
    if a is None or b is None:
        return b if a is None else a
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return (low, high) if low <= high else a


def _crossing(relation: Relation, span: FloatArray, values: FloatArray, level: float) -> float:
    """Where a monotonic relation takes a value, by Newton's method that stays between two samples."""
    ahead = (values - level) * np.sign(values[-1] - values[0]) >= 0.0
    k = int(np.argmax(ahead))
    low, high = float(span[k - 1]), float(span[k])
    rising = bool(values[-1] > values[0])
    x = low + (high - low) * float((level - values[k - 1]) / (values[k] - values[k - 1]))
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
