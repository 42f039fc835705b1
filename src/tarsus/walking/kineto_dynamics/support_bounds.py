"""Where the centre of pressure may be, and a pressure led back there: sat() of Buschmann 2014 (5.97)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.geometry.support_polygon import support_polygon


@dataclass(frozen=True, eq=False)
class SupportBounds:
    """A convex polygon seen from above, as half planes n_i p <= d_i.

    Attributes
    ----------
    corners : ndarray, shape (k, 2)
        Counter-clockwise [m].
    normals : ndarray, shape (k, 2)
        Unit vectors that point out.
    distances : ndarray, shape (k,)
        [m].
    """

    corners: FloatArray
    normals: FloatArray
    distances: FloatArray

    @classmethod
    def of(cls, points: npt.ArrayLike) -> Self:
        """The hull of contact points, shape (n, 2) or (n, 3)."""
        given = np.asarray(points, dtype=float)
        flat = np.column_stack([given[:, :2], np.zeros(len(given))])
        corners = support_polygon(flat, np.tile([0.0, 0.0, 1.0], (len(flat), 1)))[:, :2]
        if len(corners) < 3:
            raise ArgumentError(f"points of SupportBounds are {given.tolist()}; expected a polygon with an area")
        edges = np.roll(corners, -1, axis=0) - corners
        normals = np.column_stack([edges[:, 1], -edges[:, 0]]) / np.linalg.norm(edges, axis=1, keepdims=True)
        return cls(corners, normals, np.einsum("ki,ki->k", normals, corners))

    def beyond(self, p: FloatArray) -> float:
        """How far a point is outside, negative inside, shape (2,) [m]."""
        return float((self.normals @ p - self.distances).max())

    def nearest(self, p: FloatArray) -> FloatArray:
        """The nearest point inside, shape (2,)."""
        if self.beyond(p) <= 0.0:
            return p
        ways = np.roll(self.corners, -1, axis=0) - self.corners
        share = np.clip(np.einsum("ki,ki->k", p - self.corners, ways) / np.einsum("ki,ki->k", ways, ways), 0.0, 1.0)
        feet = self.corners + share[:, None] * ways
        found: FloatArray = feet[np.argmin(np.sum((feet - p) ** 2, axis=1))]
        return found

    def saturated(self, p: FloatArray, change: FloatArray) -> tuple[FloatArray, bool]:
        """P + change, or as much of the change as stays inside; and whether less of anything was taken."""
        wanted = p + change
        if float((self.normals @ wanted - self.distances).max()) <= 0.0:
            return wanted, False
        start = self.nearest(p)
        rate, room = self.normals @ change, self.distances - self.normals @ start
        ahead = rate > 0.0
        share = float(np.clip((room[ahead] / rate[ahead]).min(initial=1.0), 0.0, 1.0))
        return start + share * change, True
