"""From models and poses to coloured triangles in the world."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ModelWarning
from tarsus.geometry.bounding_box import box_around
from tarsus.geometry.shapes import Capsule, Geometry, Shape, Sphere
from tarsus.geometry.surface import MeshError, Surface, surface_of
from tarsus.model.model import Model
from tarsus.spatial.pose import pose

BONE_COLOR = (0.55, 0.62, 0.70, 1.0)


class Scene(NamedTuple):
    """Triangles to draw.

    Attributes
    ----------
    points : ndarray, shape (n, 3)
        In the world [m].
    normals : ndarray, shape (n, 3)
        Unit normals at the points, world axes.
    faces : ndarray of int32, shape (m, 3)
        Points at the corners of the triangles.
    colors : ndarray, shape (m, 4)
        Red, green, blue, opacity between 0 and 1.
    shape : ndarray of int32, shape (m,)
        Number of the shape a triangle belongs to; triangles of one shape follow each other.
    """

    points: FloatArray
    normals: FloatArray
    faces: npt.NDArray[np.int32]
    colors: FloatArray
    shape: npt.NDArray[np.int32]

    @property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest coordinates (3,) [m]."""
        return box_around(self.points)

    @property
    def extent(self) -> float:
        """Longest edge of the bounding box; 1 where everything is one point [m]."""
        low, high = self.box
        return float((high - low).max()) or 1.0


def build_scene(model: Model, X_WB: FloatArray) -> Scene:
    """Visuals of a model in one or more poses; a skeleton where it has none.

    Parameters
    ----------
    X_WB : ndarray, shape (poses, nb, 4, 4)
        Body poses.
    """
    known: dict[Geometry, Surface | None] = {}
    parts = [
        (surface.placed(X), shape.color)
        for i, body in enumerate(model.bodies.values())
        for shape in body.visuals
        if shape.color[3] > 0.0  # files hide shapes by an opacity of 0
        if (surface := _surface(shape.geometry, known)) is not None
        for X in X_WB[:, i] @ shape.pose
    ]
    if not parts:
        parts = list(_skeleton(model, X_WB))
    return scene_of(parts)


def scene_of(parts: Sequence[tuple[Surface, Sequence[float]]]) -> Scene:
    """Surfaces in the world, each with the colour of its shape, and its opacity where it is not 1."""
    sizes = [len(surface.corners) for surface, _ in parts]
    return Scene(
        np.concatenate([surface.corners for surface, _ in parts]).reshape(-1, 3),
        np.concatenate([surface.normals for surface, _ in parts]).reshape(-1, 3),
        np.arange(3 * sum(sizes), dtype=np.int32).reshape(-1, 3),
        np.concatenate([_with_opacity(surface.colors_over(color), (*color, 1.0)[3]) for surface, color in parts]),
        np.repeat(np.arange(len(parts), dtype=np.int32), sizes),
    )


def _with_opacity(colors: FloatArray, opacity: float) -> FloatArray:
    """Colours (m, 3) of triangles, and the opacity of their shape."""
    return np.column_stack([colors, np.full(len(colors), opacity)])


def _surface(geometry: Geometry, known: dict[Geometry, Surface | None]) -> Surface | None:
    """Surface of a geometry, made once; unreadable meshes are left out with a warning."""
    if geometry not in known:
        try:
            known[geometry] = surface_of(geometry)
        except MeshError as error:
            warnings.warn(f"not drawn: {error}", ModelWarning, stacklevel=4)
            known[geometry] = None
    return known[geometry]


def _skeleton(model: Model, X_WB: FloatArray) -> Iterable[tuple[Surface, tuple[float, float, float, float]]]:
    """Balls at the bodies' origins and bones to their parents, for models without visuals."""
    origins = X_WB[..., :3, 3]
    extent = float(np.ptp(origins.reshape(-1, 3), axis=0).max()) or 1.0
    radius = 0.02 * extent
    index = {name: i for i, name in enumerate(model.bodies)}
    for p_WB in origins:
        for i, body in enumerate(model.bodies.values()):
            shapes = [Shape(Sphere(1.4 * radius), pose(p_WB[i]))]
            if body.parent is not None:
                bone = p_WB[i] - p_WB[index[body.parent]]
                length = float(np.linalg.norm(bone))
                if length > 0.0:
                    shapes.append(Shape(Capsule(radius, length), along(bone / length, p_WB[i] - bone / 2.0)))
            for shape in shapes:
                surface = surface_of(shape.geometry)
                assert surface is not None
                yield surface.placed(shape.pose), BONE_COLOR


def along(z: FloatArray, middle: FloatArray) -> FloatArray:
    """Pose at `middle` with the z axis along the unit vector `z`."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return pose(middle, np.column_stack([x, np.cross(z, x), z]))
