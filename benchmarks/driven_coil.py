"""Coil(n) with a geared drive for each joint against the plain chain Coil(2n), which has as many bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table, micro, ratio
from benchmarks.coil import BATCH
from benchmarks.growth import slope
from benchmarks.section import Section, as_list
from benchmarks.target import Target
from benchmarks.timing import Effort, Statement, race
from tarsus.model.model import Model

SIZES = (8, 16, 32, 64, 128, 256, 512)
SMALLEST_FITTED = 32
"""Below, the call itself is a noticeable part of the time."""


@dataclass(frozen=True)
class DrivenPoint:
    """Times per state [s] of forward dynamics: one state, and a batch of `BATCH`."""

    n: int
    driven: float
    plain: float
    driven_batch: float
    plain_batch: float

    @property
    def ratio(self) -> float:
        """Driven / plain for one state."""
        return self.driven / self.plain

    @property
    def ratio_batch(self) -> float:
        """Driven / plain in a batch."""
        return self.driven_batch / self.plain_batch


def measure_driven_coil(effort: Effort, sizes: Sequence[int] = SIZES) -> Iterator[DrivenPoint]:
    """Both chains alternate; velocities are small, so that the fast end of a long chain does not overflow."""
    for n in sizes:
        pair = ts.robots.coil(n, drives=True), ts.robots.coil(2 * n)
        one = race([_statement(model, 1) for model in pair], effort)
        many = race([_statement(model, BATCH) for model in pair], effort)
        yield DrivenPoint(n, *one, *many)


def driven_slope(points: Sequence[DrivenPoint]) -> float | None:
    """Exponent of the growth of the time for one state; None where too few sizes were measured."""
    found = slope([point.n for point in points], [point.driven for point in points], SMALLEST_FITTED)
    return None if np.isnan(found) else found


def _statement(model: Model, count: int) -> Statement:
    q, v, tau = np.random.default_rng(0).uniform(-1.0, 1.0, (3, count, model.nv))
    v /= model.nv
    arrays = {"q": q, "v": v, "tau": tau, "r": np.empty((count, model.nv))}
    if count == 1:
        arrays = {name: array[0] for name, array in arrays.items()}
    return Statement("f(m, q, v, tau, out=r)", {"f": ts.forward_dynamics, "m": model} | arrays, count)


SLOPE_NOISE = 0.1
"""How far the slope of a time that grows linearly may be from 1, by noise and by caches."""


def driven_table(points: Sequence[DrivenPoint]) -> Table:
    """Coil(n) with drives beside Coil(2n)."""
    exponent = driven_slope(points)
    grows = "" if exponent is None else f"; time grows as n^{exponent:.2f}"
    table = empty_table(
        f"forward dynamics of Coil(n) with drives against Coil(2n){grows}",
        ("n", "driven, us", "plain, us", "ratio", f"driven, {BATCH} states, us", "plain, us", "ratio"),
    )
    for point in points:
        single = micro(point.driven), micro(point.plain), ratio(point.ratio)
        batch = micro(point.driven_batch), micro(point.plain_batch), ratio(point.ratio_batch)
        table.add_row(str(point.n), *single, *batch)
    return table


def judge_driven(points: Sequence[DrivenPoint]) -> list[Target]:
    """Drives cost no more than as many bodies of a chain."""
    single = max((point.ratio for point in points), default=None)
    batch = max((point.ratio_batch for point in points), default=None)
    name = "Coil(n) with drives"
    return [
        Target(f"{name} / Coil(2n), one state, largest ratio", None, 1.15, single),
        Target(f"{name} / Coil(2n), {BATCH} states, largest ratio", None, 1.15, batch),
        Target(
            f"{name}: slope of time against n from {SMALLEST_FITTED}",
            1.0 - SLOPE_NOISE,
            1.0 + SLOPE_NOISE,
            driven_slope(points),
        ),
    ]


def _saved(points: Sequence[DrivenPoint]) -> dict[str, Any]:
    return {"batch": BATCH, "slope": driven_slope(points), "points": as_list(points)}


SECTION = Section(
    "driven_coil",
    lambda options: measure_driven_coil(options.effort),
    lambda points: [driven_table(points)],
    judge_driven,
    _saved,
)
