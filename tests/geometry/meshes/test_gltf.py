"""glTF: numbers in buffers, nodes, colours and pictures, another reader, and files that are refused."""

import base64
import io
import json

import numpy as np
import pytest
import trimesh
from geometry.meshes.gltf_files import CORNERS, FACES, binary, contents, document, text
from PIL import Image

from tarsus.geometry.meshes import gltf, gltf_document
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.surface import surface_of
from tarsus.geometry.triangles import Triangles

Z_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
ROUND_OFF = 1e-12
SINGLE = 1e-6
PICTURE = np.zeros((2, 2, 3), dtype=np.uint8)
PICTURE[0, 0], PICTURE[0, 1], PICTURE[1, 0], PICTURE[1, 1] = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)


@pytest.fixture(name="read")
def _read(tmp_path):
    def read(data, name="mesh.glb"):
        path = tmp_path / name
        path.write_bytes(data)
        return read_mesh(path)

    return read


def refusal(found):
    assert not isinstance(found, Triangles)
    (problem,) = found
    assert len(problem.message) < 200
    return problem


@pytest.mark.parametrize("write", [text, binary])
def test_triangles_are_read_with_z_up(read, write):
    mesh = read(write(document()), "mesh.gltf" if write is text else "mesh.glb")
    np.testing.assert_array_equal(mesh.faces, FACES)
    np.testing.assert_allclose(mesh.vertices, CORNERS @ Z_UP.T, atol=ROUND_OFF)
    assert mesh.vertices[2, 2] == 1.0  # what was one metre up along y is up along z


def test_a_buffer_beside_the_file_is_read_anew_when_it_changes(read, tmp_path):
    data = text(document(buffers=[{"byteLength": 104, "uri": "my%20data.bin"}]))
    assert refusal(read(data, "mesh.gltf")).rule == "mesh-unreadable"
    for factor in (1.0, 2.0):
        (tmp_path / "my data.bin").write_bytes((factor * CORNERS).astype(np.float32).tobytes() + contents()[48:])
        assert read_mesh(tmp_path / "mesh.gltf").vertices.max() == pytest.approx(factor * 2.0)


@pytest.mark.parametrize(
    "address", ["../secret.bin", "/etc/passwd", "file:///etc/passwd", "http://a/b", "%2e%2e/secret.bin", "link.bin"]
)
def test_buffers_outside_of_the_directory_are_refused(read, tmp_path, address):
    inner = tmp_path / "meshes"
    inner.mkdir()
    (tmp_path / "secret.bin").write_bytes(contents())
    (inner / "link.bin").symlink_to(tmp_path / "secret.bin")
    problem = refusal(read(text(document(buffers=[{"byteLength": 104, "uri": address}])), "meshes/mesh.gltf"))
    assert problem.rule == "mesh-unreadable"
    assert "outside" in problem.message or "address" in problem.message


def test_transformations_of_nodes_are_those_of_another_reader(tmp_path):
    nodes = [
        {"name": "top", "children": [1, 2], "translation": [1.0, 2.0, 3.0], "rotation": [0.5, 0.5, -0.5, 0.5]},
        {"name": "left", "mesh": 0, "scale": [2.0, 3.0, 0.5], "rotation": [0.6, 0.0, 0.0, 0.8]},
        {"name": "right", "mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
    ]
    path = tmp_path / "mesh.glb"
    path.write_bytes(binary(document(nodes=nodes)))
    mesh = read_mesh(path)
    other = trimesh.load(path, force="mesh")
    ours = mesh.vertices[mesh.faces] @ Z_UP
    key = np.lexsort(np.rint(1e4 * ours.mean(axis=1)).T)
    theirs = other.triangles
    order = np.lexsort(np.rint(1e4 * theirs.mean(axis=1)).T)
    np.testing.assert_allclose(np.sort(ours[key], axis=1), np.sort(theirs[order], axis=1), atol=SINGLE * 10.0)
    assert mesh.parts == (("left", 4), ("right", 4))


def test_mirrored_parts_keep_their_outside_outside(read):
    def volume(mesh):
        a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
        return np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0

    plain = volume(read(binary(document())))
    assert plain == pytest.approx(1.0)
    mirrored = read(binary(document(nodes=[{"mesh": 0, "scale": [-1.0, 1.0, 1.0]}])))
    assert volume(mirrored) == pytest.approx(plain)


def test_without_scenes_all_nodes_that_nobody_carries_are_drawn(read):
    nodes = [{"children": [2]}, {"mesh": 0}, {"mesh": 0, "translation": [0.0, 0.0, 9.0]}]
    entries = document(nodes=nodes)
    del entries["scene"], entries["scenes"]
    assert len(read(binary(entries)).faces) == 8


@pytest.mark.parametrize(
    ("mode", "faces"), [(4, [[0, 1, 2]]), (5, [[0, 1, 2], [2, 1, 3]]), (6, [[0, 1, 2], [0, 2, 3]]), (1, None)]
)
def test_strips_and_fans_are_triangles_and_lines_are_not_drawn(read, mode, faces):
    found = read(binary(document(meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "mode": mode}]}])))
    if faces is None:
        assert refusal(found).rule == "mesh-empty"
    else:
        np.testing.assert_array_equal(found.faces, faces)


