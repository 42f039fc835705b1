"""Mesh files that lie, and mesh files that do not."""

from pathlib import Path

import numpy as np
import pytest
from robot_data import robots_directory

from tarsus.geometry.meshes.read import check_mesh

TRIANGLE = np.dtype([("normal", "<f4", 3), ("vertices", "<f4", (3, 3)), ("attribute", "<u2")])


def binary_stl(triangles: int = 4, promised: int | None = None, header: bytes = b"") -> bytes:
    rows = np.zeros(triangles, TRIANGLE)
    rows["vertices"] = np.random.default_rng(7).normal(size=(triangles, 3, 3))
    count = np.uint32(triangles if promised is None else promised)
    return header.ljust(80, b" ") + count.tobytes() + rows.tobytes()


def with_vertex(data: bytes, value: float) -> bytes:
    """Replace the first coordinate of the second triangle of a binary STL."""
    position = 84 + 50 + 12
    return data[:position] + np.float32(value).tobytes() + data[position + 4 :]


FACET = "facet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n endloop\nendfacet\n"
TEXT_STL = f"solid cube\n{FACET * 2}endsolid cube\n"
OBJ = "# cube\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nvn 0 0 1\nvt 0 0\nf 1//1 2/1/1 3\n"
PLY_HEADER = (
    "ply\nformat {} 1.0\ncomment x\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
    "element face {}\nproperty list uchar int vertex_indices\nend_header\n"
)
VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=float)


