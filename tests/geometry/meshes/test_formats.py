"""The formats say the same about one body, and what only some of them can say is understood."""

import re
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Compliant, contactors, flat
from tarsus.errors import ArgumentError
from tarsus.geometry.mass_properties import mesh_inertia
from tarsus.geometry.meshes.read import check_mesh, read_mesh
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.surface import surface_of
from tarsus.io.load import inspect_file

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
TRIANGLES = np.array([corners for a, b, c, d in QUADS for corners in ((b, c, d), (b, d, a))])
VOLUME = 6.0
ROUNDING = 1e-15
"""Of numbers of order one."""


def stl_text() -> str:
    facets = ["facet normal 0 0 0\nouter loop\n"
              + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[t]) + "endloop\nendfacet\n"
              for t in TRIANGLES]  # fmt: skip
    return "solid box\n" + "".join(facets) + "endsolid box\n"


def stl_binary() -> bytes:
    rows = np.zeros(len(TRIANGLES), np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]))
    rows["v"] = CORNERS[TRIANGLES]
    return bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes()


def obj() -> str:
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    return vertices + "".join(f"f {a + 1} {b + 1} {c + 1} {d + 1}\n" for a, b, c, d in QUADS)


def ply_header(kind: str, face: str = "property list uchar int vertex_indices\n") -> str:
    return (
        f"ply\nformat {kind} 1.0\nelement vertex 8\nproperty double x\nproperty double y\nproperty double z\n"
        f"property uchar red\nelement face 6\n{face}end_header\n"
    )


def ply_text(face: str = "property list uchar int vertex_indices\n", ahead: str = "", behind: str = "") -> str:
    vertices = "".join(f"{x} {y} {z} 255\n" for x, y, z in CORNERS)
    faces = "".join(f"{ahead}4 {a} {b} {c} {d}{behind}\n" for a, b, c, d in QUADS)
    return ply_header("ascii", face) + vertices + faces


def ply_binary(order: str, face: str = "property list uchar int vertex_indices\n", ahead=b"", behind=b"") -> bytes:
    body = b"".join(point.astype(f"{order}f8").tobytes() + b"\xff" for point in CORNERS)
    body += b"".join(ahead + b"\x04" + quad.astype(f"{order}i4").tobytes() + behind for quad in QUADS)
    return ply_header("binary_little_endian" if order == "<" else "binary_big_endian", face).encode() + body


def collada() -> str:
    numbers = " ".join(f"{x:g}" for x in CORNERS.ravel())
    return f"""<COLLADA><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="24">{numbers}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4 4 4 4 4 4</vcount>
<p>{" ".join(map(str, QUADS.ravel()))}</p></polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
</COLLADA>"""


FLAG_BEHIND = "property list uchar int vertex_indices\nproperty uchar red\n"
FLAG_AHEAD = "property short flag\nproperty list uchar int vertex_indices\n"
BOXES: dict[str, tuple[str, str | bytes]] = {
    "text STL": ("a.stl", stl_text()),
    "binary STL": ("a.stl", stl_binary()),
    "OBJ": ("a.obj", obj()),
    "text PLY": ("a.ply", ply_text()),
    "text PLY with coloured faces": ("a.ply", ply_text(FLAG_BEHIND, behind=" 9")),
    "text PLY with flagged faces": ("a.ply", ply_text(FLAG_AHEAD, ahead="7 ")),
    "binary PLY": ("a.ply", ply_binary("<")),
    "big-endian PLY": ("a.ply", ply_binary(">")),
    "binary PLY with coloured faces": ("a.ply", ply_binary("<", FLAG_BEHIND, behind=b"\x09")),
    "binary PLY with flagged faces": ("a.ply", ply_binary(">", FLAG_AHEAD, ahead=b"\x00\x07")),
    "COLLADA": ("a.dae", collada()),
}


def write(directory: Path, name: str, content: str | bytes) -> Path:
    path = directory / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", BOXES)
def test_every_format_gives_the_same_triangles_in_the_same_order(name, tmp_path):
    mesh = read_mesh(write(tmp_path, *BOXES[name]))
    np.testing.assert_array_equal(mesh.vertices[mesh.faces], CORNERS[TRIANGLES])
    assert mesh_inertia(mesh.vertices, mesh.faces).mass == pytest.approx(VOLUME, rel=ROUNDING)


