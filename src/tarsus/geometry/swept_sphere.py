"""Swept-sphere volumes: what a sphere covers that moves along a point, a segment or a triangle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError

Sweep = Literal["point", "line", "triangle"]
"""Generating primitives of Buschmann 2014, figure 5.4: PSS, LSS and TSS."""

KINDS: tuple[Sweep, ...] = ("point", "line", "triangle")
"""By their number of vertices, from one."""


@dataclass(frozen=True, slots=True, eq=False)
class SweptSphere:
    """All points within `radius` of a point, a segment or a triangle (Buschmann 2014, 5.2.2).

    Attributes
    ----------
    vertices : ndarray, shape (1, 3), (2, 3) or (3, 3)
        Of the generating primitive, in the frame that the volume is attached to [m]. They may coincide.
    radius : float
        At least zero [m].
    """

    vertices: FloatArray
    radius: float

    def __init__(self, vertices: npt.ArrayLike, radius: float) -> None:
        try:
            points, radius = np.array(vertices, dtype=float, ndmin=2), float(radius)
        except (TypeError, ValueError):
            raise DtypeError(f"SweptSphere({vertices!r}, {radius!r}): expected real numbers") from None
        if points.ndim != 2 or points.shape[0] not in (1, 2, 3) or points.shape[1] != 3:
            raise ArgumentError(f"vertices: expected shape (1, 3), (2, 3) or (3, 3), found {np.shape(vertices)}")
        if not np.isfinite(points).all():
            raise ArgumentError(f"vertices: expected finite numbers, found {points.tolist()}")
        if not (np.isfinite(radius) and radius >= 0):
            raise ArgumentError(f"radius: expected a finite number of at least 0, found {radius!r}")
        points.setflags(write=False)
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "radius", float(radius))

    @property
    def kind(self) -> Sweep:
        """What the sphere is swept along."""
        return KINDS[len(self.vertices) - 1]

    @property
    def volume(self) -> float:
        """What it covers [m^3].

        Steiner's formula for a flat convex set of area A and perimeter P: 4/3 pi r^3 + pi/2 P r^2 + 2 A r. A segment
        is a triangle of no area and twice its length as perimeter.
        """
        a, b, c = self.vertices[[0, min(1, len(self.vertices) - 1), len(self.vertices) - 1]]
        perimeter = sum(float(np.linalg.norm(side)) for side in (b - a, c - b, a - c))
        area = float(np.linalg.norm(np.cross(b - a, c - a))) / 2
        r = self.radius
        return 4 / 3 * np.pi * r**3 + np.pi / 2 * perimeter * r**2 + 2 * area * r

    def transformed(self, pose: npt.ArrayLike) -> SweptSphere:
        """The volume in frame A, where `pose` = X_AB and its vertices are given in B.

        Parameters
        ----------
        pose : array_like, shape (4, 4)
        """
        X = np.asarray(pose, dtype=float)
        return SweptSphere(self.vertices @ X[:3, :3].T + X[:3, 3], self.radius)
