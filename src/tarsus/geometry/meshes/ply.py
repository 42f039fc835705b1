"""PLY files, text and binary."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.geometry.meshes.numbers import integers, numbers
from tarsus.geometry.meshes.problem import DefectiveMesh, bad_indices, not_finite, refuse
from tarsus.geometry.triangles import Triangles, cut

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
_MAX_HEADER = 65536
_Content = tuple[FloatArray, IntArray, IntArray]
"""Vertices (n, 3), corners of each face (m,), and the vertices at all corners, one face after the other."""
_NOTHING: _Content = (np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass
class _Property:
    """A number of each row, or with a type of counts a list of numbers."""

    name: str
    kind: str
    count_kind: str = ""


@dataclass
class _Element:
    """Rows of the file, all with the same properties."""

    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)

    @property
    def promise(self) -> str:
        """First half of a complaint."""
        return f"the header promises {self.count} of {self.name!r}"

    def list_position(self) -> int | None:
        """Place of the one list among the properties, None where there is none."""
        lists = [i for i, entry in enumerate(self.properties) if entry.count_kind]
        if len(lists) > 1:
            message = f"rows of {self.name!r} have several lists, which is not supported"
            raise DefectiveMesh.because("mesh-syntax", message)
        return lists[0] if lists else None

    def coordinates(self) -> list[int]:
        """Places of x, y and z among the properties."""
        names = [entry.name for entry in self.properties]
        if not {"x", "y", "z"} <= set(names) or self.list_position() is not None:
            raise DefectiveMesh.because("mesh-header", f"rows of {self.name!r} are not numbers with x, y and z")
        return [names.index(name) for name in "xyz"]


def parse_ply(data: bytes) -> Triangles:
    """Triangles of a file.

    Raises
    ------
    DefectiveMesh
    """
    kind, elements, start = _header(data[:_MAX_HEADER])
    if kind == "ascii":
        points, sizes, corners = _text(data[start:], elements)
    else:
        points, sizes, corners = _binary(data, start, elements, "<" if kind == "binary_little_endian" else ">")
    refuse(not_finite(points) + bad_indices(corners, 0, len(points) - 1))
    faces = corners[cut(points, corners, sizes)].astype(np.intp)
    if len(faces) == 0:
        raise DefectiveMesh.because("mesh-empty", "there are no triangles")
    return Triangles(points, faces)


def _header(head: bytes) -> tuple[str, list[_Element], int]:
    """Format, elements, and where their rows start."""
    end = head.find(b"end_header")
    newline = head.find(b"\n", end)
    if not head.startswith(b"ply") or end < 0 or newline < 0:
        raise DefectiveMesh.because("mesh-header", "there is no complete PLY header")
    kind, elements = "", list[_Element]()
    for line in head[:end].decode("latin-1").splitlines()[1:]:
        words = line.split()
        try:
            if words[:1] == ["format"]:
                kind = words[1]
            elif words[:1] == ["element"]:
                elements.append(_Element(words[1], int(words[2])))
            elif words[:2] == ["property", "list"]:
                elements[-1].properties.append(_Property(words[4], _TYPES[words[3]], _TYPES[words[2]]))
            elif words[:1] == ["property"]:
                elements[-1].properties.append(_Property(words[2], _TYPES[words[1]]))
        except (IndexError, ValueError, KeyError):
            raise DefectiveMesh.because("mesh-header", f"header line {line.strip()[:60]!r} makes no sense") from None
    if kind not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise DefectiveMesh.because("mesh-header", f"unknown format {kind!r}")
    if any(element.count < 0 for element in elements):
        raise DefectiveMesh.because("mesh-header", "an element has a negative count")
    counts = {element.name: element.count for element in elements}
    if len(counts) < len(elements):
        raise DefectiveMesh.because("mesh-header", "an element is declared twice")
    if not counts.get("vertex") or not counts.get("face"):
        message = f"there are {counts.get('vertex', 0)} vertices and {counts.get('face', 0)} faces"
        raise DefectiveMesh.because("mesh-empty", message)
    return kind, elements, newline + 1


def _binary(data: bytes, start: int, elements: list[_Element], order: str) -> _Content:
    points, sizes, corners = _NOTHING
    for element in elements:
        position = element.list_position()
        if position is not None:
            found, entries, start = _binary_lists(data, start, element, position, order)
            if element.name == "face":
                sizes, corners = found, entries
            continue
        row = np.dtype([(str(i), order + entry.kind) for i, entry in enumerate(element.properties)])
        stop = start + row.itemsize * element.count
        if stop > len(data):
            raise DefectiveMesh.because("mesh-header", f"{element.promise}, the file ends before")
        if element.name == "vertex":
            columns = element.coordinates()
            rows = np.frombuffer(data, row, element.count, start)
            points = np.stack([rows[str(i)].astype(np.float64) for i in columns], axis=-1)
        start = stop
    return points, sizes, corners


def _binary_lists(
    data: bytes, start: int, element: _Element, position: int, order: str
) -> tuple[IntArray, IntArray, int]:
    """Lengths of the lists of an element, all their entries, and where the next element starts."""
    listed = element.properties[position]
    count_type, entry_type = np.dtype(order + listed.count_kind), np.dtype(order + listed.kind)
    if count_type.kind not in "iu" or entry_type.kind not in "iu":
        raise DefectiveMesh.because("mesh-header", f"lists of {element.name!r} are not integers")
    if element.count == 0:
        return *_NOTHING[1:], start
    ahead, behind = (
        sum(np.dtype(entry.kind).itemsize for entry in entries)
        for entries in (element.properties[:position], element.properties[position + 1 :])
    )
    cut_off = DefectiveMesh.because("mesh-header", f"{element.promise}, the file ends before")
    body = ahead + count_type.itemsize
    if start + body > len(data):
        raise cut_off
    first = int(np.frombuffer(data, count_type, 1, start + ahead)[0])
    size = body + first * entry_type.itemsize + behind
    stop = start + size * element.count
    if first >= 0 and stop <= len(data):
        formats = [count_type, np.dtype((entry_type, (first,)))]
        row = np.dtype({"names": ["n", "i"], "formats": formats, "offsets": [ahead, body], "itemsize": size})
        rows = np.frombuffer(data, row, element.count, start)
        if (rows["n"] == first).all():  # all faces of one size, as in every triangle mesh
            return np.full(element.count, first), rows["i"].astype(np.int64).ravel(), stop
    sizes, parts = [], []
    for _ in range(element.count):
        if start + body > len(data):
            raise cut_off
        length = int(np.frombuffer(data, count_type, 1, start + ahead)[0])
        stop = start + body + length * entry_type.itemsize + behind
        if length < 0 or stop > len(data):
            raise cut_off
        sizes.append(length)
        parts.append(np.frombuffer(data, entry_type, length, start + body).astype(np.int64))
        start = stop
    return np.array(sizes), np.concatenate(parts), start


def _text(body: bytes, elements: list[_Element]) -> _Content:
    points, sizes, corners = _NOTHING
    lines = [line.split() for line in body.splitlines() if line.strip()]
    start = 0
    for element in elements:
        rows = lines[start : start + element.count]
        start += element.count
        if len(rows) < element.count:
            raise DefectiveMesh.because("mesh-header", f"{element.promise}, there are {len(rows)}")
        try:
            if element.name == "vertex":
                columns = element.coordinates()
                points = numbers((row[i] for row in rows for i in columns), 3 * len(rows)).reshape(-1, 3)
            elif element.name == "face":
                sizes, corners = _text_lists(rows, element.list_position())
        except (ValueError, IndexError, OverflowError) as error:
            message = f"a row of {element.name!r} makes no sense: {error}"
            raise DefectiveMesh.because("mesh-syntax", message) from None
    return points, sizes, corners


def _text_lists(rows: list[list[bytes]], position: int | None) -> tuple[IntArray, IntArray]:
    """Lengths of the lists that start at a position of the rows, and all their entries."""
    if position is None:
        return _NOTHING[1:]
    sizes = [int(row[position]) for row in rows]
    lists = [row[position + 1 : position + 1 + max(size, 0)] for row, size in zip(rows, sizes, strict=True)]
    if any(len(entries) != size for entries, size in zip(lists, sizes, strict=True)):
        raise ValueError("a list is shorter than it says")
    return np.array(sizes, dtype=np.int64), integers([entry for row in lists for entry in row])