@pytest.mark.parametrize("name", BOXES)
def test_every_format_is_drawn_weighed_and_touched_with(name, tmp_path):
    path = write(tmp_path, *BOXES[name])
    surface = surface_of(Mesh("box", str(path), (1.0, 1.0, 2.0)))
    assert surface is not None
    np.testing.assert_array_equal(np.ptp(surface.corners.reshape(-1, 3), axis=0), [1.0, 2.0, 6.0])
    text = f"""<mujoco><asset><mesh name="m" file="{path.name}"/></asset><worldbody><body name="b"><freejoint/>
    <geom type="mesh" mesh="m" density="2"/></body></worldbody></mujoco>"""
    model = ts.load(write(tmp_path, "robot.xml", text))
    assert model.total_mass == pytest.approx(2.0 * VOLUME, rel=ROUNDING)
    touching = np.array([point.position for point in contactors(model)])
    np.testing.assert_array_equal(np.unique(touching, axis=0), np.unique(CORNERS, axis=0))


def test_faces_of_a_binary_ply_may_differ_in_size_and_carry_numbers_beside_their_corners(tmp_path):
    faces = [[0, 1, 3, 2], [4, 6, 7], [4, 7, 5]]
    body = b"".join(point.astype("<f8").tobytes() + b"\xff" for point in CORNERS)
    body += b"".join(bytes([len(f)]) + np.array(f, "<i4").tobytes() + b"\x09" for f in faces)
    header = ply_header("binary_little_endian", FLAG_BEHIND).replace("face 6", "face 3")
    mesh = read_mesh(write(tmp_path, "a.ply", header.encode() + body))
    np.testing.assert_array_equal(mesh.faces, [[1, 3, 2], [1, 2, 0], [4, 6, 7], [4, 7, 5]])


