"""How much room a robot takes in a configuration, from its primitive shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.model.model import Model
from tarsus.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Sphere


class Extent(NamedTuple):
    """Axis-aligned box in the world.

    Attributes
    ----------
    of : str
        What is inside: "shapes" (visuals or collisions, whichever are primitives only) or "frames" (the origins of
        all frames) where there are meshes or nothing.
    low, high : ndarray, shape (3,)
        [m].
    """

    of: str
    low: FloatArray
    high: FloatArray


def extent(model: Model, q: npt.ArrayLike) -> Extent:
    """Bounding box of a robot at q (nq,) without looking into meshes; planes are left out."""
    import tarsus

    X_WB = tarsus.body_poses(model, q)
    for shapes in ("visuals", "collisions"):
        if any(isinstance(s.geometry, Mesh) for body in model.bodies.values() for s in getattr(body, shapes)):
            continue
        boxes = [
            (X[:3, 3], half)
            for X_B, body in zip(X_WB, model.bodies.values(), strict=True)
            for shape in getattr(body, shapes)
            for X in [X_B @ shape.pose]
            if (half := _half_extents(shape.geometry, X[:3, :3])) is not None
        ]
        if boxes:
            centers, halves = (np.array(x) for x in zip(*boxes, strict=True))
            return Extent("shapes", (centers - halves).min(axis=0), (centers + halves).max(axis=0))
    origins = tarsus.frame_poses(model, q, list(model.frames))[:, :3, 3]
    return Extent("frames", origins.min(axis=0), origins.max(axis=0))


def _half_extents(geometry: Geometry, R: FloatArray) -> FloatArray | None:
    """Half edge lengths of the box around a shape with rotation R, shape (3,)."""
    match geometry:
        case Box(size):
            half = np.abs(R) @ np.array(size) / 2.0
        case Sphere(radius):
            half = np.full(3, radius)
        case Cylinder(radius, length):
            half = np.abs(R[:, 2]) * length / 2.0 + radius * np.sqrt(np.maximum(1.0 - R[:, 2] ** 2, 0.0))
        case Capsule(radius, length):
            half = np.abs(R[:, 2]) * length / 2.0 + radius
        case Ellipsoid(radii):
            half = np.sqrt(R**2 @ np.square(radii))
        case _:
            return None
    return np.asarray(half, dtype=float)
