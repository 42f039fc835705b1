"""What the figures 3.3 to 3.6 and table 3.1 have in common: slopes, ratios and crossovers of methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.growth import crossover, slope
from benchmarks.papers.figure import Claim, Run
from benchmarks.papers.methods import BASE, Curve, look

LARGE = 128
"""Bodies from which slopes are fitted."""
SLOPE = 0.15
"""Tolerance of slopes; caches bend the curves."""
EVEN = 1.05
"""Run times that differ by less are equal: the noise of a short call."""
LINEAR = "articulated-body"
"""The O(n) method."""
VASTLY = 10.0
"""A method is vastly superior where it is that many times faster."""


def select(curves: Mapping[str, Curve], methods: Sequence[str]) -> dict[str, Curve]:
    """The curves of some methods."""
    return {method: curves[method] for method in methods}


def without_base(curves: Mapping[str, Curve], *kept: str) -> dict[str, Curve]:
    """The curves of the library's methods, and of some base codes."""
    return {method: curve for method, curve in curves.items() if method in kept or not method.startswith(BASE)}


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
    linear = curves[LINEAR]
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


def linear_claim(run: Run, linear: Curve) -> Claim:
    """That the O(n) method is linear in n."""
    found = fitted(linear)
    return Claim(
        "the O(n) method is linear in n",
        f"slope {found:.2f} for n >= {min(LARGE, linear.sizes[-3])}",
        run.judge(abs(found - 1.0) < SLOPE),
        f"of slope 1 within {SLOPE:g}",
    )


def superior_claim(linear: Curve, rivals: Sequence[Curve]) -> Claim:
    """That the optimised O(n) method is faster than optimised rivals at every size."""
    slower = [
        f"{look(rival.method).label} at n = {n}"
        for rival in rivals
        for n, ours, theirs in zip(*shared(linear, rival), strict=True)
        if ours > EVEN * theirs
    ]
    return Claim(
        "optimised O(n) code is always superior (to optimised NE and CRBA)",
        f"{crossover_text(linear, rivals)}; {'slower than ' + ', '.join(slower) if slower else 'slower nowhere'}",
        not slower,
        f"the fastest at every size measured, up to {EVEN - 1.0:.0%} of noise",
    )


def steepest_claim(run: Run, states: str, curves: Mapping[str, Curve], steepest: float, order: str) -> Claim:
    """That no curve is steeper at large sizes than an order of growth allows."""
    slopes = {method: fitted(curve) for method, curve in curves.items() if len(curve.sizes) > 2}
    found = ", ".join(f"{look(method).label} {value:.2f}" for method, value in slopes.items())
    largest = max(curve.sizes[-1] for curve in curves.values())
    return Claim(
        states,
        f"slopes at the largest sizes: {found}",
        run.judge(all(value < steepest + SLOPE for value in slopes.values())),
        f"within the slope of {order} ({steepest:.2f}, tolerance {SLOPE:g})",
        f"mass matrices leave the caches: {8 * largest**2 / 2**20:.1f} MB at n = {largest}",
    )


def naive_claim(run: Run, curves: Mapping[str, Curve], rivals: Sequence[str], lowest: int, highest: int) -> Claim:
    """Up to which size optimised rivals are faster than the base code of the O(n) method.

    Parameters
    ----------
    rivals : sequence of str
        Optimised NE and CRBA.
    lowest, highest : int
        Where the text has the crossovers.
    """
    base = curves[f"{BASE}{LINEAR}"]
    places = {method: _last_ahead(curves[method], base) for method in rivals}
    found = ", ".join(f"{look(method).label} up to n = {n}" for method, n in places.items())
    _, gain = ratio_at(base, curves[LINEAR], 32)
    return Claim(
        f"optimised NE and CRBA are faster than a naive O(n) code up to {lowest} to {highest} bodies",
        f"faster than O(n), base: {found}",
        run.judge(all(lowest <= 2 * n and n <= highest for n in places.values())),
        f"from {lowest} to {highest} (sizes are doubled)",
        f"optimisation gains {gain:.0f} times at 32 bodies here, 7 times in the text, so that it lasts longer",
    )


def _last_ahead(fast: Curve, slow: Curve) -> int:
    """Largest size up to which a curve stays below another; 0 where it does not begin below."""
    sizes, a, b = shared(fast, slow)
    ahead = [x < y for x, y in zip(a, b, strict=True)]
    count = ahead.index(False) if False in ahead else len(ahead)
    return sizes[count - 1] if count else 0


def as_data(curves: Mapping[str, Curve]) -> dict[str, Any]:
    """Curves as plain data with their slopes."""
    return {
        method: {"sizes": curve.sizes, "times": curve.times, "slope": fitted(curve) if len(curve.sizes) > 2 else None}
        for method, curve in curves.items()
    }
