"""Shapes that stand around a robot as obstacles."""

from __future__ import annotations

import numpy as np

from tarsus.collision.fitting.facets import facets_of
from tarsus.collision.obstacle import Obstacle
from tarsus.errors import ArgumentError
from tarsus.geometry.convex_volume import ConvexVolume
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from tarsus.geometry.swept_sphere import SweptSphere


def obstacle_of(shape: Shape, name: str = "") -> Obstacle:
    """The obstacle that a shape in the world is.

    Boxes, spheres and capsules are exact; cylinders and ellipsoids are polyhedra around them, less than 1 % and 6 %
    thicker. A mesh is its convex hull.

    Parameters
    ----------
    shape : Shape
        A box, sphere, capsule, cylinder, ellipsoid or mesh; its pose is X_WO.
    name : str
        That of the shape by default.
    """
    called = name or shape.name
    match shape.geometry:
        case Sphere(radius):
            return Obstacle(called, SweptSphere([[0.0, 0.0, 0.0]], radius), shape.pose)
        case Capsule(radius, length):
            ends = [[0.0, 0.0, -length / 2.0], [0.0, 0.0, length / 2.0]]
            return Obstacle(called, SweptSphere(ends, radius), shape.pose)
        case Box() | Cylinder() | Ellipsoid() | Mesh():
            corners = facets_of([Shape(shape.geometry)], f"obstacle {called!r}").corners
            return Obstacle(called, ConvexVolume(np.unique(corners.reshape(-1, 3), axis=0)), shape.pose)
        case _:
            raise ArgumentError(
                f"obstacle {called!r} is a {type(shape.geometry).__name__}; expected a Box, Sphere, Capsule, Cylinder, "
                "Ellipsoid or Mesh"
            )
