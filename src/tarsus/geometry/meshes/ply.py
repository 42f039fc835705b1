"""Checking PLY meshes, text and binary."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.geometry.meshes.problem import MeshProblem, bad_indices, not_finite

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8",
}  # fmt: skip
_MAX_HEADER = 65536


class _PlyError(Exception):
    """A defect that ends the check."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.problem = MeshProblem(rule, message)


@dataclass
class _Element:
    """Rows of the file: `scalars` are (name, type); a list property is (name, count type, entry type)."""

    name: str
    count: int
    scalars: list[tuple[str, str]] = field(default_factory=list)
    lists: list[tuple[str, str, str]] = field(default_factory=list)


def check_ply(data: npt.NDArray[np.uint8]) -> list[MeshProblem]:
    """Defects of a PLY file given as bytes."""
    try:
        kind, elements, start = _header(data[:_MAX_HEADER].tobytes())
        if kind == "ascii":
            return _check_text(data[start:].tobytes(), elements)
        return _check_binary(data, start, elements, "<" if kind == "binary_little_endian" else ">")
    except _PlyError as error:
        return [error.problem]


def _header(head: bytes) -> tuple[str, list[_Element], int]:
    end = head.find(b"end_header")
    newline = head.find(b"\n", end)
    if not head.startswith(b"ply") or end < 0 or newline < 0:
        raise _PlyError("mesh-header", "there is no complete PLY header")
    kind, elements = "", list[_Element]()
    for line in head[:end].decode("latin-1").splitlines()[1:]:
        words = line.split()
        try:
            if words[:1] == ["format"]:
                kind = words[1]
            elif words[:1] == ["element"]:
                elements.append(_Element(words[1], int(words[2])))
            elif words[:2] == ["property", "list"]:
                elements[-1].lists.append((words[4], _TYPES[words[2]], _TYPES[words[3]]))
            elif words[:1] == ["property"]:
                elements[-1].scalars.append((words[2], _TYPES[words[1]]))
        except (IndexError, ValueError, KeyError):
            raise _PlyError("mesh-header", f"header line {line.strip()[:60]!r} makes no sense") from None
    if kind not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise _PlyError("mesh-header", f"unknown format {kind!r}")
    if any(element.count < 0 for element in elements):
        raise _PlyError("mesh-header", "an element has a negative count")
    counts = {element.name: element.count for element in elements}
    if not counts.get("vertex") or not counts.get("face"):
        message = f"there are {counts.get('vertex', 0)} vertices and {counts.get('face', 0)} faces"
        raise _PlyError("mesh-empty", message)
    return kind, elements, newline + 1


def _check_binary(data: npt.NDArray[np.uint8], start: int, elements: list[_Element], order: str) -> list[MeshProblem]:
    problems: list[MeshProblem] = []
    vertices = next(element.count for element in elements if element.name == "vertex")
    for element in elements:
        if element.lists:
            indices, start = _binary_lists(data, start, element, order)
            problems += bad_indices(indices, 0, vertices - 1) if element.name == "face" else []
            continue
        dtype = np.dtype([(f"{i}{name}", order + kind) for i, (name, kind) in enumerate(element.scalars)])
        stop = start + dtype.itemsize * element.count
        if stop > len(data):
            raise _PlyError(
                "mesh-header", f"the header promises {element.count} of {element.name!r}, the file ends before"
            )
        if element.name == "vertex":
            rows = data[start:stop].view(dtype)
            names = [f"{i}{name}" for i, (name, _) in enumerate(element.scalars) if name in ("x", "y", "z")]
            problems += not_finite(np.stack([rows[name].astype(float) for name in names], axis=-1)) if names else []
        start = stop
    return problems


def _binary_lists(
    data: npt.NDArray[np.uint8], start: int, element: _Element, order: str
) -> tuple[npt.NDArray[np.int64], int]:
    """Read the lists of an element: their entries, and where the next element starts."""
    if element.scalars or len(element.lists) > 1:
        raise _PlyError("mesh-syntax", f"rows of {element.name!r} mix lists and numbers, which is not supported")
    _, count_kind, entry_kind = element.lists[0]
    count_type, entry_type = np.dtype(order + count_kind), np.dtype(order + entry_kind)
    if count_type.kind not in "iu" or entry_type.kind not in "iu":
        raise _PlyError("mesh-header", f"lists of {element.name!r} are not integers")
    promised = f"the header promises {element.count} of {element.name!r}, the file ends before"
    if start + count_type.itemsize > len(data):
        raise _PlyError("mesh-header", promised)
    first = int(data[start : start + count_type.itemsize].view(count_type)[0])
    row = np.dtype([("n", count_type), ("i", entry_type, (max(first, 0),))])
    stop = start + row.itemsize * element.count
    if first >= 0 and stop <= len(data):
        rows = data[start:stop].view(row)
        if (rows["n"] == first).all():  # all faces of one size, as in every triangle mesh
            return rows["i"].astype(np.int64).ravel(), stop
    parts = []
    for _ in range(element.count):
        body = start + count_type.itemsize
        if body > len(data):
            raise _PlyError("mesh-header", promised)
        length = int(data[start:body].view(count_type)[0])
        start = body + length * entry_type.itemsize
        if length < 0 or start > len(data):
            raise _PlyError("mesh-header", promised)
        parts.append(data[body:start].view(entry_type).astype(np.int64))
    return np.concatenate(parts), start


def _check_text(body: bytes, elements: list[_Element]) -> list[MeshProblem]:
    problems: list[MeshProblem] = []
    lines = [line.split() for line in body.splitlines() if line.strip()]
    vertices = next(element.count for element in elements if element.name == "vertex")
    start = 0
    for element in elements:
        rows = lines[start : start + element.count]
        start += element.count
        if len(rows) < element.count:
            raise _PlyError(
                "mesh-header", f"the header promises {element.count} of {element.name!r}, there are {len(rows)}"
            )
        try:
            if element.name == "vertex":
                columns = [i for i, (name, _) in enumerate(element.scalars) if name in ("x", "y", "z")]
                problems += not_finite(np.array([[row[i] for i in columns] for row in rows]).astype(float))
            elif element.name == "face" and element.lists and not element.scalars:
                indices = np.concatenate([np.array(row[1 : 1 + int(row[0])]).astype(np.int64) for row in rows])
                problems += bad_indices(indices, 0, vertices - 1)
        except (ValueError, IndexError, OverflowError) as error:
            raise _PlyError("mesh-syntax", f"a row of {element.name!r} makes no sense: {error}") from None
    return problems
