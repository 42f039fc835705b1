"""Cutting facets in two: along a plane, or between shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.collision.fitting.facets import Facets


@dataclass(frozen=True, slots=True, eq=False)
class PlaneCut:
    """A plane n x = d; what is below goes to the first part.

    The two parts cover the facets together: triangles are cut where they cross the plane, and keep their radius on both
    sides.
    """

    normal: FloatArray
    offset: float

    def apply(self, facets: Facets) -> tuple[Facets, Facets]:
        """The parts below and above."""
        height = facets.corners @ self.normal - self.offset
        return _below(facets, height), _below(facets, -height)


@dataclass(frozen=True, slots=True, eq=False)
class ShapeCut:
    """Some shapes go to the first part, the others to the second."""

    first: IndexArray

    def apply(self, facets: Facets) -> tuple[Facets, Facets]:
        """The parts with the shapes named and with the others."""
        chosen = np.isin(facets.shape, self.first)
        return facets.chosen(chosen), facets.chosen(~chosen)


Cut = PlaneCut | ShapeCut


def _below(facets: Facets, height: FloatArray) -> Facets:
    """Parts of the triangles where the height (m, 3) of their corners is at most zero."""
    low = height <= 0.0
    count = low.sum(axis=1)
    whole = facets.chosen(count == 3)
    # One corner below: a smaller triangle. Two below: a quadrilateral, cut in two.
    one, two = np.flatnonzero(count == 1), np.flatnonzero(count == 2)
    c1, h1 = _turned(facets.corners[one], height[one], np.argmax(low[one], axis=1))
    small = np.stack([c1[:, 0], _crossing(c1, h1, 0, 1), _crossing(c1, h1, 0, 2)], axis=1)
    c2, h2 = _turned(facets.corners[two], height[two], np.argmin(low[two], axis=1))
    p, q = _crossing(c2, h2, 1, 0), _crossing(c2, h2, 2, 0)
    parts = [whole.corners, small, np.stack([p, c2[:, 1], c2[:, 2]], axis=1), np.stack([p, c2[:, 2], q], axis=1)]
    from_ = np.concatenate([np.flatnonzero(count == 3), one, two, two])
    return Facets(np.concatenate(parts), facets.radius[from_], facets.shape[from_])


def _turned(corners: FloatArray, height: FloatArray, first: IndexArray) -> tuple[FloatArray, FloatArray]:
    """Triangles and their heights with their corners turned so that number `first` comes first."""
    order = (first[:, None] + np.arange(3)) % 3
    rows = np.arange(len(corners))[:, None]
    return corners[rows, order], height[rows, order]


def _crossing(corners: FloatArray, height: FloatArray, low: int, high: int) -> FloatArray:
    """Where the edge from corner `low` to corner `high` meets the plane, shape (m, 3)."""
    a, b = height[:, low], height[:, high]
    share = (a / np.where(a == b, 1.0, a - b))[:, None]
    return np.asarray(corners[:, low] + share * (corners[:, high] - corners[:, low]))
