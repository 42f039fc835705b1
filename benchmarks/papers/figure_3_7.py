"""Figures 3.7 and 3.8: very long chains, and the memory behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.memory import copy_bandwidth
from benchmarks.papers.figure import Claim, Outcome, PaperFigure, Run
from benchmarks.papers.mechanisms import COIL, random_state
from benchmarks.papers.plot import GREY, clean
from benchmarks.timing import Statement, race
from tarsus.dynamics.forward import forward_dynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEADY = 32
"""Bodies whose time per body sets the straight line."""
TENFOLD = 5.0
"""Growth from which on it is about an order of magnitude."""
SLOWER = 2.0
"""Main memory is far slower from this factor on."""


def measure(run: Run) -> Outcome:
    """Time the O(n) method up to very large n, and copies of memory up to far beyond the caches."""
    sizes = run.choose([32, 64, 128], [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384])
    times = []
    for n in sizes:
        run.say(COIL.label(n))
        model = COIL.build(n)
        q, v, tau = random_state(model)
        names = {"f": forward_dynamics, "m": model, "q": q, "v": v, "tau": tau, "r": np.empty(n)}
        times += race([Statement("f(m, q, v, tau, out=r)", names)], run.effort)
    kilobytes = [2**k for k in range(2, run.choose(10, 18))]
    run.say("memory")
    bandwidth = [copy_bandwidth(size // 2, seconds=run.choose(1e-3, 1e-2)) for size in kilobytes]
    data = {"sizes": sizes, "times": times, "kilobytes": kilobytes, "bytes_per_second": bandwidth}
    note = "Articulated bodies, one state, from Python. Right: copies of arrays, read and write counted."
    found = claims(run, sizes, times, kilobytes, bandwidth)
    return Outcome(data, found, lambda figure: _draw(figure, sizes, times, kilobytes, bandwidth), note, (9.5, 3.8))


def claims(
    run: Run, sizes: list[int], times: list[float], kilobytes: list[int], bandwidth: list[float]
) -> tuple[Claim, ...]:
    """Compare run times and bandwidth with the text."""
    per_body = [t / n for t, n in zip(times, sizes, strict=True)]
    growth = per_body[-1] / min(per_body)
    drop = max(bandwidth) / bandwidth[-1]
    return (
        Claim(
            "time per body grows by about an order of magnitude for large n, with a kink where the cache is full",
            f"{growth:.1f} times from the best to n = {sizes[-1]}: {1e9 * min(per_body):.0f} to "
            f"{1e9 * per_body[-1]:.0f} ns a body",
            run.judge(growth > TENFOLD),
            f"more than {TENFOLD:g} times",
            "a body takes few bytes, and chains are walked in the order in which they lie in memory",
        ),
        Claim(
            "main memory is far slower than caches (figure 3.8)",
            f"copies at {max(bandwidth) / 1e9:.0f} GB/s at best, {bandwidth[-1] / 1e9:.0f} GB/s "
            f"for {kilobytes[-1] / 1024:g} MB: {drop:.1f} times",
            run.judge(drop > SLOWER),
            f"slower by more than {SLOWER:g} times",
        ),
    )


def _draw(figure: Figure, sizes: list[int], times: list[float], kilobytes: list[int], bandwidth: list[float]) -> None:
    left, middle, right = figure.subplots(1, 3)
    line = times[sizes.index(STEADY)] / STEADY
    left.plot(sizes, 1e3 * np.array(times), "o-", color="#1d8a5b", ms=4, label="O(n) articulated body")
    left.plot([0, sizes[-1]], [0.0, 1e3 * line * sizes[-1]], color=GREY, label=f"linear, from n = {STEADY}")
    clean(left, "bodies $n_b$ of Coil($n_b$)", "time [ms]", "Run time")
    left.legend(frameon=False, fontsize=8)
    middle.semilogx(sizes, 1e9 * np.array(times) / sizes, "o-", color="#1d8a5b", ms=4, base=2)
    middle.axhline(1e9 * line, color=GREY)
    middle.set_ylim(bottom=0.0)
    clean(middle, "bodies $n_b$", "time per body [ns]", "Run time per body")
    right.semilogx(kilobytes, np.array(bandwidth) / 1e9, "s-", color="#2f6db3", ms=4, base=2)
    right.set_ylim(bottom=0.0)
    clean(right, "memory touched [kB]", "bandwidth [GB/s]", "Copies (figure 3.8)")


FIGURE = PaperFigure("3.7", "very long chains and memory", measure)
