"""Reading mesh files that nobody vouches for: every format is checked while it is read, and read once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace

from tarsus.errors import ModelFileError
from tarsus.geometry.bounding_box import box_around
from tarsus.geometry.meshes.beside import FilesBeside
from tarsus.geometry.meshes.collada import parse_collada
from tarsus.geometry.meshes.gltf import parse_gltf
from tarsus.geometry.meshes.msh import parse_msh
from tarsus.geometry.meshes.obj import parse_obj
from tarsus.geometry.meshes.ply import parse_ply
from tarsus.geometry.meshes.problem import DefectiveMesh, MeshProblem
from tarsus.geometry.meshes.recent import RecentMeshes, identity
from tarsus.geometry.meshes.stl import parse_stl
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.triangles import Triangles, part_of

MAX_MESH_SIZE = 256 * 2**20
"""Largest mesh file that is looked into by default [bytes]."""
MEMORY = 128 * 2**20
"""Most memory in which meshes are kept for a second use [bytes]."""

_PARSERS: dict[str, Callable[[bytes], Triangles]] = {
    ".stl": parse_stl,
    ".obj": parse_obj,
    ".ply": parse_ply,
    ".dae": parse_collada,
    ".msh": parse_msh,
}
FORMATS = frozenset(_PARSERS) | {".gltf", ".glb"}
"""Suffixes of files that can be read."""
_RECENT = RecentMeshes(MEMORY)
_TOLD = 10
"""Parts of a file that are named where the one that is wanted is not among them."""


def read_mesh(path: str | os.PathLike[str], *, max_size: int = MAX_MESH_SIZE) -> Triangles | list[MeshProblem]:
    """Triangles of an STL (binary or text), OBJ, PLY, COLLADA, glTF or MSH file, or what is wrong with it.

    Quadrilaterals are cut along their shorter diagonals, faces with more corners into fans of triangles. An
    OBJ or MSH file may hold vertices only, a cloud of points that stands for its convex hull; there are no triangles
    then.

    Parameters
    ----------
    path : path-like
        The suffix tells the format.
    max_size : int
        Larger files are refused [bytes].

    Returns
    -------
    found : Triangles or list of (rule, message)
        The arrays are read-only. Rules are "mesh-unreadable", "mesh-size", "mesh-format", "mesh-empty", "mesh-header",
        "mesh-syntax", "mesh-nan", "mesh-index", and those of `parse_untrusted` for COLLADA.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            return [MeshProblem("mesh-unreadable", "not a regular file")]
        if status.st_size == 0:
            return [MeshProblem("mesh-empty", "the file is empty")]
        if status.st_size > max_size:
            return [_too_large(status.st_size, max_size)]
        if suffix not in FORMATS:
            return [MeshProblem("mesh-format", "only STL, OBJ, PLY, COLLADA, glTF and MSH files can be read")]
        known = _RECENT.get(identity(status, suffix))
        if known is not None:
            return known
        with open(name, "rb") as stream:
            status = os.fstat(stream.fileno())
            data = stream.read(min(max_size, status.st_size) + 1)  # what is asked for is taken from memory at once
    except (OSError, ValueError) as error:
        return [MeshProblem("mesh-unreadable", f"cannot be read: {error}")]
    if len(data) > max_size:
        return [_too_large(len(data), max_size)]
    beside = FilesBeside(name, max_size - len(data))
    found = _parsed(data, suffix, beside)
    if not beside.used:  # a file beside it may change without its own time telling
        _RECENT.put(status, suffix, found)
    return found


def check_mesh(
    path: str | os.PathLike[str], *, max_size: int = MAX_MESH_SIZE, cloud: bool = False
) -> list[MeshProblem]:
    """Look for defects of a mesh file by reading it; see `read_mesh`.

    A file without triangles counts as empty, as one that was cut off often is, unless a `cloud` of points is welcome.

    Returns
    -------
    problems : list of (rule, message)
        Empty for a sound file.
    """
    found = read_mesh(path, max_size=max_size)
    if isinstance(found, Triangles):
        if len(found.faces) or cloud:
            return []
        return [MeshProblem("mesh-empty", f"there are {len(found.vertices)} vertices and 0 faces")]
    return found


def triangles_of(mesh: Mesh) -> Triangles | list[MeshProblem]:
    """Triangles of a mesh as they came with it or as its file has them, or why there are none."""
    if mesh.content is not None:
        return mesh.content
    if mesh.path is None:
        return [MeshProblem("mesh-missing", "the file was not found")]
    found = read_mesh(mesh.path)
    if mesh.part is None or not isinstance(found, Triangles):
        return found
    part = part_of(found, mesh.part)
    if part is None:
        names = ", ".join(repr(name[:60]) for name in dict.fromkeys(name for name, _ in found.parts[:_TOLD]))
        return [MeshProblem("mesh-part", f"there is no part {mesh.part[:60]!r}; parts: {names or 'none with a name'}")]
    if mesh.centered:
        low, high = box_around(part.vertices)
        part = replace(part, vertices=part.vertices - (low + high) / 2.0)
    return part


def _parsed(data: bytes, suffix: str, beside: FilesBeside) -> Triangles | list[MeshProblem]:
    try:
        found = _PARSERS[suffix](data) if suffix in _PARSERS else parse_gltf(data, beside.read)
    except DefectiveMesh as error:
        return error.problems
    except ModelFileError as error:
        return [MeshProblem(problem.rule, problem.message) for problem in error.problems]
    except ValueError as error:
        return [MeshProblem("mesh-unreadable", f"cannot be read: {error}")]
    found.vertices.flags.writeable = False
    found.faces.flags.writeable = False
    return found


def _too_large(size: int, max_size: int) -> MeshProblem:
    return MeshProblem("mesh-size", f"{size} bytes are more than the limit of {max_size}")
