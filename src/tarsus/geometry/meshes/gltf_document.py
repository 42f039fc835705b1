"""glTF documents: the JSON part, checked entry by entry, and the numbers in its buffers."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.geometry.meshes.problem import DefectiveMesh

Beside = Callable[[str], bytes]
"""Reads a file beside the mesh by its relative address; `DefectiveMesh` if it may not be read."""

_MAGIC = b"glTF"
_JSON, _BINARY = 0x4E4F534A, 0x004E4942
_MAX_ENTRIES = 400_000
"""Entries of the JSON part: one may take a hundred bytes."""
_MAX_ROWS = 2**25
_KINDS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_HARMLESS = ("KHR_mesh_quantization", "KHR_texture_transform", "KHR_materials_", "KHR_lights_punctual", "EXT_texture_")
"""Beginnings of names of extensions without which a mesh has the same shape."""


def wrong(message: str) -> DefectiveMesh:
    """Error of a document that is not what the format asks for."""
    return DefectiveMesh.because("mesh-syntax", message)


class Document:
    """A glTF 2.0 document with its buffers.

    Parameters
    ----------
    data : bytes
        Contents of a .gltf or .glb file.
    beside : callable
    """

    def __init__(self, data: bytes, beside: Beside) -> None:
        text, self._binary = _chunks(data) if data[:4] == _MAGIC else (data, None)
        if sum(map(text.count, (b",", b"[", b"{"))) > _MAX_ENTRIES:
            raise DefectiveMesh.because("mesh-size", f"the document has more than {_MAX_ENTRIES} entries")
        try:
            root = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise wrong(f"not JSON: {str(error)[:100]}") from None
        if not isinstance(root, dict):
            raise wrong("the document is not an object")
        self.root: dict[str, Any] = root
        self._beside = beside
        self._buffers: dict[int, bytes] = {}
        version = str(mapping(root, "asset").get("version", ""))
        if not version.startswith("2."):
            raise DefectiveMesh.because("mesh-header", f"version {version[:20]!r} of glTF, expected 2.0")
        for name in sequence(root, "extensionsRequired"):
            if not str(name).startswith(_HARMLESS):
                raise DefectiveMesh.because("mesh-format", f"the extension {str(name)[:60]!r} cannot be read")

    def entry(self, kind: str, index: Any) -> dict[str, Any]:
        """Entry `index` of the list `kind` of the document."""
        entries = sequence(self.root, kind)
        if not is_integer(index) or not 0 <= index < len(entries):
            raise DefectiveMesh.because("mesh-index", f"{kind} {str(index)[:30]} of {len(entries)}")
        entry = entries[index]
        if not isinstance(entry, dict):
            raise wrong(f"{kind} {index} is not an object")
        return entry

    def numbers(self, index: Any, width: int) -> npt.NDArray[Any]:
        """Rows (n, width) of an accessor, normalised integers as numbers between -1 and 1."""
        accessor = self.entry("accessors", index)
        if "sparse" in accessor or "bufferView" not in accessor:
            raise DefectiveMesh.because("mesh-format", "sparse accessors cannot be read")
        kind, shape, count = accessor.get("componentType"), accessor.get("type"), natural(accessor, "count")
        if not is_integer(kind) or kind not in _KINDS or not isinstance(shape, str) or _WIDTHS.get(shape) != width:
            raise wrong(f"an accessor of {str(shape)[:20]} of {str(kind)[:20]}, expected {width} numbers a row")
        if count > _MAX_ROWS:
            raise DefectiveMesh.because("mesh-size", f"an accessor of {count} rows")
        dtype = np.dtype(_KINDS[kind])
        view, stride = self._view(accessor["bufferView"])
        stride = stride or width * dtype.itemsize
        start = natural(accessor, "byteOffset")
        end = start + stride * max(count - 1, 0) + (width * dtype.itemsize if count else 0)
        if stride < width * dtype.itemsize or end > len(view):
            raise DefectiveMesh.because("mesh-index", f"an accessor of {count} rows goes beyond its buffer")
        rows: npt.NDArray[Any] = np.ndarray((count, width), dtype, view, start, (stride, dtype.itemsize))
        if accessor.get("normalized") is True and dtype.kind in "iu":
            return np.maximum(rows / np.iinfo(dtype).max, -1.0)
        return rows

    def bytes_of(self, image: dict[str, Any]) -> bytes | str | None:
        """Contents of an image, or the relative address of its file; None where there is neither."""
        if "bufferView" in image:
            return bytes(self._view(image["bufferView"])[0])
        uri = image.get("uri")
        if not isinstance(uri, str):
            return None
        return _embedded(uri) if uri.startswith("data:") else uri

    def _view(self, index: Any) -> tuple[memoryview, int]:
        """Part of a buffer, and the distance of its rows in bytes (0: rows follow each other)."""
        view = self.entry("bufferViews", index)
        start, length = natural(view, "byteOffset"), natural(view, "byteLength")
        buffer = self._buffer(view.get("buffer"))
        if start + length > len(buffer):
            raise DefectiveMesh.because("mesh-index", f"a view goes beyond its buffer of {len(buffer)} bytes")
        return memoryview(buffer)[start : start + length], natural(view, "byteStride")

    def _buffer(self, index: Any) -> bytes:
        entry = self.entry("buffers", index)
        if index not in self._buffers:
            uri = entry.get("uri")
            if uri is None and index == 0 and self._binary is not None:
                self._buffers[index] = self._binary
            elif not isinstance(uri, str):
                raise wrong(f"buffer {index} has no contents")
            else:
                self._buffers[index] = _embedded(uri) if uri.startswith("data:") else self._beside(uri)
        return self._buffers[index]


def is_integer(value: Any) -> bool:
    """Whether a JSON value is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def natural(entry: dict[str, Any], key: str) -> int:
    """Number of bytes or rows, 0 where it is not given."""
    value = entry.get(key, 0)
    if not is_integer(value) or not 0 <= value < 2**40:
        raise wrong(f"{key} {str(value)[:30]}, expected a count")
    return int(value)


