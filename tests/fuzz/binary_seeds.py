"""Small meshes and recordings, from which the fuzz makes its files."""

from __future__ import annotations

import base64
import functools
import json
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.io.model_document import model_to_document
from tarsus.recording.committed_file import _ENTRY, _FOOTER, _MAGIC, PAGE

_CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
_FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def _stl() -> bytes:
    triangles = b"".join(
        struct.pack("<12fH", 0.0, 0.0, 1.0, *(x for k in face for x in _CORNERS[k]), 0) for face in _FACES
    )
    return bytes(80) + struct.pack("<I", len(_FACES)) + triangles


def _stl_text() -> bytes:
    loops = "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*_CORNERS[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in _FACES
    )
    return f"solid t\n{loops}endsolid t\n".encode()


def _obj() -> bytes:
    vertices = "".join("v {} {} {}\n".format(*p) for p in _CORNERS)
    faces = "".join("f {}//1 {}//1 {}//1\n".format(*(k + 1 for k in face)) for face in _FACES)
    return f"# mesh\no t\n{vertices}vn 0 0 1\n{faces}f 1 2 3 4\n".encode()


def _ply(is_binary: bool) -> bytes:
    kind = "binary_little_endian" if is_binary else "ascii"
    head = (
        f"ply\nformat {kind} 1.0\ncomment c\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
    if is_binary:
        body = b"".join(struct.pack("<3f", *p) for p in _CORNERS)
        return head.encode() + body + b"".join(struct.pack("<B3i", 3, *face) for face in _FACES)
    rows = ["{} {} {}".format(*p) for p in _CORNERS] + ["3 {} {} {}".format(*face) for face in _FACES]
    return (head + "\n".join(rows) + "\n").encode()


def _collada() -> bytes:
    places = " ".join(str(x) for p in _CORNERS for x in p)
    corners = " ".join(str(k) for face in _FACES for k in face)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="0.01"/>
<up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">{places}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n">
<matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def _gltf(is_binary: bool) -> bytes:
    numbers = struct.pack("<12f", *(x for p in _CORNERS for x in p)) + struct.pack("<12H", *np.ravel(_FACES))
    buffer = {"byteLength": len(numbers)}
    if not is_binary:
        buffer |= {"uri": "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [1, 2, 3]}, {"name": "n", "mesh": 0, "scale": [1, 2, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
        "buffers": [buffer],
    }
    text = json.dumps(document).encode()
    if not is_binary:
        return text
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(numbers), 0x004E4942) + numbers
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


TEXT_MESHES = {
    ".stl": _stl_text(),
    ".obj": _obj(),
    ".ply": _ply(False),
    ".dae": _collada(),
    ".gltf": _gltf(False),
}
BINARY_MESHES = {".stl": _stl(), ".ply": _ply(True), ".glb": _gltf(True)}


def _pendulum() -> ts.Model:
    builder = ts.ModelBuilder("pendulum").add_link("base")
    builder.add_link("arm", ts.Inertia(1.0, (0.0, 0.0, -1.0), np.eye(3)))
    return builder.add_joint("hinge", "revolute", "base", "arm", axis=(0, 1, 0), q_min=-1.0, q_max=2.0).build()


@functools.cache
def documents() -> list[bytes]:
    """Models as recordings hold them."""
    return [json.dumps(model_to_document(_pendulum())[0]).encode()]


@functools.cache
def recordings() -> list[bytes]:
    """Recordings of a pendulum, packed and not, and one with the journal of an interrupted commit."""
    model, n = _pendulum(), 20
    run = ts.Trajectory(
        model,
        0.01 * np.arange(n),
        np.sin(np.arange(n))[:, None],
        np.cos(np.arange(n))[:, None],
        contacts=("tip",),
        contact_position=np.zeros((n, 1, 3)),
        contact_force=np.ones((n, 1, 3)),
        energy={"kinetic": np.ones(n)},
        signals={"a": np.arange(n), "b": np.zeros((n, 2))},
        metadata={"note": [1, None, "x"]},
    )
    found = []
    with tempfile.TemporaryDirectory() as directory:
        for compression in (0, 1):
            path = Path(directory) / f"{compression}.h5"
            ts.save(run, path, compression=compression)
            found.append(path.read_bytes())
    page = _ENTRY.pack(0, PAGE) + found[0][:PAGE]
    return [*found, found[0] + page + _FOOTER.pack(len(page), zlib.crc32(page), _MAGIC)]
