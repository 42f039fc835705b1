"""Visuals of a model as indexed meshes on its bodies, for renderers that move bodies themselves."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import tarsus
from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ModelWarning
from tarsus.geometry.row_keys import row_keys
from tarsus.geometry.shapes import Capsule, Geometry, Mesh, Shape, Sphere
from tarsus.geometry.surface import MESH_FACES, MeshError, Surface, simplified, smooth_surface, surface_of
from tarsus.model.model import Model
from tarsus.viewer.drawing.scene import BONE_COLOR, along
from tarsus.viewer.palette import by_color

Float32Array = npt.NDArray[np.float32]
Uint32Array = npt.NDArray[np.uint32]

LARGEST = 1e12
"""Largest extent of what is shown: single precision holds no more than 1e38, and squares of lengths are taken [m]."""
_SAME_CORNER = 1e-6
"""Corners closer than this part of the extent, with equal normals, are one vertex."""


class IndexedMesh(NamedTuple):
    """Triangles that share vertices where position and normal agree.

    Attributes
    ----------
    vertices : ndarray of float32, shape (n, 3)
        [m].
    normals : ndarray of float32, shape (n, 3)
    faces : ndarray of uint32, shape (m, 3)
    """

    vertices: Float32Array
    normals: Float32Array
    faces: Uint32Array


class Part(NamedTuple):
    """A coloured mesh on a body.

    Attributes
    ----------
    body : int
        Index of the body in the model.
    mesh : IndexedMesh
        Surface in the frame of the body.
    color : tuple of 4 floats
        Red, green, blue, opacity between 0 and 1.
    """

    body: int
    mesh: IndexedMesh
    color: tuple[float, float, float, float]


def parts_of(model: Model, *, mesh_faces: int = MESH_FACES) -> list[Part]:
    """Visual shapes of a model; a skeleton where it has none.

    Unreadable meshes are left out with a warning.

    Parameters
    ----------
    mesh_faces : int
        Meshes with more faces are simplified to about this many.
    """
    known: dict[Geometry, Surface | None] = {}
    parts = []
    for index, body in enumerate(model.bodies.values()):
        for shape in body.visuals:
            if shape.color[3] <= 0.0:  # files hide shapes so
                continue
            if shape.geometry not in known:
                known[shape.geometry] = _surface(shape.geometry, mesh_faces)
            surface = known[shape.geometry]
            if surface is not None:
                placed = surface.placed(shape.pose)
                parts += [Part(index, indexed(piece), color) for piece, color in by_color(placed, shape.color)]
    return parts or _skeleton(model)


def bounds(X_WB: FloatArray, parts: Sequence[Part]) -> tuple[FloatArray, FloatArray]:
    """Corners of the box around the parts on bodies with the poses X_WB (nb, 4, 4) [m]."""
    points = np.concatenate([p.mesh.vertices @ X_WB[p.body, :3, :3].T + X_WB[p.body, :3, 3] for p in parts])
    return points.min(axis=0), points.max(axis=0)


def indexed(surface: Surface) -> IndexedMesh:
    """Merge the corners of a surface that agree in position and normal."""
    corners, normals = surface.corners.reshape(-1, 3), surface.normals.reshape(-1, 3)
    if len(corners) == 0:
        return IndexedMesh(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))
    if not np.abs(corners).max() < LARGEST:
        raise ArgumentError(f"a shape is {np.abs(corners).max():.3g} m large, expected less than {LARGEST:g} m")
    grain = _SAME_CORNER * max(float(np.ptp(corners, axis=0).max()), 1e-12)
    keys = np.concatenate([np.rint(corners / grain), np.rint(normals * 1e3)], axis=1).astype(np.int64)
    _, first, inverse = np.unique(row_keys(keys), return_index=True, return_inverse=True)
    faces = inverse.reshape(-1, 3)
    solid = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return IndexedMesh(
        corners[first].astype(np.float32), normals[first].astype(np.float32), faces[solid].astype(np.uint32)
    )


def _surface(geometry: Geometry, mesh_faces: int) -> Surface | None:
    try:
        surface = surface_of(geometry)
    except MeshError as error:
        warnings.warn(f"not drawn: {error}", ModelWarning, stacklevel=4)
        return None
    if surface is None or not isinstance(geometry, Mesh) or len(surface.corners) <= mesh_faces:
        return surface
    corners = surface.corners.reshape(-1, 3)
    vertices, faces, kept = simplified(corners, np.arange(len(corners)).reshape(-1, 3), mesh_faces)
    colors = None if surface.colors is None else surface.colors[kept]
    return replace(smooth_surface(vertices, faces), colors=colors)


def _skeleton(model: Model) -> list[Part]:
    """Balls at the bodies' origins and bones to those of their children as they stand in the reference pose."""
    X_WB = np.asarray(tarsus.body_poses(model, model.reference))
    extent = float(np.ptp(X_WB[:, :3, 3], axis=0).max()) or 1.0
    radius = 0.02 * extent
    index = {name: i for i, name in enumerate(model.bodies)}
    shapes: list[tuple[int, Shape]] = []
    for i, body in enumerate(model.bodies.values()):
        shapes.append((i, Shape(Sphere(1.4 * radius))))
        if body.parent is None:
            continue
        parent = index[body.parent]
        X_WP = X_WB[parent]
        bone: FloatArray = X_WP[:3, :3].T @ (X_WB[i, :3, 3] - X_WP[:3, 3])
        length = float(np.linalg.norm(bone))
        if length > 0.0:
            shapes.append((parent, Shape(Capsule(radius, length), along(bone / length, bone / 2.0))))
    parts = []
    for i, shape in shapes:
        surface = surface_of(shape.geometry)
        assert surface is not None
        parts.append(Part(i, indexed(surface.placed(shape.pose)), BONE_COLOR))
    return parts
