"""Ground surfaces as triangles: what the robot stands on, as far as it can be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tarsus.errors import ArgumentError, DtypeError, NonFiniteError
from tarsus.model.shapes import Plane, Shape
from tarsus.spatial.pose import FloatArray
from tarsus.viewer.parts import IndexedMesh, indexed
from tarsus.viewer.surface import Surface, smooth_surface, surface_of

_HALF_WIDTH = 5.0
"""Half extent of the part of an unbounded plane that is drawn [m]."""


def terrain_of(ground: Any) -> list[IndexedMesh]:
    """Meshes of a ground in the world.

    Parameters
    ----------
    ground : object, optional
        None or the number 0 for the plane z = 0, which is drawn as a grid and gives no mesh; a number for a plane at
        that height [m]; a `Shape` placed in the world, an array of triangles (n, 3, 3) [m], an object whose
        attribute `visuals` holds such, or a sequence of these.
    """
    if ground is None:
        return []
    if isinstance(ground, int | float | np.integer | np.floating) and not isinstance(ground, bool):
        if not np.isfinite(ground):
            raise NonFiniteError(f"ground = {ground} found, expected a finite height")
        if ground == 0:
            return []
        X_WG = np.eye(4)
        X_WG[2, 3] = float(ground)
        return terrain_of(Shape(Plane(), X_WG))
    if isinstance(ground, Shape):
        surface = _plane(ground) if isinstance(ground.geometry, Plane) else surface_of(ground.geometry)
        return [] if surface is None else [indexed(surface.placed(ground.pose))]
    if isinstance(ground, np.ndarray):
        return [indexed(_triangles(ground))]
    if hasattr(ground, "visuals"):
        visuals = ground.visuals() if callable(ground.visuals) else ground.visuals
        return terrain_of(list(visuals) if not isinstance(visuals, np.ndarray | Shape) else visuals)
    if isinstance(ground, Iterable) and not isinstance(ground, str | bytes):
        return [mesh for part in ground for mesh in terrain_of(part)]
    raise DtypeError(
        f"ground of type {type(ground).__name__} cannot be drawn; expected a height, shapes, triangles (n, 3, 3) or an "
        "object with the attribute `visuals`"
    )


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