def test_cloud_of_points_is_sound_where_one_is_welcome_and_drawn_as_its_hull(tmp_path):
    path = write(tmp_path, "cloud.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in [*CORNERS, (0.5, 0.5, 0.5)]))
    assert check_mesh(path, cloud=True) == []
    assert [problem.rule for problem in check_mesh(path)] == ["mesh-empty"]  # a file that was cut off looks like this
    surface = surface_of(Mesh("cloud", str(path)))
    assert surface is not None
    assert len(surface.corners) == 12


URDF = """<robot name="r"><link name="shin"><collision><geometry><mesh filename="{}"/></geometry></collision>
<inertial><origin xyz="0.5 1 1.5"/><mass value="20"/>
<inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
SDF = """<sdf version="1.7"><model name="r"><link name="shin"><inertial><mass>20</mass><inertia><ixx>9</ixx><iyy>9</iyy>
<izz>9</izz></inertia></inertial><collision name="c"><geometry><mesh><uri>{}</uri></mesh></geometry></collision></link>
</model></sdf>"""
MJCF = """<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body name="shin"><freejoint/>
<inertial mass="20" pos="0 0 0" diaginertia="9 9 9"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("name", BOXES)
def test_a_robot_lands_on_its_mesh_of_every_format_and_its_file_has_no_problems(name, tmp_path):
    file = write(tmp_path, "robot.urdf", URDF.format(write(tmp_path, *BOXES[name]).name))
    assert inspect_file(file)[1] == ()
    model = ts.load(file, base="free")
    q = model.neutral()
    q[2] = 0.01
    run = ts.simulate(model, q, ground=flat(), duration=1.0)
    weight = 20.0 * 9.81
    assert run.contact_force[-1].sum(axis=0) == pytest.approx([0.0, 0.0, weight], abs=1e-3 * weight)
    assert run.q[-1, 2] == pytest.approx(-weight / 4 / Compliant().stiffness, abs=1e-5)  # on four corners


def test_unknown_format_has_no_points_to_touch_with_and_the_error_says_so(tmp_path):
    mesh = write(tmp_path, "a.fbx", "Kaydara")
    model = ts.load(write(tmp_path, "robot.urdf", URDF.format("a.fbx")), base="free")
    with pytest.raises(ArgumentError, match=r"'a.fbx' has no points to touch with: only STL, OBJ, PLY, COLLADA"):
        contactors(model)
    with pytest.raises(ArgumentError, match=f"body 'shin'.*{re.escape(str(mesh))}"):
        ts.simulate(model, ground=flat(), duration=0.01)


@pytest.mark.parametrize(("suffix", "text"), [(".urdf", URDF), (".sdf", SDF), (".xml", MJCF)])
@pytest.mark.parametrize("mesh", ["a.glb", "cut.stl", "cut.dae", "cut.ply", "cut.obj"])
def test_a_mesh_that_contact_refuses_is_a_problem_of_the_file(mesh, suffix, text, tmp_path):
    write(tmp_path, mesh, {"a.glb": "glTF", "cut.stl": stl_binary()[:-1], "cut.dae": collada()[:-20],
                           "cut.ply": ply_binary("<")[:-1], "cut.obj": obj().replace("f 1", "f 9")}[mesh])  # fmt: skip
    _, problems = inspect_file(write(tmp_path, f"robot{suffix}", text.format(mesh)))
    assert any(mesh in problem.message for problem in problems)
    model = ts.load(tmp_path / f"robot{suffix}", base="free")
    with pytest.raises(ArgumentError, match=f"'{mesh}' has no points to touch with"):
        contactors(model)


@pytest.mark.parametrize("text", ["v 0 0 {0}x\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {0}x\n"])
def test_a_number_without_end_is_not_repeated_in_the_problem(text, tmp_path):
    (problem,) = check_mesh(write(tmp_path, "a.obj", text.format("0" * 10**5)))
    assert len(problem.message) < 200


HOSTILE: dict[str, tuple[str, str, str]] = {
    "PLY without coordinates": ("a.ply", ply_text().replace("double z", "double w"), "mesh-header"),
    "PLY with lists of coordinates": ("a.ply", ply_text().replace("property uchar red", "property list uchar int l"),
                                      "mesh-header"),
    "PLY with two lists in a row": ("a.ply", ply_text("property list uchar int a\nproperty list uchar int b\n"),
                                    "mesh-syntax"),
    "PLY with a list that is too short": ("a.ply", ply_text().replace("4 0 1 3 2", "4 0 1 3"), "mesh-syntax"),
    "PLY with a negative length": ("a.ply", ply_text().replace("4 0 1 3 2", "-4 0 1 3 2"), "mesh-syntax"),
    "PLY with lines only": ("a.ply", ply_text().replace("4 ", "2 "), "mesh-empty"),
    "PLY with faces without corners": ("a.ply", ply_text("property uchar red\n"), "mesh-empty"),
    "PLY with two sets of vertices": ("a.ply", ply_text().replace("element face", "element vertex 1\nelement face"),
                                      "mesh-header"),
    "OBJ with a number without end": ("a.obj", "v 0 0 0\n" * 20000 + f"v 0 0 {'0' * 10**6}x\nf 1 2 3\n",
                                      "mesh-syntax"),
    "COLLADA with half a triangle": ("a.dae", collada().replace("polylist", "triangles").replace(" 3</p>", "</p>"),
                                     "mesh-index"),
    "COLLADA with polygons of more corners": ("a.dae", collada().replace("<vcount>4", "<vcount>5"), "mesh-index"),
    "COLLADA in units that are not finite": ("a.dae", collada().replace("<COLLADA>", '<COLLADA><asset><unit '
                                             'meter="1e400"/></asset>'), "mesh-unit"),
    "COLLADA turned about no axis": ("a.dae", collada().replace("<node>", "<node><rotate>0 0 0 1</rotate>"),
                                     "mesh-nan"),
    "COLLADA with a node that is not there": ("a.dae", collada().replace("<node>", '<node><instance_node url="#n"/>'),
                                              "mesh-unreadable"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_defect_that_only_a_reader_meets_is_found_by_its_rule(name, tmp_path):
    file, content, rule = HOSTILE[name]
    assert [problem.rule for problem in check_mesh(write(tmp_path, file, content))] == [rule]


def test_nodes_that_double_with_every_level_are_refused_before_memory_ends(tmp_path):
    levels = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(90)
    )
    library = f'<library_nodes>{levels}<node id="n90"><instance_geometry url="#g"/></node></library_nodes>'
    text = collada().replace("<library_visual", library + "<library_visual").replace(
        "<node><instance_geometry", '<node><instance_node url="#n0"/><instance_geometry'
    )  # fmt: skip
    assert [problem.rule for problem in check_mesh(write(tmp_path, "a.dae", text))] == ["mesh-size"]
