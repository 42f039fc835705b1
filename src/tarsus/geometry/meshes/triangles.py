"""Triangles of mesh files, for the mass properties of what they enclose."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.geometry.meshes.problem import MeshProblem, not_finite
from tarsus.geometry.meshes.read import check_mesh

_STL_HEADER = 84
_STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])
_STL_VERTEX = re.compile(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.IGNORECASE)
_OBJ_LINE = re.compile(rb"^[ \t]*([vf])[ \t]+([^\r\n#]*)", re.MULTILINE)

_FEWEST_POINTS = 4
"""Points that a body needs."""


class Triangles(NamedTuple):
    """Vertices (n, 3) and the indices (m, 3) of the corners of each triangle."""

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.intp]


def read_triangles(path: str | os.PathLike[str]) -> Triangles | list[MeshProblem]:
    """Triangles of an STL or OBJ file, or what is wrong with it.

    Faces with more corners are cut into fans of triangles. An OBJ file may hold vertices only; there are no triangles
    then.
    """
    name = os.fspath(path)
    problems = mesh_problems(name)
    if problems:
        return problems
    reader = {".stl": _read_stl, ".obj": _read_obj}.get(os.path.splitext(name)[1].lower())
    if reader is None:
        return [MeshProblem("mesh-format", "only the triangles of STL and OBJ files can be read")]
    try:
        with open(name, "rb") as stream:
            triangles = reader(stream.read())
    except OSError as error:
        return [MeshProblem("mesh-unreadable", f"cannot be read: {error}")]
    faces = triangles.faces
    if len(faces) and (faces.min() < 0 or faces.max() >= len(triangles.vertices)):
        return [MeshProblem("mesh-index", "a triangle has a corner that does not exist")]
    return triangles


def mesh_problems(path: str | os.PathLike[str]) -> list[MeshProblem]:
    """Defects of a mesh file, where a cloud of points in an OBJ file counts as a mesh: its convex hull."""
    name = os.fspath(path)
    problems = check_mesh(name)
    if [problem.rule for problem in problems] == ["mesh-empty"] and name.lower().endswith(".obj"):
        points = _cloud(name)
        return problems if points is None else not_finite(points)
    return problems


def _cloud(name: str) -> npt.NDArray[np.float64] | None:
    """Vertices (n, 3) of an OBJ file without faces, None if they do not make a body."""
    try:
        with open(name, "rb") as stream:
            lines = _OBJ_LINE.findall(stream.read())
        points = np.array([text.split()[:3] for _, text in lines]).astype(float)
    except (OSError, ValueError):
        return None
    return points if len(points) >= _FEWEST_POINTS and points.shape[1:] == (3,) else None


def _read_stl(data: bytes) -> Triangles:
    count = int.from_bytes(data[80:_STL_HEADER], "little")
    if len(data) == _STL_HEADER + _STL_TRIANGLE.itemsize * count:
        corners = np.frombuffer(data, _STL_TRIANGLE, offset=_STL_HEADER)["vertices"].astype(float).reshape(-1, 3)
    else:
        corners = np.array(_STL_VERTEX.findall(data)).astype(float)
    return Triangles(corners, np.arange(len(corners), dtype=np.intp).reshape(-1, 3))


def _read_obj(data: bytes) -> Triangles:
    vertices: list[list[bytes]] = []
    faces: list[tuple[int, int, int]] = []
    for key, text in _OBJ_LINE.findall(data):
        if key == b"v":
            vertices.append(text.split()[:3])
            continue
        indices = [int(corner.partition(b"/")[0]) for corner in text.split()]
        # One-based, or counted backwards from the last vertex so far.
        corners = [index - 1 if index > 0 else len(vertices) + index for index in indices]
        faces += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
    return Triangles(np.array(vertices).astype(float), np.array(faces, dtype=np.intp).reshape(-1, 3))
