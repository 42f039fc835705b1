"""Primitives placed by their centre or their end points: the vocabulary in which the robots are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Shape, Sphere
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

Color = tuple[float, float, float, float]
Point = Sequence[float]

WHITE: Color = (0.93, 0.94, 0.95, 1.0)
SILVER: Color = (0.75, 0.78, 0.81, 1.0)
GRAPHITE: Color = (0.27, 0.29, 0.33, 1.0)
BLACK: Color = (0.12, 0.13, 0.15, 1.0)
BLUE: Color = (0.22, 0.40, 0.66, 1.0)
CYAN: Color = (0.28, 0.66, 0.78, 1.0)
ORANGE: Color = (0.93, 0.55, 0.20, 1.0)
RED: Color = (0.78, 0.27, 0.24, 1.0)
GREEN: Color = (0.42, 0.66, 0.33, 1.0)
SAND: Color = (0.86, 0.78, 0.65, 1.0)


class LinkShapes(TypedDict):
    """Keywords of `ModelBuilder.add_link`."""

    visuals: tuple[Shape, ...]
    collisions: tuple[Shape, ...]


def both(shapes: Iterable[Shape]) -> LinkShapes:
    """Use the same shapes for pictures and for collision."""
    kept = tuple(shapes)
    return {"visuals": kept, "collisions": kept}


def box(size: tuple[float, float, float], center: Point, color: Color) -> Shape:
    """Box with edges along the axes of the link [m]."""
    return Shape(Box(size), pose(center), color)


def sphere(radius: float, center: Point, color: Color) -> Shape:
    """Sphere [m]."""
    return Shape(Sphere(radius), pose(center), color)


def ellipsoid(radii: tuple[float, float, float], center: Point, color: Color) -> Shape:
    """Ellipsoid with semi-axes along the axes of the link [m]."""
    return Shape(Ellipsoid(radii), pose(center), color)


def capsule(radius: float, start: Point, end: Point, color: Color) -> Shape:
    """Capsule between the centres of its two half-spheres [m]."""
    X_LG, length = _between(start, end)
    return Shape(Capsule(radius, length), X_LG, color)


def cylinder(radius: float, start: Point, end: Point, color: Color) -> Shape:
    """Cylinder between the centres of its two faces [m]."""
    X_LG, length = _between(start, end)
    return Shape(Cylinder(radius, length), X_LG, color)


def mirrored(shapes: Iterable[Shape]) -> tuple[Shape, ...]:
    """Reflect shapes at the x-z plane of their link; all primitives are symmetric enough for that."""
    return tuple(Shape(s.geometry, _mirrored_pose(s.pose), s.color, s.name) for s in shapes)


def moments(xx: float, yy: float, zz: float, xy: float = 0.0, xz: float = 0.0, yz: float = 0.0) -> FloatArray:
    """Inertia tensor (3, 3) from its six entries [kg m^2]."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def rod(mass: float, length: float, axis: int, com: npt.ArrayLike) -> Inertia:
    """Slender rod along coordinate axis number `axis`: m l^2 / 12 across, nothing along."""
    d = np.full(3, mass * length**2 / 12.0)
    d[axis] = 0.0
    return Inertia(mass, np.asarray(com, dtype=float), np.diag(d))


def _between(start: Point, end: Point) -> tuple[FloatArray, float]:
    """Pose of a frame half-way, z from `start` to `end`, and the distance."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    z = (b - a) / length
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return pose(0.5 * (a + b), np.column_stack([x, np.cross(z, x), z])), length


def _mirrored_pose(X_LG: FloatArray) -> FloatArray:
    """Reflect at x-z from the left and, to stay a rotation, at the x-z plane of the geometry from the right."""
    S = np.diag([1.0, -1.0, 1.0, 1.0])
    return S @ X_LG @ S
