"""Checking mesh files before anything else trusts them: empty files, lying headers, NaN vertices, bad indices."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tarsus.errors import ModelFileError
from tarsus.geometry.meshes.collada_check import check_collada
from tarsus.geometry.meshes.ply import check_ply
from tarsus.geometry.meshes.problem import MeshProblem, bad_indices, not_finite

MAX_MESH_SIZE = 256 * 2**20
"""Largest mesh file that is looked into by default [bytes]."""

_STL_HEADER = 84
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", 9), ("attribute", "<u2")])
_STL_VERTEX = re.compile(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.IGNORECASE)
_OBJ_LINE = re.compile(rb"^[ \t]*([vf])[ \t]+([^\r\n#]*)", re.MULTILINE)


def check_mesh(path: str | os.PathLike[str], *, max_size: int = MAX_MESH_SIZE) -> list[MeshProblem]:
    """Look for defects of a mesh file without making a mesh of it.

    STL (binary and text), OBJ, PLY and COLLADA are looked into; of other formats only the size is judged.

    Parameters
    ----------
    path : path-like
    max_size : int
        Larger files are refused [bytes].

    Returns
    -------
    problems : list of (rule, message)
        Empty for a sound file. Rules are "mesh-unreadable", "mesh-size", "mesh-empty", "mesh-header", "mesh-syntax",
        "mesh-nan", "mesh-index", and those of `parse_xml` for COLLADA.
    """
    name = os.fspath(path)
    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            return [MeshProblem("mesh-unreadable", "not a regular file")]
        if status.st_size == 0:
            return [MeshProblem("mesh-empty", "the file is empty")]
        if status.st_size > max_size:
            message = f"{status.st_size} bytes are more than the limit of {max_size}"
            return [MeshProblem("mesh-size", message)]
        checker = _CHECKERS.get(os.path.splitext(name)[1].lower())
        return [] if checker is None else checker(np.fromfile(name, dtype=np.uint8))
    except ModelFileError as error:
        return [MeshProblem(problem.rule, problem.message) for problem in error.problems]
    except (OSError, ValueError) as error:
        return [MeshProblem("mesh-unreadable", f"cannot be read: {error}")]


def _check_stl(data: npt.NDArray[np.uint8]) -> list[MeshProblem]:
    """Binary if the triangle count fits the size, else text if it starts like text."""
    count = int(data[80:84].view("<u4")[0]) if len(data) >= _STL_HEADER else -1
    if count >= 0 and len(data) == _STL_HEADER + _STL_TRIANGLE.itemsize * count:
        return _check_binary_stl(data)
    head = data[:1024].tobytes().lower()
    if head.lstrip()[:5] == b"solid" and (b"facet" in head or b"endsolid" in head):
        return _check_text_stl(data.tobytes())
    if count < 0:
        return [MeshProblem("mesh-header", f"{len(data)} bytes are too short for an STL file")]
    held = (len(data) - _STL_HEADER) / _STL_TRIANGLE.itemsize
    return [MeshProblem("mesh-header", f"the header promises {count} triangles, the file holds {held:g}")]


def _check_binary_stl(data: npt.NDArray[np.uint8]) -> list[MeshProblem]:
    triangles = data[_STL_HEADER:].view(_STL_TRIANGLE)
    if len(triangles) == 0:
        return [MeshProblem("mesh-empty", "there are no triangles")]
    # A sum is finite unless a term is not (float32 terms cannot overflow a double), and needs no temporary.
    total = triangles["vertices"].sum(dtype=np.float64)
    return [] if np.isfinite(total) else not_finite(triangles["vertices"])


def _check_text_stl(data: bytes) -> list[MeshProblem]:
    vertices = _STL_VERTEX.findall(data)
    if not vertices:
        return [MeshProblem("mesh-empty", "there are no vertices")]
    if len(vertices) != 3 * len(re.findall(rb"\bendfacet\b", data, re.IGNORECASE)):
        return [MeshProblem("mesh-syntax", "the facets do not have three vertices each")]
    if b"endsolid" not in data[-4096:].lower():
        return [MeshProblem("mesh-header", "the file ends before 'endsolid'")]
    return not_finite(np.array(vertices).astype(float))


def _check_obj(data: npt.NDArray[np.uint8]) -> list[MeshProblem]:
    lines = _OBJ_LINE.findall(data.tobytes())
    vertices = [numbers for key, numbers in lines if key == b"v"]
    faces = [numbers for key, numbers in lines if key == b"f"]
    if not vertices or not faces:
        return [MeshProblem("mesh-empty", f"there are {len(vertices)} vertices and {len(faces)} faces")]
    try:
        coordinates = np.array([line.split()[:3] for line in vertices]).astype(float)
        indices = np.array(re.sub(rb"/\S*", b"", b" ".join(faces)).split()).astype(np.int64)
    except (ValueError, OverflowError) as error:
        return [MeshProblem("mesh-syntax", f"not numbers: {error}")]
    problems = not_finite(coordinates)
    if indices.min() < 0:
        return problems + _check_relative_indices(lines)
    return problems + bad_indices(indices, 1, len(vertices))


def _check_relative_indices(lines: list[tuple[bytes, bytes]]) -> list[MeshProblem]:
    """Negative indices of OBJ count backwards from the last vertex before the face."""
    seen, total = 0, sum(key == b"v" for key, _ in lines)
    for key, numbers in lines:
        if key == b"v":
            seen += 1
            continue
        for index in (int(corner.partition(b"/")[0]) for corner in numbers.split()):
            if not (1 <= index <= total or -seen <= index <= -1):
                return [MeshProblem("mesh-index", f"index {index} with {seen} vertices before it")]
    return []


_CHECKERS: dict[str, Callable[[npt.NDArray[np.uint8]], list[MeshProblem]]] = {
    ".stl": _check_stl,
    ".obj": _check_obj,
    ".ply": check_ply,
    ".dae": check_collada,
}
