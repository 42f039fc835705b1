"""Ground surfaces as triangles: what the robot stands on, as far as it can be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError
from tarsus.geometry.shapes import Plane, Shape
from tarsus.geometry.surface import Surface, smooth_surface, surface_of
from tarsus.viewer.clipping import above_ground
from tarsus.viewer.parts import IndexedMesh, indexed

_HALF_WIDTH = 5.0
"""Half extent of the part of an unbounded plane that is drawn [m]."""

Color = tuple[float, float, float, float]
"""Red, green, blue, opacity between 0 and 1."""
_UNPAINTED = Shape(Plane()).color


class Painted(NamedTuple):
    """A surface with the colour of its shape, None for that of the ground."""

    surface: Surface
    color: Color | None = None


class Terrain(NamedTuple):
    """What is drawn of a ground.

    Attributes
    ----------
    meshes : tuple of IndexedMesh
        Surfaces in the world; with a grid, only what is above it.
    grid : bool
        Whether the plane z = 0 belongs to the ground: it is drawn as a grid.
    colors : tuple of (tuple of 4 floats or None)
        Of the meshes; None for that of the ground, which shapes have that are not painted.
    """

    meshes: tuple[IndexedMesh, ...] = ()
    grid: bool = True
    colors: tuple[Color | None, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether there is nothing but the grid."""
        return self.grid and not self.meshes


def terrain_of(ground: Any) -> Terrain:
    """What is drawn of a ground in the world.

    Parameters
    ----------
    ground : object, optional
        None or the number 0 for the plane z = 0; a number for a plane at that height [m]; a `Shape` placed in the
        world, an array of triangles (n, 3, 3) [m], an object whose attribute `visuals` holds such, or a sequence of
        these. An unbounded `Plane` shape that lies at z = 0 is the grid.
    """
    found = _surfaces(ground)
    surfaces = [surface for surface in found if surface is not None]
    grid = len(surfaces) < len(found)
    if grid:
        cut = [Painted(above_ground(one.surface), one.color) for one in surfaces]
        surfaces = [one for one in cut if len(one.surface.corners)]
    return Terrain(tuple(indexed(one.surface) for one in surfaces), grid, tuple(one.color for one in surfaces))


def _surfaces(ground: Any) -> list[Painted | None]:
    """Surfaces of a ground; None is the plane z = 0."""
    if ground is None:
        return [None]
    if isinstance(ground, int | float | np.integer | np.floating) and not isinstance(ground, bool):
        if not np.isfinite(ground):
            raise NonFiniteError(f"ground = {ground} found, expected a finite height")
        X_WG = np.eye(4)
        X_WG[2, 3] = float(ground)
        return _surfaces(Shape(Plane(), X_WG))
    if isinstance(ground, Shape):
        if isinstance(ground.geometry, Plane):
            return [None if _is_grid(ground) else Painted(_plane(ground).placed(ground.pose))]
        surface = surface_of(ground.geometry)
        color = None if ground.color == _UNPAINTED else ground.color
        return [] if surface is None else [Painted(surface.placed(ground.pose), color)]
    if isinstance(ground, np.ndarray):
        return [Painted(_triangles(ground))]
    if hasattr(ground, "visuals"):
        visuals = ground.visuals() if callable(ground.visuals) else ground.visuals
        return _surfaces(list(visuals) if not isinstance(visuals, np.ndarray | Shape) else visuals)
    if isinstance(ground, Iterable) and not isinstance(ground, str | bytes):
        return [surface for part in ground for surface in _surfaces(part)]
    raise DtypeError(
        f"ground of type {type(ground).__name__} cannot be drawn; expected a height, shapes, triangles (n, 3, 3) or an "
        "object with the attribute `visuals`"
    )


def _is_grid(shape: Shape) -> bool:
    assert isinstance(shape.geometry, Plane)
    level = np.allclose(shape.pose[2], [0.0, 0.0, 1.0, 0.0], atol=1e-9)
    return level and shape.geometry.size == (0.0, 0.0)


def _plane(shape: Shape) -> Surface:
    assert isinstance(shape.geometry, Plane)
    x, y = (half or _HALF_WIDTH for half in shape.geometry.size)
    vertices = np.array([(-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0)])
    return smooth_surface(vertices, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.intp))


def _triangles(array: FloatArray) -> Surface:
    corners = np.asarray(array, dtype=float)
    if corners.ndim != 3 or corners.shape[1:] != (3, 3) or not np.isfinite(corners).all():
        raise ArgumentError(f"ground triangles have shape {corners.shape}, expected finite numbers (n, 3, 3)")
    vertices, inverse = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return smooth_surface(vertices, inverse.reshape(-1, 3))
