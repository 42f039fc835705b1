"""OBJ files: their vertices and faces; materials, normals, textures and groups are passed over."""

from __future__ import annotations

import re
from itertools import chain

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.geometry.meshes.numbers import integers, numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, MeshProblem, bad_indices, not_finite, refuse
from tarsus.geometry.triangles import Triangles, fans, split_quads

_LINE = re.compile(rb"^[ \t]*([vfog])(?:[ \t]+([^\r\n#]*))?(?=[\r\n#]|\Z)", re.MULTILINE)
_TEXTURE_AND_NORMAL = re.compile(rb"/\S*")

_FEWEST_POINTS = 4
"""Points that a body needs."""


def parse_obj(data: bytes) -> Triangles:
    """Triangles of a file; a file with vertices only is a cloud of points and has no triangles.

    Quadrilaterals are cut along their shorter diagonals, other polygons into fans.

    Raises
    ------
    DefectiveMesh
    """
    vertices: list[bytes] = []
    faces: list[bytes] = []
    before: list[int] = []  # vertices read before each face
    first = 0  # faces before the second object
    for key, text in _LINE.findall(data):
        if key == b"v":
            vertices.append(text)
        elif key == b"f":
            faces.append(text)
            before.append(len(vertices))
        else:
            first = first or len(faces)
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
    seen = np.repeat(np.array(before, dtype=np.int64), sizes)
    refuse(not_finite(points) + _bad_references(indices, seen, len(points)))
    # One-based, or counted backwards from the last vertex before the face.
    corner = split_quads(points, np.where(indices > 0, indices - 1, seen + indices), sizes)
    several = int(np.maximum(sizes[:first] - 2, 0).sum()) if 0 < first < len(faces) else None
    return Triangles(points, fans(corner, sizes), several)


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
