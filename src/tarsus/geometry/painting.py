"""Colours of the triangles of a mesh: materials and pictures become one colour a triangle.

Triangles that a picture varies on are cut into smaller ones, so that every renderer shows it, whether it knows textures
or not.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.errors import ModelWarning
from tarsus.geometry.meshes.mtl import read_libraries
from tarsus.geometry.meshes.pictures import Picture, find_picture, read_picture
from tarsus.geometry.paint import Material, Paint
from tarsus.geometry.row_keys import row_keys
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.triangles import Triangles

_FINEST = 1.0 / 96.0
"""Triangles that span less than this part of a picture are not cut."""
_ROUNDS = 8


class Coat(NamedTuple):
    """Colours that a mesh is to have.

    Attributes
    ----------
    color : ndarray, shape (m, 3)
        Red, green, blue of each triangle, NaN where nothing is said.
    uv : ndarray, shape (m, 3, 2), or None
        Texture coordinates of the corners.
    picture : ndarray of int, shape (m,)
        Picture of each triangle, -1 where it has none.
    pictures : tuple of Picture
    """

    color: FloatArray
    uv: FloatArray | None
    picture: IndexArray
    pictures: tuple[Picture, ...]

    def of(self, kept: IndexArray) -> Coat:
        """Coat of some of the triangles."""
        return Coat(self.color[kept], None if self.uv is None else self.uv[kept], self.picture[kept], self.pictures)


def coat_of(mesh: Mesh, triangles: Triangles) -> Coat | None:
    """Colours of the triangles of a mesh: of its texture, else of its file; None where there are none."""
    paint, count = triangles.paint, len(triangles.faces)
    if mesh.texture is not None:
        picture = _picture(mesh.texture, mesh.uri)
        if picture is None or paint is None or paint.uv is None:
            return None
        return Coat(np.full((count, 3), np.nan), paint.uv, np.zeros(count, dtype=np.intp), (picture,))
    if paint is None or not mesh.own_colors:
        return None
    return _from_materials(mesh, paint)


def _from_materials(mesh: Mesh, paint: Paint) -> Coat | None:
    library = read_libraries(mesh.path, paint.libraries) if mesh.path is not None and paint.libraries else {}
    materials = [library.get(m, Material()) if isinstance(m, str) else m for m in paint.materials]
    if all(material == Material() for material in materials):
        return None
    colors = np.full((len(materials) + 1, 3), np.nan)
    numbers = np.full(len(materials) + 1, -1, dtype=np.intp)
    pictures: list[Picture] = []
    for k, material in enumerate(materials):
        if material.color is not None:
            colors[k] = material.color[:3]
        found = None if material.picture is None or paint.uv is None else _beside(mesh, material.picture)
        if found is not None:
            numbers[k] = len(pictures)
            pictures.append(found)
    return Coat(colors[paint.material], paint.uv, numbers[paint.material], tuple(pictures))


def _beside(mesh: Mesh, picture: str | bytes) -> Picture | None:
    if isinstance(picture, bytes):
        return _picture(picture, mesh.uri)
    path = None if mesh.path is None else find_picture(mesh.path, picture)
    if path is None:
        warnings.warn(f"picture {picture[:100]!r} of {mesh.uri!r} not found", ModelWarning, stacklevel=2)
        return None
    return _picture(path, mesh.uri)


def _picture(source: str | bytes, uri: str) -> Picture | None:
    found = read_picture(source)
    if isinstance(found, str):
        warnings.warn(f"the picture of {uri!r} is left out: {found}", ModelWarning, stacklevel=2)
        return None
    return found


def finely_cut(vertices: FloatArray, faces: IndexArray, coat: Coat, limit: int) -> tuple[FloatArray, IndexArray, Coat]:
    """Cut triangles with pictures in four until each spans a small part of its picture, or there are `limit`."""
    for _ in range(_ROUNDS):
        if coat.uv is None or not coat.pictures:
            break
        span = np.ptp(coat.uv, axis=1).max(axis=1) * (coat.picture >= 0)
        budget = (limit - len(faces)) // 3
        chosen = np.flatnonzero(span > _FINEST)
        if len(chosen) > budget:
            chosen = chosen[np.argsort(-span[chosen], kind="stable")[: max(budget, 0)]]
        if len(chosen) == 0:
            break
        vertices, faces, coat = _quartered(vertices, faces, coat, np.sort(chosen))
    return vertices, faces, coat


def _quartered(
    vertices: FloatArray, faces: IndexArray, coat: Coat, chosen: IndexArray
) -> tuple[FloatArray, IndexArray, Coat]:
    assert coat.uv is not None
    rest = np.setdiff1d(np.arange(len(faces)), chosen, assume_unique=True)
    a, b, c = faces[chosen].T
    edges = np.sort(np.stack([faces[chosen][:, pair] for pair in ([0, 1], [1, 2], [2, 0])]).reshape(-1, 2), axis=1)
    _, first, label = np.unique(row_keys(edges), return_index=True, return_inverse=True)
    ab, bc, ca = np.reshape(label, (3, -1)) + len(vertices)
    small = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    ua, ub, uc = np.moveaxis(coat.uv[chosen], 1, 0)
    uab, ubc, uca = 0.5 * (ua + ub), 0.5 * (ub + uc), 0.5 * (uc + ua)
    wraps = [np.stack(t, axis=1) for t in ((ua, uab, uca), (uab, ub, ubc), (uca, ubc, uc), (uab, ubc, uca))]
    cut = coat.of(np.concatenate([rest, *[chosen] * 4]))
    uv = np.concatenate([coat.uv[rest], *wraps])
    points = np.concatenate([vertices, vertices[edges[first]].mean(axis=1)])
    return points, np.concatenate([faces[rest], small]), cut._replace(uv=uv)


def colors_of(coat: Coat) -> FloatArray:
    """Red, green, blue (m, 3) of triangles: their material times their picture at the centre; NaN where not known."""
    colors = coat.color.copy()
    for k, picture in enumerate(coat.pictures):
        own = coat.picture == k
        if coat.uv is None or not own.any():
            continue
        u, v = np.moveaxis(coat.uv[own].mean(axis=1) % 1.0, -1, 0)
        height, width = picture.shape[:2]
        rows = np.minimum(((1.0 - v) * height).astype(np.intp), height - 1)
        columns = np.minimum((u * width).astype(np.intp), width - 1)
        seen = picture[rows, columns] / 255.0
        colors[own] = np.where(np.isnan(colors[own]), seen, colors[own] * seen)
    return colors
