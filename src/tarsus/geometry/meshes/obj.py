"""OBJ files: vertices, faces, texture coordinates and names of materials; normals and smoothing are passed over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np

from tarsus.arrays import FloatArray, IndexArray, IntArray
from tarsus.geometry.meshes.numbers import integers, numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, MeshProblem, bad_indices, not_finite, refuse
from tarsus.geometry.paint import Paint
from tarsus.geometry.triangles import Triangles, cut

_LINE = re.compile(rb"^[ \t]*(vt?|[fog]|usemtl|mtllib)(?:[ \t]+([^\r\n#]*))?(?=[\r\n#]|\Z)", re.MULTILINE)
_TEXTURE_AND_NORMAL = re.compile(rb"/\S*")
_VERTEX = re.compile(rb"[^\s/]+/?([^\s/]*)\S*")

_FEWEST_POINTS = 4
"""Points that a body needs."""
_MAX_LIBRARIES = 16


@dataclass
class _Lines:
    """Texts of the lines of a file by what they are.

    Attributes
    ----------
    vertices, textures, faces : list of bytes
    before : list of int
        Vertices read before each face.
    textures_before : list of int
        Texture coordinates read before each face.
    material : list of int
        Material of each face, -1 where it has none.
    first : int
        Faces before the second object; 0 where there is none.
    """

    vertices: list[bytes] = field(default_factory=list)
    textures: list[bytes] = field(default_factory=list)
    faces: list[bytes] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    textures_before: list[int] = field(default_factory=list)
    material: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    libraries: list[str] = field(default_factory=list)
    first: int = 0
    parts: list[tuple[str, int]] = field(default_factory=list)
    """Names of objects and groups, and the number of faces before each."""


def parse_obj(data: bytes) -> Triangles:
    """Triangles of a file; a file with vertices only is a cloud of points and has no triangles.

    Quadrilaterals are cut along their shorter diagonals, other polygons into fans.

    Raises
    ------
    DefectiveMesh
    """
    lines = _lines(data)
    vertices, faces = lines.vertices, lines.faces
    empty = DefectiveMesh.because("mesh-empty", f"there are {len(vertices)} vertices and {len(faces)} faces")
    if not vertices or (not faces and len(vertices) < _FEWEST_POINTS):
        raise empty
    try:
        points = _coordinates(vertices)
        corners = [_TEXTURE_AND_NORMAL.sub(b"", face).split() for face in faces]
        sizes = np.array([len(face) for face in corners], dtype=np.intp)
        indices = integers([index for face in corners for index in face])
    except (ValueError, OverflowError) as error:
        if not faces:
            raise empty from None
        raise DefectiveMesh.because("mesh-syntax", f"not numbers: {error}") from None
    seen = np.repeat(np.array(lines.before, dtype=np.int64), sizes)
    refuse(not_finite(points) + _bad_references(indices, seen, len(points)))
    # One-based, or counted backwards from the last vertex before the face.
    corner = np.where(indices > 0, indices - 1, seen + indices)
    places = cut(points, corner, sizes)
    count = np.maximum(sizes - 2, 0)
    several = int(count[: lines.first].sum()) if 0 < lines.first < len(faces) else None
    paint = _paint(lines, sizes, count, places)
    return Triangles(points, corner[places].astype(np.intp), several, paint, _parts(lines, count))


def _parts(lines: _Lines, count: IntArray) -> tuple[tuple[str, int], ...]:
    """Names of objects and groups with their numbers of triangles; `count` (n,) are those of the faces."""
    if not lines.parts:
        return ()
    before = np.concatenate([[0], np.cumsum(count)])
    named = [("", 0), *lines.parts, ("", len(lines.faces))]
    found = [(a[0], int(before[b[1]] - before[a[1]])) for a, b in pairwise(named)]
    return tuple(part for part in found if part[1] > 0)


def _lines(data: bytes) -> _Lines:
    lines = _Lines()
    material = -1
    for key, text in _LINE.findall(data):
        if key == b"v":
            lines.vertices.append(text)
        elif key == b"vt":
            lines.textures.append(text)
        elif key == b"f":
            lines.faces.append(text)
            lines.before.append(len(lines.vertices))
            lines.textures_before.append(len(lines.textures))
            lines.material.append(material)
        elif key == b"usemtl":
            material = lines.names.setdefault(text.decode("utf-8", "replace").strip(), len(lines.names))
        elif key == b"mtllib":
            lines.libraries.append(text.decode("utf-8", "replace").strip())
        else:
            lines.first = lines.first or len(lines.faces)
            lines.parts.append((text.decode("utf-8", "replace").strip()[:200], len(lines.faces)))
    return lines


def _coordinates(lines: list[bytes]) -> FloatArray:
    """Vertices (n, 3); colours behind the coordinates are passed over."""
    rows = [line.split()[:3] for line in lines]
    if any(len(row) < 3 for row in rows):
        raise ValueError("a vertex does not have three coordinates")
    return numbers(chain.from_iterable(rows), 3 * len(rows)).reshape(-1, 3)


def _bad_references(indices: IntArray, seen: IntArray, total: int) -> list[MeshProblem]:
    """Problem of indices (n,) of which `seen` (n,) vertices stand before the face."""
    if len(indices) == 0 or indices.min() >= 0:
        return bad_indices(indices, 1, total)
    wrong = ~(((indices >= 1) & (indices <= total)) | ((indices <= -1) & (indices >= -seen)))
    if not wrong.any():
        return []
    k = int(np.argmax(wrong))
    return [MeshProblem("mesh-index", f"index {indices[k]} with {seen[k]} vertices before it")]


def _paint(lines: _Lines, sizes: IntArray, count: IntArray, places: IndexArray) -> Paint | None:
    """Materials and texture coordinates of triangles whose corners are at `places` among those of all faces."""
    if not lines.names and not lines.textures:
        return None
    uv = _texture_coordinates(lines, sizes)
    return Paint(
        np.repeat(np.array(lines.material, dtype=np.intp), count),
        tuple(lines.names),
        None if uv is None else uv[places],
        tuple(lines.libraries[:_MAX_LIBRARIES]),
    )


def _texture_coordinates(lines: _Lines, sizes: IntArray) -> FloatArray | None:
    """Texture coordinates (n, 2) of the corners of all faces; None where they are missing or make no sense."""
    if not lines.textures:
        return None
    try:
        rows = [line.split()[:2] for line in lines.textures]
        table = numbers(chain.from_iterable(rows), 2 * len(rows)).reshape(-1, 2)
        indices = integers([word or b"0" for face in lines.faces for word in _VERTEX.findall(face)])
    except (ValueError, OverflowError):
        return None
    seen = np.repeat(np.array(lines.textures_before, dtype=np.int64), sizes)
    chosen = np.where(indices > 0, indices - 1, seen + indices)
    if len(chosen) != len(seen) or not np.isfinite(table).all():
        return None
    known = (indices != 0) & (chosen >= 0) & (chosen < len(table))
    return np.where(known[:, None], table[np.where(known, chosen, 0)], 0.0)