def text_ply(vertices: int = 3, faces: int = 1, rows: str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n") -> str:
    return PLY_HEADER.format("ascii", vertices, faces) + rows


def binary_ply(order: str, faces: list[list[int]], *, vertices: int = 3, first: float = 0.0) -> bytes:
    name = "binary_little_endian" if order == "<" else "binary_big_endian"
    points = VERTICES.copy()
    points[0, 0] = first
    body = points.astype(order + "f4").tobytes()
    for face in faces:
        body += bytes([len(face)]) + np.array(face, dtype=order + "i4").tobytes()
    return PLY_HEADER.format(name, vertices, len(faces)).encode() + body


def collada(*, count: int = 9, numbers: str = "0 0 0 1 0 0 0 1 0", p: str = "0 0 1 0 2 0", extra: str = "") -> str:
    return f"""<?xml version="1.0"?>{extra}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema"><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="{count}">{numbers}</float_array>
<technique_common><accessor source="#f" count="3" stride="3"/></technique_common></source>
<source id="n"><float_array id="nf" count="3">0 0 1</float_array>
<technique_common><accessor source="#nf" count="1" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
<p>{p}</p></triangles></mesh></geometry></library_geometries></COLLADA>"""


SOUND: dict[str, tuple[str, str | bytes]] = {
    "binary STL": ("a.stl", binary_stl()),
    "capital suffix": ("a.STL", binary_stl()),
    "binary STL that starts like a text": ("a.stl", binary_stl(header=b"solid facet")),
    "text STL": ("a.stl", TEXT_STL),
    "text STL in capitals": ("a.stl", TEXT_STL.upper()),
    "text STL with Windows line ends": ("a.stl", TEXT_STL.replace("\n", "\r\n")),
    "OBJ": ("a.obj", OBJ),
    "OBJ with relative indices": ("a.obj", OBJ.replace("f 1//1 2/1/1 3", "f -3//1 -2 -1")),
    "OBJ with a quadrangle": ("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"),
    "text PLY": ("a.ply", text_ply()),
    "binary PLY": ("a.ply", binary_ply("<", [[0, 1, 2], [2, 1, 0]])),
    "big-endian PLY": ("a.ply", binary_ply(">", [[0, 1, 2]])),
    "binary PLY with mixed faces": ("a.ply", binary_ply("<", [[0, 1, 2], [0, 1, 2, 0], [0, 2, 1]])),
    "COLLADA": ("a.dae", collada()),
}

DEFECTS: dict[str, tuple[str, str | bytes, str]] = {
    "empty STL": ("a.stl", b"", "mesh-empty"),
    "empty unknown": ("a.fbx", b"", "mesh-empty"),
    "other format": ("a.fbx", b"Kaydara whatever", "mesh-format"),
    "STL without triangles": ("a.stl", binary_stl(0), "mesh-empty"),
    "STL too short": ("a.stl", b"abc", "mesh-header"),
    "STL promises too many": ("a.stl", binary_stl(4, 5), "mesh-header"),
    "STL promises billions": ("a.stl", binary_stl(4, 2**32 - 1), "mesh-header"),
    "STL promises too few": ("a.stl", binary_stl(4, 3), "mesh-header"),
    "STL cut off": ("a.stl", binary_stl()[:-7], "mesh-header"),
    "STL with NaN": ("a.stl", with_vertex(binary_stl(), np.nan), "mesh-nan"),
    "STL with infinity": ("a.stl", with_vertex(binary_stl(), -np.inf), "mesh-nan"),
    "text STL without facets": ("a.stl", "solid\nendsolid\n", "mesh-empty"),
    "text STL cut off": ("a.stl", TEXT_STL.removesuffix("endsolid cube\n"), "mesh-header"),
    "text STL with two vertices": ("a.stl", TEXT_STL.replace("  vertex 1 0 0\n", "", 1), "mesh-syntax"),
    "text STL with NaN": ("a.stl", TEXT_STL.replace("1 0 0", "1 nan 0"), "mesh-nan"),
    "text STL with words": ("a.stl", TEXT_STL.replace("1 0 0", "1 zero 0"), "mesh-unreadable"),
    "OBJ without faces": ("a.obj", "v 0 0 0\n", "mesh-empty"),
    "OBJ with text": ("a.obj", "hello\n", "mesh-empty"),
    "OBJ with NaN": ("a.obj", OBJ.replace("v 0 1 0", "v 0 nan 0"), "mesh-nan"),
    "OBJ with two coordinates": ("a.obj", OBJ.replace("v 0 1 0", "v 0 1"), "mesh-syntax"),
    "OBJ index too large": ("a.obj", OBJ.replace("2/1/1 3", "2/1/1 4"), "mesh-index"),
    "OBJ index zero": ("a.obj", OBJ.replace("f 1", "f 0"), "mesh-index"),
    "OBJ index overflow": ("a.obj", OBJ.replace("2/1/1 3", "2 99999999999999999999"), "mesh-syntax"),
    "OBJ relative index too far": ("a.obj", OBJ.replace("f 1", "f -4"), "mesh-index"),
    "OBJ relative index before its vertex": ("a.obj", "v 0 0 0\nf -1 -2 1\nv 1 0 0\nv 1 1 0\n", "mesh-index"),
    "PLY without header": ("a.ply", "plywood", "mesh-header"),
    "PLY with unknown format": ("a.ply", text_ply().replace("ascii", "morse"), "mesh-header"),
    "PLY with unknown type": ("a.ply", text_ply().replace("float x", "quad x"), "mesh-header"),
    "PLY without vertices": ("a.ply", text_ply(0, 1), "mesh-empty"),
    "PLY with negative count": ("a.ply", text_ply(-1, 1), "mesh-header"),
    "PLY promises too many": ("a.ply", text_ply(3, 2), "mesh-header"),
    "PLY with NaN": ("a.ply", text_ply(rows="0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"), "mesh-nan"),
    "PLY with bad index": ("a.ply", text_ply(rows="0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"), "mesh-index"),
    "PLY with words": ("a.ply", text_ply(rows="0 0 0\n1 0 0\n0 1 0\n3 0 1 x\n"), "mesh-syntax"),
    "binary PLY promises vertices": ("a.ply", binary_ply("<", [[0, 1, 2]], vertices=10**9), "mesh-header"),
    "binary PLY cut off": ("a.ply", binary_ply("<", [[0, 1, 2]])[:-1], "mesh-header"),
    "binary PLY with NaN": ("a.ply", binary_ply(">", [[0, 1, 2]], first=np.nan), "mesh-nan"),
    "binary PLY with bad index": ("a.ply", binary_ply("<", [[0, 1, 3]]), "mesh-index"),
    "binary PLY with negative index": ("a.ply", binary_ply("<", [[0, 1, 2], [0, -1, 2]]), "mesh-index"),
    "COLLADA that is no XML": ("a.dae", "COLLADA", "not-xml"),
    "COLLADA with doctype": ("a.dae", collada(extra='<!DOCTYPE c [<!ENTITY e "f">]>'), "doctype"),
    "COLLADA that is something else": ("a.dae", "<svg/>", "mesh-header"),
    "COLLADA without mesh": ("a.dae", "<COLLADA/>", "mesh-empty"),
    "COLLADA promises too many": ("a.dae", collada(count=12), "mesh-header"),
    "COLLADA with NaN": ("a.dae", collada(numbers="0 0 0 1 NaN 0 0 1 0"), "mesh-nan"),
    "COLLADA with words": ("a.dae", collada(numbers="0 0 0 1 x 0 0 1 0"), "mesh-syntax"),
    "COLLADA with bad index": ("a.dae", collada(p="0 0 1 0 3 0"), "mesh-index"),
    "COLLADA with bad normal": ("a.dae", collada(p="0 0 1 1 2 0"), "mesh-index"),
    "COLLADA with negative index": ("a.dae", collada(p="0 0 -1 0 2 0"), "mesh-index"),
    "COLLADA with half a vertex": ("a.dae", collada(p="0 0 1 0 2"), "mesh-index"),
}


def write(directory: Path, name: str, content: str | bytes) -> Path:
    path = directory / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", SOUND)
def test_sound_mesh_passes(name: str, tmp_path: Path) -> None:
    assert check_mesh(write(tmp_path, *SOUND[name])) == []


@pytest.mark.parametrize("name", DEFECTS)
def test_defect_is_found_by_its_rule(name: str, tmp_path: Path) -> None:
    file, content, rule = DEFECTS[name]
    assert [problem.rule for problem in check_mesh(write(tmp_path, file, content))] == [rule]


def test_large_mesh_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.stl"
    with open(path, "wb") as stream:
        stream.truncate(1 << 40)
    assert [problem.rule for problem in check_mesh(path)] == ["mesh-size"]


def test_missing_mesh_and_directory_are_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.stl").mkdir()
    assert [problem.rule for problem in check_mesh(tmp_path / "a.stl")] == ["mesh-unreadable"]
    assert [problem.rule for problem in check_mesh(tmp_path / "b.stl")] == ["mesh-unreadable"]


@pytest.mark.parametrize("robot", ["talos_data", "panda_description", "solo_description", "ur_description"])
def test_meshes_of_real_robots_are_sound(robot: str) -> None:
    suffixes = {".stl", ".obj", ".dae", ".ply"}
    meshes = [path for path in (robots_directory() / robot).rglob("*") if path.suffix.lower() in suffixes]
    assert meshes
    assert {str(path): found for path in meshes if (found := check_mesh(path))} == {}