def sequence(entry: dict[str, Any], key: str) -> list[Any]:
    """List of an object, empty where it is not given."""
    value = entry.get(key, [])
    if not isinstance(value, list):
        raise wrong(f"{key} is not a list")
    return value


def mapping(entry: dict[str, Any], key: str) -> dict[str, Any]:
    """Object in an object, empty where it is not given."""
    value = entry.get(key, {})
    if not isinstance(value, dict):
        raise wrong(f"{key} is not an object")
    return value


def vector(entry: dict[str, Any], key: str, default: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Finite numbers of an object, as many as the default has."""
    value = sequence(entry, key) if key in entry else list(default)
    plain = all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e30 for x in value)
    if len(value) != len(default) or not plain:
        raise wrong(f"{key} is not {len(default)} numbers")
    return np.array(value, dtype=float)


def _chunks(data: bytes) -> tuple[bytes, bytes | None]:
    """JSON part of a binary file, and its first buffer."""
    if len(data) < 20 or struct.unpack_from("<I", data, 4)[0] != 2:
        raise DefectiveMesh.because("mesh-header", "not a binary glTF file of version 2")
    parts: dict[int, bytes] = {}
    place = 12
    while place + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, place)
        if place + 8 + length > len(data):
            raise DefectiveMesh.because("mesh-header", f"a chunk of {length} bytes goes beyond the end of the file")
        parts.setdefault(kind, data[place + 8 : place + 8 + length])
        place += 8 + length
    if _JSON not in parts:
        raise DefectiveMesh.because("mesh-header", "there is no JSON chunk")
    return parts[_JSON], parts.get(_BINARY)


def _embedded(uri: str) -> bytes:
    """Contents of a data address in base64."""
    head, _, text = uri.partition(",")
    if not head.endswith(";base64"):
        raise wrong("a data address is not in base64")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise wrong(f"not base64: {str(error)[:80]}") from None