def test_rows_may_be_interleaved_and_quantised(read):
    """Positions as normalised 16-bit integers, twelve bytes apart; 32767 stands for one."""
    rows = np.zeros((4, 6), dtype="<i2")
    rows[:, :3] = np.rint(CORNERS / 3.0 * 32767)
    entries = document(extensionsRequired=["KHR_mesh_quantization"], nodes=[{"mesh": 0, "scale": [3.0, 3.0, 3.0]}])
    entries["accessors"][0] |= {"componentType": 5122, "normalized": True}
    entries["bufferViews"][0] |= {"byteStride": 12}
    mesh = read(binary(entries, rows.tobytes() + contents()[48:]))
    np.testing.assert_allclose(mesh.vertices, CORNERS @ Z_UP.T, atol=3.0 / 32767)


def painted(picture):
    """A document with two materials, the second with a picture."""
    entries = document(
        materials=[
            {"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.0, 1.0, 1.0]}},
            {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}},
        ],
        textures=[{"source": 0}],
        images=[picture],
    )
    look = entries["meshes"][0]["primitives"][0]
    entries["meshes"][0]["primitives"] = [look | {"material": 0}, look | {"material": 1}]
    return entries


def test_base_colours_are_shown_as_screens_do(read, tmp_path):
    """Half the intensity is 0.735 of a screen (IEC 61966-2-1)."""
    mesh = read(binary(painted({"uri": "none.png"})))
    np.testing.assert_array_equal(mesh.paint.material, [0, 0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_allclose(mesh.paint.materials[0].color, [0.735357, 0.0, 1.0, 1.0], atol=1e-6)
    assert mesh.paint.materials[1].picture == "none.png"


@pytest.mark.parametrize("where", ["inside", "beside", "in the buffer"])
def test_pictures_are_wrapped_around_the_triangles(tmp_path, where):
    """Texture coordinates count from the upper left corner: corner 0 of the mesh shows the first pixel."""
    stream = io.BytesIO()
    Image.fromarray(PICTURE).save(stream, "PNG")
    png = stream.getvalue()
    data = contents()
    entries = painted({"uri": "skin.png"})
    del entries["meshes"][0]["primitives"][0]  # the same triangles in another colour
    if where == "inside":
        entries["images"] = [{"uri": "data:image/png;base64," + base64.b64encode(png).decode()}]
    elif where == "in the buffer":
        entries["images"] = [{"bufferView": 3, "mimeType": "image/png"}]
        entries["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(png)})
        data += png
    else:
        (tmp_path / "skin.png").write_bytes(png)
    path = tmp_path / "mesh.glb"
    path.write_bytes(binary(entries, data))
    surface = surface_of(Mesh("mesh.glb", str(path)))
    shown = {tuple(np.rint(255.0 * color).astype(int)) for color in surface.colors}
    assert {tuple(color) for color in PICTURE.reshape(-1, 3).tolist()} <= shown
    corner = CORNERS[0] @ Z_UP.T
    near = np.argsort(np.linalg.norm(surface.corners.mean(axis=1) - corner, axis=1))[:20]
    np.testing.assert_allclose(surface.colors[near], np.tile([1.0, 0.0, 0.0], (20, 1)), atol=ROUND_OFF)


DEFECTS = {
    "not JSON": (lambda d: b"{", "mesh-syntax"),
    "deep": (lambda d: b"[" * 100_000, "mesh-syntax"),
    "list": (lambda d: b"[]", "mesh-syntax"),
    "version 1": (lambda d: text(d | {"asset": {"version": "1.0"}}), "mesh-header"),
    "no asset": (lambda d: text({k: v for k, v in d.items() if k != "asset"}), "mesh-header"),
    "compressed": (lambda d: text(d | {"extensionsRequired": ["KHR_draco_mesh_compression"]}), "mesh-format"),
    "no nodes": (lambda d: text(d | {"scenes": [{}]}), "mesh-empty"),
    "unknown node": (lambda d: text(d | {"scenes": [{"nodes": [7]}]}), "mesh-index"),
    "node by name": (lambda d: text(d | {"scenes": [{"nodes": ["a"]}]}), "mesh-index"),
    "node in itself": (lambda d: text(d | {"nodes": [{"children": [0]}]}), "mesh-syntax"),
    "unknown mesh": (lambda d: text(d | {"nodes": [{"mesh": 3}]}), "mesh-index"),
    "mesh of a list": (lambda d: text(d | {"nodes": [{"mesh": [0]}]}), "mesh-index"),
    "no rotation": (lambda d: text(d | {"nodes": [{"mesh": 0, "rotation": [0, 0, 0, 0]}]}), "mesh-syntax"),
    "endless scale": (lambda d: text(d | {"nodes": [{"mesh": 0, "scale": [1e300, 1, 1]}]}), "mesh-syntax"),
    "scale of texts": (lambda d: text(d | {"nodes": [{"mesh": 0, "scale": ["1", 1, 1]}]}), "mesh-syntax"),
    "short buffer": (lambda d: text(d, contents()[:60]), "mesh-index"),
    "no buffer": (lambda d: json.dumps(d).encode(), "mesh-syntax"),
    "not base64": (lambda d: text(d | {"buffers": [{"uri": "data:a;base64,!!"}]}), "mesh-syntax"),
    "index": (lambda d: text(d, contents()[:48] + b"\xff" * 24 + contents()[72:]), "mesh-index"),
    "NaN": (lambda d: text(d, b"\xff" * 48 + contents()[48:]), "mesh-nan"),
}
ACCESSORS = {
    "rows": ({"count": 10**9}, "mesh-size"),
    "more rows": ({"count": 5}, "mesh-index"),
    "no rows": ({"count": -1}, "mesh-syntax"),
    "rows of text": ({"count": "4"}, "mesh-syntax"),
    "offset": ({"byteOffset": 2**62}, "mesh-syntax"),
    "kind": ({"componentType": 5130}, "mesh-syntax"),
    "kind of a list": ({"componentType": [5126]}, "mesh-syntax"),
    "type": ({"type": "VEC4"}, "mesh-syntax"),
    "sparse": ({"sparse": {}}, "mesh-format"),
    "unknown view": ({"bufferView": 9}, "mesh-index"),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_defective_files_are_refused(read, name):
    make, rule = DEFECTS[name]
    assert refusal(read(make(document()), "mesh.gltf")).rule == rule


@pytest.mark.parametrize("name", ACCESSORS)
def test_defective_accessors_are_refused(read, name):
    change, rule = ACCESSORS[name]
    entries = document()
    entries["accessors"][0] |= change
    assert refusal(read(binary(entries))).rule == rule


@pytest.mark.parametrize("cut", [4, 11, 19, 30, -1])
def test_binary_files_that_were_cut_off_are_refused(read, cut):
    assert refusal(read(binary(document())[:cut])).rule == "mesh-header"


def test_entries_nodes_and_copies_are_counted(read, monkeypatch):
    monkeypatch.setattr(gltf_document, "_MAX_ENTRIES", 100)
    assert refusal(read(text(document()) + b"," * 100, "a.gltf")).rule == "mesh-size"
    monkeypatch.undo()
    monkeypatch.setattr(gltf, "_MAX_NODES", 1000)
    doubling = [{"children": [k + 1, k + 1]} for k in range(40)] + [{"mesh": 0}]
    assert refusal(read(text(document(nodes=doubling)), "b.gltf")).rule == "mesh-size"
    monkeypatch.setattr(gltf, "_MAX_VERTICES", 50)
    few = [{"children": [1] * 20}, {"mesh": 0}]
    assert refusal(read(text(document(nodes=few)), "d.gltf")).rule == "mesh-size"
