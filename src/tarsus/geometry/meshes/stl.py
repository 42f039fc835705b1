"""STL files, binary and text."""

from __future__ import annotations

import re
from itertools import chain

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.meshes.numbers import numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, not_finite, refuse
from tarsus.geometry.triangles import Triangles

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"\bvertex[ \t]+(\S+)[ \t]+(\S+)[ \t]+(\S+)", re.IGNORECASE)
_END_OF_FACET = re.compile(rb"\bendfacet\b", re.IGNORECASE)


def parse_stl(data: bytes) -> Triangles:
    """Triangles of a file, each with vertices of its own.

    The file is binary if the count of triangles in its header fits its size, else text if it starts like text.

    Raises
    ------
    DefectiveMesh
        With one problem.
    ValueError
        If a coordinate of a text is not a number.
    """
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    head = data[:1024].lower()
    if count >= 0 and len(data) == _HEADER + _TRIANGLE.itemsize * count:
        corners = _binary(data)
    elif head.lstrip()[:5] == b"solid" and (b"facet" in head or b"endsolid" in head):
        corners = _text(data)
    elif count < 0:
        raise DefectiveMesh.because("mesh-header", f"{len(data)} bytes are too short for an STL file")
    else:
        held = (len(data) - _HEADER) / _TRIANGLE.itemsize
        message = f"the header promises {count} triangles, the file holds {held:g}"
        raise DefectiveMesh.because("mesh-header", message)
    refuse(not_finite(corners))
    return Triangles(corners, np.arange(len(corners), dtype=np.intp).reshape(-1, 3))


def _binary(data: bytes) -> FloatArray:
    triangles = np.frombuffer(data, _TRIANGLE, offset=_HEADER)
    if len(triangles) == 0:
        raise DefectiveMesh.because("mesh-empty", "there are no triangles")
    return triangles["vertices"].astype(np.float64).reshape(-1, 3)


def _text(data: bytes) -> FloatArray:
    vertices = _VERTEX.findall(data)
    if not vertices:
        raise DefectiveMesh.because("mesh-empty", "there are no vertices")
    if len(vertices) != 3 * len(_END_OF_FACET.findall(data)):
        raise DefectiveMesh.because("mesh-syntax", "the facets do not have three vertices each")
    if b"endsolid" not in data[-4096:].lower():
        raise DefectiveMesh.because("mesh-header", "the file ends before 'endsolid'")
    return numbers(chain.from_iterable(vertices), 3 * len(vertices)).reshape(-1, 3)
