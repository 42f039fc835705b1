"""MSH files: the binary meshes of MuJoCo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.geometry.meshes.problem import DefectiveMesh, bad_indices, not_finite, refuse
from tarsus.geometry.paint import Paint
from tarsus.geometry.triangles import Triangles

_HEADER = 16
_GMSH = b"$MeshFormat"


class MshContent(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    vertices : ndarray, shape (n, 3)
    texture : ndarray, shape (n, 2), or None
        Texture coordinates of the vertices, from the upper left corner of the picture.
    faces : ndarray of int, shape (m, 3)
    """

    vertices: FloatArray
    texture: FloatArray | None
    faces: IndexArray


def parse_msh(data: bytes) -> Triangles:
    """Triangles of a file; a file with vertices only is a cloud of points.

    Raises
    ------
    DefectiveMesh
    """
    vertices, texture, faces = read_msh(data)
    if texture is None:
        return Triangles(vertices, faces)
    wrapped = np.stack([texture[:, 0], 1.0 - texture[:, 1]], axis=-1)
    return Triangles(vertices, faces, paint=Paint(np.full(len(faces), -1, dtype=np.intp), uv=wrapped[faces]))


def read_msh(data: bytes) -> MshContent:
    """Contents of a file: four counts, then vertices, normals, texture coordinates, faces, each of 4 bytes."""
    if data.startswith(_GMSH):
        raise DefectiveMesh.because("mesh-format", "this is a file of Gmsh, not a mesh of MuJoCo")
    if len(data) < _HEADER:
        raise DefectiveMesh.because("mesh-header", f"{len(data)} bytes are too short for an MSH file")
    counts = np.frombuffer(data, "<i4", 4)
    sizes = counts.astype(np.int64) * (3, 3, 2, 3)
    if (counts < 0).any() or _HEADER + 4 * int(sizes.sum()) != len(data):
        named = "{} vertices, {} normals, {} texture coordinates and {} faces".format(*counts.tolist())
        raise DefectiveMesh.because("mesh-header", f"the header promises {named}, which {len(data)} bytes do not hold")
    ends = np.cumsum(sizes)
    numbers = np.frombuffer(data, "<f4", int(ends[2]), _HEADER)
    vertices = numbers[: ends[0]].astype(np.float64).reshape(-1, 3)
    faces = np.frombuffer(data, "<i4", int(sizes[3]), _HEADER + 4 * int(ends[2])).astype(np.intp)
    if len(vertices) < 4:
        raise DefectiveMesh.because("mesh-empty", f"there are {len(vertices)} vertices")
    refuse(not_finite(vertices) + bad_indices(faces, 0, len(vertices) - 1))
    texture = numbers[ends[1] :].astype(np.float64).reshape(-1, 2)
    whole = len(texture) == len(vertices) and bool(np.isfinite(texture).all())
    return MshContent(vertices, texture if whole else None, faces.reshape(-1, 3))
