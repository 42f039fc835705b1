"""Something that stands in the way of a walk, or moves across it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.enclose import enclose
from tarsus.collision.fitting.facets import Facets, facets_of
from tarsus.collision.fitting.hull_volume import hull_volume
from tarsus.collision.obstacle import Obstacle
from tarsus.collision.shape_obstacle import obstacle_of
from tarsus.contact import Block, Compliant
from tarsus.contact.ground import Surface
from tarsus.contact.laws import ContactLaw
from tarsus.contact.triangle_mesh import TriangleMesh
from tarsus.errors import ArgumentError
from tarsus.geometry.bounding_box import box_around
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.shapes import Box, Shape

VOLUMES = 4
"""Swept spheres around an obstruction, at most."""
GAIN = 0.05
"""Part of the volume that each further one must save."""


@dataclass(frozen=True, eq=False)
class Obstruction:
    """A shape in the world, which may move at a constant velocity.

    Attributes
    ----------
    shape : Shape
        With a name; its pose is X_WO at the start of the walk.
    velocity : array_like, shape (3,)
        World axes [m/s].
    """

    shape: Shape
    velocity: npt.ArrayLike = field(default=(0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        if not isinstance(self.shape, Shape) or not self.shape.name:
            raise ArgumentError(f"shape of Obstruction is {self.shape!r}; expected a Shape with a name")
        speed = np.array(self.velocity, dtype=float)
        if speed.shape != (3,) or not np.isfinite(speed).all():
            raise ArgumentError(
                f"velocity of obstruction {self.name!r} is {self.velocity!r}; expected three finite numbers [m/s]"
            )
        if not np.isfinite(self.shape.pose).all():
            raise ArgumentError(f"pose of obstruction {self.name!r} has entries that are not finite")
        object.__setattr__(self, "velocity", speed)
        _ = self.obstacle  # refuses shapes without an inside

    @property
    def name(self) -> str:
        """That of the shape."""
        return self.shape.name

    @property
    def moving(self) -> bool:
        """Whether it does not stay where it is."""
        return bool(np.any(self.velocity))

    @cached_property
    def obstacle(self) -> Obstacle:
        """What it really looks like."""
        return obstacle_of(self.shape)

    @cached_property
    def _facets(self) -> Facets:
        return facets_of([Shape(self.shape.geometry)], f"obstruction {self.name!r}")

    @cached_property
    def volumes(self) -> Obstacle:
        """The same within a few swept spheres, as those of the experiments of Buschmann 2014, 5.4.3.

        Distances to them cost a tenth of those to solids; what is below the ground does no harm.
        """
        facets = self._facets
        found = enclose(facets, hull_volume(facets), VOLUMES, GAIN, 0)
        return Obstacle(self.name, found, self.shape.pose)

    def pose(self, t: float) -> FloatArray:
        """X_WO at a time [s], shape (4, 4)."""
        X = np.array(self.shape.pose)
        X[:3, 3] += t * np.asarray(self.velocity)
        return X

    def poses(self, times: FloatArray) -> FloatArray:
        """X_WO at times (n,) [s], shape (n, 4, 4)."""
        X = np.tile(self.shape.pose, (len(times), 1, 1))
        X[:, :3, 3] += times[:, None] * np.asarray(self.velocity)
        return X

    def box(self, window: tuple[float, float] = (0.0, 0.0)) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest coordinates (3,) of the box around it while it moves between two times [m]."""
        facets = self._facets
        at = facets.corners.reshape(-1, 3) @ self.shape.pose[:3, :3].T + self.shape.pose[:3, 3]
        radius = float(facets.radius.max())
        low, high = box_around(at)
        way = np.outer(window, np.asarray(self.velocity))
        return low - radius + way.min(axis=0), high + radius + way.max(axis=0)

    def surface(self, law: ContactLaw | None = None) -> Surface:
        """A part of the ground that can be bumped into, where it is at the start."""
        law = law or Compliant()
        if isinstance(self.shape.geometry, Box):
            return Block(self.shape.geometry.size, self.shape.pose, law, name=self.name)
        facets = self._facets
        at = facets.corners.reshape(-1, 3) @ self.shape.pose[:3, :3].T + self.shape.pose[:3, 3]
        hull = convex_hull(np.unique(at, axis=0))
        return TriangleMesh(hull.vertices, hull.faces, law, name=self.name)
