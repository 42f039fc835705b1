"""Mesh files made to exhaust memory: bounded before it is taken."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from geometry.meshes.gltf_files import document

from tarsus.geometry.meshes import collada
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.triangles import Triangles

LENGTH = 1_000_000
"""Characters of an endless number."""
ROWS = 3000
"""Rows of numbers of usual length around it: beside it in one table they would take 3 x 3000 x 1 MB."""
BOUND = 60_000_000
"""Memory that a file of a few megabytes may take while it is read [bytes]."""

ENDLESS = {"digits": "9" * LENGTH, "fraction": "0." + "1" * LENGTH, "zeros": "0" * LENGTH, "letters": "x" * LENGTH}


def obj(number: str) -> str:
    vertices = "".join(f"v {k} {k + 1} {k % 7}\n" for k in range(ROWS))
    return vertices + f"v 0 {number} 0\nf 1 2 3\nf 2 3 5\n"


def obj_index(number: str) -> str:
    return "".join(f"v {k} {k + 1} {k % 7}\n" for k in range(ROWS)) + "f 1 2 3\n" * ROWS + f"f 1 2 {number}\n"


def obj_texture(number: str) -> str:
    return obj("0") + "vt 0 0\n" * ROWS + f"vt {number} 0\nf 1/1 2/2 3/3\n" + f"f 1/{number} 2/2 3/3\n"


def ply(number: str) -> str:
    head = "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
    faces = f"element face {ROWS}\nproperty list uchar int vertex_indices\nend_header\n"
    vertices = "".join(f"{k} {k + 1} {k % 7}\n" for k in range(ROWS))
    return head.format(ROWS + 1) + faces + vertices + f"0 {number} 0\n" + "3 0 1 2\n" * ROWS


def ply_index(number: str) -> str:
    return ply("0").removesuffix("3 0 1 2\n") + f"3 0 1 {number}\n"


def stl(number: str) -> str:
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 {} 0\nendloop\nendfacet\n"
    return "solid a\n" + facet.format("1") * ROWS + facet.format(number) + "endsolid a\n"


def dae(number: str) -> str:
    positions = " ".join(str(k % 7) for k in range(3 * ROWS - 1)) + " " + number
    return f"""<COLLADA><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="{3 * ROWS}">{positions}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries></COLLADA>"""


def gltf_number(number: str) -> str:
    entries = json.dumps(document(nodes=[{"mesh": 0, "translation": [0, "here", 0]}]))
    return entries.replace('"here"', number)


def gltf_name(number: str) -> str:
    return json.dumps(document(nodes=[{"mesh": 0, "name": number}]))


def gltf_count(number: str) -> str:
    entries = document()
    entries["accessors"][0]["count"] = "here"
    return json.dumps(entries).replace('"here"', number)


FILES = {
    "glTF coordinate": ("a.gltf", gltf_number),
    "glTF name": ("a.gltf", gltf_name),
    "glTF count": ("a.gltf", gltf_count),
    "OBJ coordinate": ("a.obj", obj),
    "OBJ index": ("a.obj", obj_index),
    "OBJ texture coordinate": ("a.obj", obj_texture),
    "PLY coordinate": ("a.ply", ply),
    "PLY index": ("a.ply", ply_index),
    "STL coordinate": ("a.stl", stl),
    "COLLADA coordinate": ("a.dae", dae),
}


def read_within(path: Path, bound: float):
    """What `read_mesh` finds, and that it takes no more memory than `bound` [bytes] on its way."""
    tracemalloc.start()
    found = read_mesh(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < bound
    return found


@pytest.mark.parametrize("number", ENDLESS)
@pytest.mark.parametrize("place", FILES)
def test_an_endless_number_takes_little_memory_and_its_message_is_short(tmp_path, place, number):
    name, make = FILES[place]
    path = tmp_path / name
    path.write_text(make(ENDLESS[number]))
    found = read_within(path, BOUND)
    if isinstance(found, Triangles):
        assert np.isfinite(found.vertices).all()
    else:
        assert all(len(problem.message) < 300 for problem in found)


@pytest.mark.parametrize("piece", ["[],", "{},", '{"a":0},', '"ab",', "1.5,", "[[[]]],"])
@pytest.mark.parametrize("size", [1_000_000, 30_000_000])
def test_documents_of_many_small_pieces_take_bounded_memory(tmp_path, piece, size):
    path = tmp_path / "a.gltf"
    path.write_text('{"asset":{"version":"2.0"},"extras":[' + piece * (size // len(piece)) + "0]}")
    found = read_within(path, BOUND + size)
    assert not isinstance(found, Triangles)


def doubling(levels: int) -> str:
    """Nodes each of which holds the next one twice: 2 ** levels instances of one triangle."""
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>'
        for k in range(levels)
    )
    return f"""<COLLADA><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_nodes>{nodes}<node id="n{levels}"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene><node><instance_node url="#n0"/></node></visual_scene></library_visual_scenes>
</COLLADA>"""


def test_nodes_of_a_scene_that_double_are_counted_and_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.dae"
    path.write_text(doubling(5))
    assert len(read_mesh(path).faces) == 32
    monkeypatch.setattr(collada, "_MAX_NODES", 1000)
    for levels in (30, 90):
        path.write_text(doubling(levels))
        (problem,) = read_within(path, 5_000_000)
        assert problem.rule == "mesh-size"


def test_copies_of_a_geometry_are_counted_before_they_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(collada, "_MAX_VERTICES", 50)
    path = tmp_path / "a.dae"
    path.write_text(doubling(5))
    (problem,) = read_within(path, 5_000_000)
    assert problem.rule == "mesh-size"
