"""Figure 3.14: operation counts of divide and conquer against articulated bodies, and the algorithm itself, timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import slope
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, random_state
from benchmarks.papers.operations import articulated_body, divide_and_conquer, first_advantage
from benchmarks.papers.plot import clean, log_log
from benchmarks.timing import Statement, race
from tarsus.dynamics.divide_and_conquer import DivideAndConquer
from tarsus.dynamics.forward import forward_dynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTED = 128
"""Largest number of bodies in the left plot."""


def measure(run: Run) -> Outcome:
    """Count operations, and time both algorithms on Coil."""
    sizes = run.choose([8, 16, 32], [2**k for k in range(3, 15)])
    times: dict[str, list[float]] = {"divide and conquer": [], "articulated bodies": []}
    differences = []
    for n in sizes:
        run.say(f"divide and conquer, {COIL.label(n)}")
        model = COIL.build(n)
        q, v, tau = random_state(model)
        chain = DivideAndConquer(model)
        expected = forward_dynamics(model, q, v, tau)
        off = np.abs(chain.forward_dynamics(q, v, tau) - expected).max() / np.abs(expected).max()
        differences.append(float(off))
        names = {"q": q, "v": v, "tau": tau}
        parallel = Statement("f(q, v, tau)", names | {"f": chain.forward_dynamics})
        serial = Statement("f(m, q, v, tau, out=r)", names | {"f": forward_dynamics, "m": model, "r": np.empty(n)})
        for name, time in zip(times, race([parallel, serial], run.effort), strict=True):
            times[name].append(time)
    first = first_advantage(0.0), first_advantage(1.0)
    data = {
        "counts": {
            str(n): {"dca": vars(divide_and_conquer(n)), "aba": vars(articulated_body(n))} for n in (2, 8, 14, 32, 128)
        },
        "first_advantage": {
            "multiplications": first[0],
            "multiplications and additions": first[1],
        },
        "sizes": sizes,
        "times": times,
        "differences": differences,
    }
    note = (
        "Left: operations on n processors, areas for additions weighing nothing to as much as multiplications; ABA as "
        "published, DCA counted again for this library's algorithm, since the text does not print it. Right: run times "
        "on Coil; DCA with one batched NumPy operation a level, one core."
    )
    return Outcome(data, claims(sizes, times, differences, first), lambda f: _draw(f, sizes, times), note, (9.0, 4.2))


def claims(
    sizes: list[int], times: dict[str, list[float]], differences: list[float], first: tuple[int, int]
) -> tuple[Claim, ...]:
    """Compare counts and run times with the text.

    Parameters
    ----------
    first : tuple of int
        Smallest number of bodies from which on divide and conquer needs fewer operations: multiplications alone, and
        additions as costly.
    """
    ratios = [a / b for a, b in zip(*times.values(), strict=True)]
    best = int(np.argmin(ratios))
    growth = slope(sizes, times["divide and conquer"])
    return (
        Claim(
            "on n processors DCA needs fewer operations than ABA for as few as 14 bodies",
            f"from n = {first[0]} (multiplications alone), {first[1]} (additions as costly)",
            first == (14, 14),
            "from 14 bodies on in both counts",
        ),
        Claim(
            "a similar speedup is unlikely on current processors",
            f"it does not pay: {min(ratios):.0f} to {max(ratios):.0f} times the native O(n) method's time, "
            f"{min(ratios):.0f} at n = {sizes[best]}",
            min(ratios) > 1.0,
            "slower at every size",
        ),
        Claim(
            "O(log n) depth",
            f"slope {growth:.2f} over n = {sizes[0]} to {sizes[-1]} on one core: the depth counts while levels are "
            f"short, the O(n) work later; accelerations agree to {max(differences):.0e}",
        ),
    )


def _draw(figure: Figure, sizes: list[int], times: dict[str, list[float]]) -> None:
    left, right = figure.subplots(1, 2)
    n = np.arange(1, COUNTED + 1)
    for label, count, color in (
        ("ABA (published)", articulated_body, "#1d8a5b"),
        ("DCA on $n_b$ processors (counted)", divide_and_conquer, "#8e5bb5"),
    ):
        low, high = ([count(int(k)).weighted(w) for k in n] for w in (0.0, 1.0))
        left.fill_between(n, low, high, color=color, alpha=0.35, label=label, lw=0)
        left.plot(n, low, color=color, lw=0.8)
        left.plot(n, high, color=color, lw=0.8)
    first = first_advantage(1.0)
    left.axvline(first, color="#555555", lw=0.8, ls=":")
    left.set_ylim(0.0, 3e4)
    left.annotate(f"$n_b$ = {first}", (first, 2.2e4), (4, 0), textcoords="offset points", fontsize=8)
    clean(left, "bodies $n_b$", "operations", "Operation counts")
    left.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.02, 0.42))
    for (name, values), color, marker in zip(times.items(), ("#8e5bb5", "#1d8a5b"), "so", strict=True):
        right.plot(sizes, 1e6 * np.array(values), color=color, marker=marker, ms=4, label=name)
    log_log(right, "bodies $n_b$ of Coil($n_b$)", "time [µs]", "Run times on one core")
    right.legend(frameon=False, fontsize=8)


FIGURE = PaperFigure("3.14", "divide and conquer against articulated bodies", measure)
