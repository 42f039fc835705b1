"""What the figures 3.3 to 3.6 and table 3.1 have in common: slopes, ratios and crossovers of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.growth import crossover, slope
from benchmarks.papers.figure import Claim
from benchmarks.papers.methods import Curve, look

LARGE = 128
"""Bodies from which slopes are fitted."""


def select(curves: Mapping[str, Curve], methods: Sequence[str]) -> dict[str, Curve]:
    """The curves of some methods."""
    return {method: curves[method] for method in methods}


def shared(a: Curve, b: Curve) -> tuple[list[int], list[float], list[float]]:
    """Sizes at which both were measured, and both times."""
    sizes = [n for n in a.sizes if n in b.sizes]
    return sizes, [a.times[a.sizes.index(n)] for n in sizes], [b.times[b.sizes.index(n)] for n in sizes]


def ratio_at(slow: Curve, fast: Curve, n: int | None = None) -> tuple[int, float]:
    """Size and ratio of run times there; the largest common size by default."""
    sizes, a, b = shared(slow, fast)
    i = -1 if n is None else sizes.index(n)
    return sizes[i], a[i] / b[i]


def best_rival(curves: Mapping[str, Curve], rivals: Sequence[str], n: int) -> tuple[int, float]:
    """Largest size up to n that some rival reached, and the time of the best rival there relative to O(n)."""
    linear = curves["articulated-body"]
    size = max(k for method in rivals for k in curves[method].sizes if k <= n)
    times = [time for method in rivals if (time := curves[method].at(size)) is not None]
    fast = linear.at(size)
    assert fast is not None  # the O(n) method is measured wherever another one is
    return size, min(times) / fast


def crossover_text(a: Curve, rivals: Sequence[Curve]) -> str:
    """From which size on `a` is faster than each of the rivals, in words."""
    parts = []
    for rival in rivals:
        sizes, times, other = shared(a, rival)
        n = crossover(sizes, times, other)
        when = f"not up to n = {sizes[-1]}" if n is None else f"from n = {n:g}"
        parts.append(f"{look(rival.method).label} {when}")
    return f"{look(a.method).label} is faster than {', '.join(parts)}"


def fitted(curve: Curve, smallest: int = LARGE) -> float:
    """Slope at large sizes, or over the last three points where there are no large ones."""
    if sum(n >= smallest for n in curve.sizes) >= 3:
        return slope(curve.sizes, curve.times, smallest)
    return slope(curve.sizes[-3:], curve.times[-3:])


def slope_claim(states: str, curves: Mapping[str, Curve]) -> Claim:
    """Fitted slopes of several methods as one claim without a verdict."""
    parts = [f"{look(method).label} {fitted(curve):.2f}" for method, curve in curves.items() if len(curve.sizes) > 2]
    return Claim(states, f"slopes at the largest sizes: {', '.join(parts)}")


def as_data(curves: Mapping[str, Curve]) -> dict[str, Any]:
    """Curves as plain data with their slopes."""
    return {
        method: {"sizes": curve.sizes, "times": curve.times, "slope": fitted(curve) if len(curve.sizes) > 2 else None}
        for method, curve in curves.items()
    }
