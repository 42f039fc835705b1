"""Cost of forward dynamics per body of the chain Coil(n), which outgrows one level of cache after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.memory import copy_bandwidth
from benchmarks.section import Options, Section, as_one
from benchmarks.target import Target
from benchmarks.timing import Effort, Statement, race

SIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096)
BATCH = 64
LARGE_COPY = 256 * 1024
"""Kilobytes, much more than the caches."""


@dataclass(frozen=True)
class CoilPoint:
    """Time per body [s] for one state, and per body and state in a batch of `BATCH`."""

    n: int
    single: float
    batch: float


@dataclass(frozen=True)
class Coil:
    """The curve, and how fast memory is copied [bytes/s]."""

    bandwidth: float
    batch: int
    points: list[CoilPoint]


def measure_coil(effort: Effort, sizes: tuple[int, ...] = SIZES) -> Iterator[CoilPoint]:
    """Points of the curve; velocities are small, so that the fast end of a long chain does not overflow."""
    rng = np.random.default_rng(0)
    for n in sizes:
        model = ts.robots.coil(n)
        q, v, tau = rng.uniform(-1.0, 1.0, (3, BATCH, n))
        v *= 1.0 / n
        names = {"f": ts.forward_dynamics, "m": model}
        one = Statement("f(m, q, v, tau, out=r)", names | {"q": q[0], "v": v[0], "tau": tau[0], "r": np.empty(n)}, n)
        all_ = Statement(
            "f(m, q, v, tau, out=r)", names | {"q": q, "v": v, "tau": tau, "r": np.empty((BATCH, n))}, BATCH * n
        )
        yield CoilPoint(n, race([one], effort)[0], race([all_], effort)[0])


def plot_coil(points: list[CoilPoint], bandwidth: float, path: Path) -> None:
    """Write the curve as a picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    n = [point.n for point in points]
    axes.plot(n, [1e9 * point.single for point in points], "o-", color="#1f6f8b", label="one state")
    axes.plot(n, [1e9 * point.batch for point in points], "s-", color="#d1603d", label=f"{BATCH} states, one thread")
    axes.set_xscale("log", base=2)
    axes.set_xticks(n, [str(k) for k in n])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("bodies n")
    axes.set_ylabel("time per body and state [ns]")
    axes.set_title(f"Forward dynamics of Coil(n); memory copies at {bandwidth / 1e9:.1f} GB/s", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)


def coil_table(points: Iterable[CoilPoint]) -> Table:
    """Forward dynamics of Coil(n)."""
    table = empty_table(
        "forward dynamics of Coil(n), time per body", ("n", "one state, ns", f"{BATCH} states, ns per state")
    )
    for point in points:
        table.add_row(str(point.n), f"{1e9 * point.single:.1f}", f"{1e9 * point.batch:.1f}")
    return table


def judge_coil(coil: Sequence[Coil]) -> list[Target]:
    """Time per body grows little from short to long chains."""
    growth = {point.n: point.single for found in coil for point in found.points}
    ends = growth[4096] / growth[32] if {32, 4096} <= growth.keys() else None
    return [Target("Coil(n), forward dynamics: time per body at n = 4096 / n = 32", None, 2.0, ends)]


def _measured(options: Options) -> Iterator[Coil]:
    yield Coil(copy_bandwidth(LARGE_COPY), BATCH, list(measure_coil(options.effort)))


def _tables(coil: Sequence[Coil]) -> list[Table | str]:
    return [
        coil_table(coil[0].points),
        f"memory copies at {coil[0].bandwidth / 1e9:.1f} GB/s, read and write counted",
    ]


SECTION = Section("coil", _measured, _tables, judge_coil, as_one)
