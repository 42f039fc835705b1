"""Coil(n) with a geared drive for each joint against the plain chain Coil(2n), which has as many bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import tarsus as ts
from benchmarks.coil import BATCH
from benchmarks.growth import slope
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
