"""Triangles of mesh files, in the form in which a model carries them along."""

from __future__ import annotations

import os

import numpy as np

from tarsus.geometry.meshes.collada import read_collada
from tarsus.geometry.meshes.problem import MeshProblem
from tarsus.geometry.meshes.triangles import Triangles, read_triangles
from tarsus.geometry.shapes import Mesh, MeshContent


def read_mesh(path: str | os.PathLike[str]) -> Triangles | list[MeshProblem]:
    """Triangles of an STL, OBJ or COLLADA file, or what is wrong with it."""
    read = read_collada if os.fspath(path).lower().endswith(".dae") else read_triangles
    return read(path)


def mesh_content(mesh: Mesh) -> MeshContent | list[MeshProblem]:
    """Triangles of a mesh, with vertices of equal bits merged, or why there are none."""
    if mesh.content is not None:
        return mesh.content
    if mesh.path is None:
        return [MeshProblem("mesh-missing", "the file was not found")]
    found = read_mesh(mesh.path)
    if not isinstance(found, Triangles):
        return found
    rows = np.ascontiguousarray(found.vertices).view(np.dtype((np.void, 3 * found.vertices.itemsize))).ravel()
    _, first, label = np.unique(rows, return_index=True, return_inverse=True)
    return MeshContent(found.vertices[first], label.reshape(-1)[found.faces].astype(np.intp))
