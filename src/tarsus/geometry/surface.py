"""Triangles of shapes: what a picture is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.errors import TarsusError
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.painting import coat_of, colors_of, finely_cut
from tarsus.geometry.row_keys import row_keys
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from tarsus.geometry.triangles import Triangles

SIDES = 32
"""Segments of a full circle."""
MESH_FACES = 20_000
"""Meshes with more faces are simplified to about this many."""
CREASE = np.cos(np.radians(35.0))
"""Edges sharper than this stay sharp."""


class MeshError(TarsusError, ValueError):
    """A mesh file cannot be drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles with a normal at every corner.

    Attributes
    ----------
    corners : ndarray, shape (n, 3, 3)
        Triangle, corner, coordinate [m].
    normals : ndarray, shape (n, 3, 3)
        Unit normals at the corners.
    colors : ndarray, shape (n, 3), or None
        Red, green, blue of each triangle between 0 and 1, NaN where it has the colour of the shape.
    """

    corners: FloatArray
    normals: FloatArray
    colors: FloatArray | None = None

    def placed(self, X_AB: FloatArray) -> Surface:
        """Surface given in B expressed in A, where B has the pose X_AB (4, 4)."""
        R = X_AB[:3, :3]
        # Not by "@": BLAS would start threads for so small a product, which costs ten times as much.
        corners, normals = (np.einsum("nkj,ij->nki", x, R) for x in (self.corners, self.normals))
        return Surface(corners + X_AB[:3, 3], normals, self.colors)

    def colors_over(self, color: Sequence[float]) -> FloatArray:
        """Red, green, blue (n, 3) of the triangles of a shape of this colour."""
        plain = np.broadcast_to(np.asarray(color[:3], dtype=float), (len(self.corners), 3))
        return plain if self.colors is None else np.where(np.isnan(self.colors), plain, self.colors)


def surface_of(geometry: Geometry) -> Surface | None:
    """Surface of a geometry in its own frame; None for what has none to draw: planes and meshes without a file.

    Raises
    ------
    MeshError
        If a mesh file cannot be read, or none of its triangles has an area beside the extent of the mesh.
    """
    match geometry:
        case Box(size=size):
            return _box(np.asarray(size))
        case Sphere(radius=radius):
            return _revolved(*_capsule_profile(radius, 0.0))
        case Ellipsoid(radii=radii):
            return _stretched(_revolved(*_capsule_profile(1.0, 0.0)), np.asarray(radii))
        case Capsule(radius=radius, length=length):
            return _revolved(*_capsule_profile(radius, length))
        case Cylinder(radius=radius, length=length):
            return _revolved(*_cylinder_profile(radius, length))
        case Mesh(path=path, scale=scale, content=content) if path is not None or content is not None:
            mesh = _drawn(geometry)
            vertices, faces, kept = simplified(mesh.vertices * np.asarray(scale), mesh.faces)
            if len(faces) == 0:
                raise MeshError(
                    f"{path or geometry.uri}: none of its {len(mesh.faces)} triangles has an area [mesh-empty]"
                )
            coat = coat_of(geometry, mesh)
            if coat is None:
                return smooth_surface(vertices, faces)
            vertices, faces, coat = finely_cut(vertices, faces, coat.of(kept), MESH_FACES)
            return replace(smooth_surface(vertices, faces), colors=colors_of(coat))
        case _:
            return None


def _drawn(mesh: Mesh) -> Triangles:
    """Triangles of a mesh; those of its convex hull for a cloud of points."""
    found = triangles_of(mesh)
    if isinstance(found, Triangles):
        return found if len(found.faces) else convex_hull(found.vertices)
    raise MeshError(f"{mesh.path}: " + "; ".join(f"{problem.message} [{problem.rule}]" for problem in found))


def smooth_surface(vertices: FloatArray, faces: IndexArray) -> Surface:
    """Surface of a mesh, shaded smoothly except across creases.

    Parameters
    ----------
    vertices : ndarray, shape (n, 3)
    faces : ndarray of int, shape (m, 3)
    """
    corners = vertices[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = _unit(area)[:, None, :]
    sums = np.zeros_like(vertices)
    for k in range(3):
        sums[:, k] = np.bincount(faces.ravel(), np.repeat(area[:, k], 3), minlength=len(vertices))
    smooth = _unit(sums)[faces]
    sharp = np.sum(smooth * flat, axis=-1, keepdims=True) < CREASE
    return Surface(corners, np.where(sharp, flat, smooth))


class Simplified(NamedTuple):
    """A mesh with fewer triangles.

    Attributes
    ----------
    vertices : ndarray, shape (k, 3)
    faces : ndarray of int, shape (l, 3)
    kept : ndarray of int, shape (l,)
        Triangles of the mesh before, of which these are left.
    """

    vertices: FloatArray
    faces: IndexArray
    kept: IndexArray


def simplified(vertices: FloatArray, faces: IndexArray, limit: int = MESH_FACES) -> Simplified:
    """Merge equal vertices and, above `limit` faces, cluster vertices in cubes that grow until it is kept.

    Parameters
    ----------
    vertices : ndarray, shape (n, 3)
    faces : ndarray of int, shape (m, 3)
    limit : int
    """
    extent = float(np.ptp(vertices, axis=0).max())
    if extent == 0.0:
        return Simplified(vertices, faces[:0], np.zeros(0, dtype=np.intp))
    merged = _clustered(vertices, faces, 1e-6 * extent)
    cell = extent / 250.0
    result = merged
    while len(result.faces) > limit:
        result = _clustered(merged.vertices, merged.faces, cell)
        result = result._replace(kept=merged.kept[result.kept])
        cell *= 1.2
    return result


def _clustered(vertices: FloatArray, faces: IndexArray, cell: float) -> Simplified:
    """Replace the vertices of each cube of a grid by their mean; drop faces that collapse or coincide."""
    grid = np.rint((vertices - vertices.min(axis=0)) / cell).astype(np.int64)
    span = grid.max(axis=0) + 1
    _, label = np.unique((grid[:, 0] * span[1] + grid[:, 1]) * span[2] + grid[:, 2], return_inverse=True)
    label = label.reshape(-1)
    count = np.bincount(label)
    means = np.stack([np.bincount(label, vertices[:, k]) / count for k in range(3)], axis=-1)
    moved = label[faces]
    solid = (moved[:, 0] != moved[:, 1]) & (moved[:, 1] != moved[:, 2]) & (moved[:, 2] != moved[:, 0])
    kept = np.flatnonzero(solid)
    _, first = np.unique(row_keys(np.sort(moved[kept], axis=1)), return_index=True)
    kept = kept[np.sort(first)]
    return Simplified(means, moved[kept], kept)


def _box(size: FloatArray) -> Surface:
    signs = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    corners, normals = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            points = np.empty((6, 3))
            points[:, [(axis + 1) % 3, (axis + 2) % 3]] = signs
            points[:, axis] = side
            normal = np.zeros((6, 3))
            normal[:, axis] = side
            corners.append(points if side > 0.0 else points[::-1])
            normals.append(normal)
    return Surface(np.concatenate(corners).reshape(-1, 3, 3) * (size / 2.0), np.concatenate(normals).reshape(-1, 3, 3))


def _capsule_profile(radius: float, length: float) -> tuple[FloatArray, FloatArray]:
    """Half outline (r, z) from pole to pole and its normals."""
    angle = np.linspace(-np.pi / 2.0, np.pi / 2.0, SIDES // 2 + 1)
    angle = np.concatenate([angle[: SIDES // 4 + 1], angle[SIDES // 4 :]])
    normals = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    middle = np.where(np.arange(len(angle)) <= SIDES // 4, -length / 2.0, length / 2.0)
    return radius * normals + np.stack([np.zeros_like(middle), middle], axis=-1), normals


def _cylinder_profile(radius: float, length: float) -> tuple[FloatArray, FloatArray]:
    r, z = radius, length / 2.0
    points = np.array([(0.0, -z), (r, -z), (r, -z), (r, z), (r, z), (0.0, z)])
    normals = np.array([(0.0, -1.0), (0.0, -1.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0)])
    return points, normals


def cone(low: float, high: float, length: float) -> Surface:
    """Closed cone about z from 0 to `length` with a radius at either end [m]; a rod where they are equal."""
    slope = np.array([length, low - high]) / np.hypot(length, low - high)
    points = np.array([(0.0, 0.0), (low, 0.0), (low, 0.0), (high, length), (high, length), (0.0, length)])
    normals = np.array([(0.0, -1.0), (0.0, -1.0), slope, slope, (0.0, 1.0), (0.0, 1.0)])
    return _revolved(points, normals)


def _revolved(profile: FloatArray, normals: FloatArray) -> Surface:
    """Turn a half outline (n, 2) of (r, z) about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]

    def turned(rz: FloatArray) -> FloatArray:
        return np.stack([c * rz[:, 0], s * rz[:, 0], np.broadcast_to(rz[:, 1], (SIDES + 1, len(rz)))], axis=-1)

    def triangles(grid: FloatArray) -> FloatArray:
        a, b, d, e = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
        return np.concatenate([np.stack([a, b, d], axis=-2), np.stack([a, d, e], axis=-2)]).reshape(-1, 3, 3)

    corners = triangles(turned(profile))
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1)
    solid = area > 1e-9 * area.max()
    return Surface(corners[solid], triangles(turned(normals))[solid])


def _stretched(surface: Surface, factors: FloatArray) -> Surface:
    return Surface(surface.corners * factors, _unit(surface.normals / factors))


def _unit(x: FloatArray) -> FloatArray:
    norm = np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    unit: FloatArray = np.divide(x, norm, out=np.zeros_like(x), where=norm > 0.0)
    return unit
