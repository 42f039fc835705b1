"""How much room a robot takes in a configuration, from its primitive shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.geometry.bounding_box import half_extents
from tarsus.geometry.shapes import Mesh
from tarsus.model.model import Model


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
            if (half := half_extents(shape.geometry, X[:3, :3])) is not None
        ]
        if boxes:
            centers, halves = (np.array(x) for x in zip(*boxes, strict=True))
            return Extent("shapes", (centers - halves).min(axis=0), (centers + halves).max(axis=0))
    origins = tarsus.frame_poses(model, q, list(model.frames))[:, :3, 3]
    return Extent("frames", origins.min(axis=0), origins.max(axis=0))
