"""Small glTF files, written here."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

CORNERS = np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0)], dtype=np.float32)
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], dtype=np.uint16)
WRAP = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)], dtype=np.float32)


def contents() -> bytes:
    """Positions (48 bytes), indices (24), texture coordinates (32)."""
    return CORNERS.tobytes() + FACES.tobytes() + WRAP.tobytes()


def document(**changes: Any) -> dict[str, Any]:
    """A tetrahedron in one node, its numbers in buffer 0; entries are replaced by keyword."""
    plain = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "body", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 2}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
            {"buffer": 0, "byteOffset": 72, "byteLength": 32},
        ],
        "buffers": [{"byteLength": 104}],
    }
    return plain | changes


def text(entries: dict[str, Any], data: bytes | None = None) -> bytes:
    """A .gltf file with its buffer inside, unless the buffer has an address."""
    entries = json.loads(json.dumps(entries))
    if "uri" not in entries["buffers"][0]:
        packed = base64.b64encode(contents() if data is None else data).decode()
        entries["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{packed}"
    return json.dumps(entries).encode()


def binary(entries: dict[str, Any], data: bytes | None = None) -> bytes:
    """A .glb file."""
    head = json.dumps(entries).encode()
    head += b" " * (-len(head) % 4)
    body = contents() if data is None else data
    chunks = struct.pack("<II", len(head), 0x4E4F534A) + head + struct.pack("<II", len(body), 0x004E4942) + body
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks
