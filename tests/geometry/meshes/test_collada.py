"""COLLADA: units, nodes, polygons, and files that are refused."""

import coal
import numpy as np
import pytest
from robot_data import robots_directory

import tarsus as ts
from tarsus.geometry.meshes.read import read_mesh, triangles_of
from tarsus.geometry.triangles import Triangles

SOURCE = """<source id="p"><float_array id="a" count="12">0 0 0  2 0 0  2 1 0  0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>"""
TRIANGLES = """<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><p>0 0 1 0 2 0  0 0 2 0 3 0</p></triangles>"""
AUTHOR = "<contributor><authoring_tool>Blender 2.79.0</authoring_tool></contributor>"
NODE = '<node><instance_geometry url="#g"/></node>'


def document(primitive=TRIANGLES, nodes=NODE, unit="", more=""):
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{AUTHOR}{unit}<up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>{SOURCE}{primitive}</mesh></geometry></library_geometries>
{more}<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes></COLLADA>"""


@pytest.fixture(name="read")
def _read(tmp_path):
    def read(text):
        path = tmp_path / "mesh.dae"
        path.write_text(text)
        return read_mesh(path)

    return read


def test_triangles_are_read_without_turning_the_up_axis(read):
    mesh = read(document())
    np.testing.assert_array_equal(mesh.vertices[mesh.faces[1]], [[0, 0, 0], [2, 1, 0], [0, 1, 0]])


def test_unit_scales_to_metres(read):
    mesh = read(document(unit='<unit name="inch" meter="0.0254"/>'))
    np.testing.assert_allclose(mesh.vertices.max(axis=0), [0.0508, 0.0254, 0.0])


@pytest.mark.parametrize("primitive", ["polylist", "polygons"])
def test_polygons_are_cut_into_triangles(read, primitive):
    count = "<vcount>4</vcount>" if primitive == "polylist" else ""
    text = (
        f'<{primitive} count="1"><input semantic="VERTEX" source="#v" offset="0"/>{count}<p>0 1 2 3</p></{primitive}>'
    )
    np.testing.assert_array_equal(read(document(text)).faces, [[1, 2, 3], [1, 3, 0]])


def test_transformations_of_nested_nodes_are_applied_in_order(read):
    nodes = f"<node><translate>1 0 0</translate><rotate>0 0 1 90</rotate><node><scale>2 2 2</scale>{NODE}</node></node>"
    mesh = read(document(nodes=nodes))
    # Corner (2, 1, 0), doubled to (4, 2, 0), turned to (-2, 4, 0), moved to (-1, 4, 0).
    np.testing.assert_allclose(mesh.vertices[2], [-1.0, 4.0, 0.0], atol=1e-12)


def test_matrix_and_library_node_are_applied(read):
    more = (
        f'<library_nodes><node id="k"><matrix>1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1</matrix>{NODE}</node></library_nodes>'
    )
    mesh = read(document(nodes='<node><instance_node url="#k"/></node>', more=more))
    np.testing.assert_allclose(mesh.vertices[0], [5.0, 6.0, 7.0])


def test_two_instances_give_two_copies(read):
    mesh = read(document(nodes=NODE + f"<node><translate>0 0 3</translate>{NODE}</node>"))
    assert len(mesh.faces) == 4
    assert np.ptp(mesh.vertices[:, 2]) == 3.0


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("this is not XML", "not-xml"),
        (document().replace("<COLLADA", "<!DOCTYPE x [<!ENTITY e 'e'>]><COLLADA", 1), "doctype"),
        (document(nodes=""), "mesh-empty"),
        (document(nodes='<node><instance_geometry url="#other"/></node>'), "mesh-unreadable"),
        (document(TRIANGLES.replace("3 0</p>", "9 0</p>")), "mesh-index"),
        (document().replace("2 1 0", "2 nan 0"), "mesh-nan"),
        (document().replace("2 1 0", "2 one 0"), "mesh-syntax"),
    ],
)
def test_defective_files_are_refused(read, text, rule):
    found = read(text)
    assert not isinstance(found, Triangles)
    assert [problem.rule for problem in found] == [rule]


def test_library_node_that_contains_itself_is_refused(read):
    more = '<library_nodes><node id="k"><instance_node url="#k"/></node></library_nodes>'
    (problem,) = read(document(nodes='<node><instance_node url="#k"/></node>', more=more))
    assert "nested" in problem.message


def test_missing_file_is_refused(tmp_path):
    (problem,) = read_mesh(tmp_path / "none.dae")
    assert problem.rule == "mesh-unreadable"


ACCESSOR = """<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>"""
SCENE = '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
@pytest.mark.parametrize("meter", [1.0, 0.0254])
def test_unit_counts_and_up_axis_of_a_named_program_does_not(read, tmp_path, up, meter):
    """Another reader passes over both."""
    primitive = TRIANGLES.replace('<input semantic="NORMAL" source="#n" offset="1"/>', "").replace(" 0 1 0 2 0", " 1 2")
    primitive = primitive.replace("0 0 2 0 3 0", "0 2 3")
    text = document(primitive, NODE.replace("<node>", "<node><translate>1 2 3</translate>"), f'<unit meter="{meter}"/>')
    text = text.replace("Y_UP", up).replace("</source>", ACCESSOR).replace("</COLLADA>", SCENE)
    mesh = read(text)
    other = coal.MeshLoader().load(str(tmp_path / "mesh.dae"), np.ones(3))
    other.computeLocalAABB()
    box = [mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)]
    theirs = meter * np.array([other.aabb_local.min_, other.aabb_local.max_])
    np.testing.assert_allclose(box, theirs, atol=SINGLE_PRECISION)
    np.testing.assert_allclose(box, meter * np.array([[1.0, 2.0, 3.0], [3.0, 3.0, 3.0]]), atol=1e-12)


TO_Z_UP = {
    "X_UP": ([-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]),
    "Y_UP": ([0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
    "Z_UP": ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
}
"""Where the y axis, the z axis and the x axis of a file point to, by COLLADA's table of what is right, up and in."""


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP"])
def test_up_axis_of_a_file_without_author_turns_to_z(read, up):
    corners = SOURCE.replace("0 0 0  2 0 0  2 1 0  0 1 0", "0 0 0  0 1 0  0 0 1  1 0 0")
    text = document().replace(SOURCE, corners).replace(AUTHOR, "").replace("Y_UP", up)
    np.testing.assert_allclose(read(text).vertices[1:], TO_Z_UP[up], atol=1e-15)


def test_up_axis_that_trimesh_writes_means_nothing(read):
    text = document().replace(AUTHOR, "").replace('"p"', '"verts-array"').replace('"#p"', '"#verts-array"')
    np.testing.assert_array_equal(read(text).vertices[1:3], [[2.0, 0.0, 0.0], [2.0, 1.0, 0.0]])


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_shins_of_icub_stand_upright():
    """Its files are Y_UP without author; unturned the shins lie across the legs."""
    model = ts.load(robots_directory() / "icub_description/robots/icub_reduced.urdf")
    (shape, body), *_ = [
        (x, b) for b in model.bodies.values() for x in b.visuals if "l_shank" in getattr(x.geometry, "uri", "")
    ]
    X = ts.frame_pose(model, model.neutral(), body.name) @ shape.pose
    extent = np.ptp(triangles_of(shape.geometry).vertices @ X[:3, :3].T, axis=0)
    assert extent[2] > 1.5 * max(extent[:2])


@pytest.mark.parametrize("meter", ["0", "-1", "inf", "nan"])
def test_a_unit_that_is_no_length_is_refused(read, meter):
    (problem,) = read(document(unit=f'<unit meter="{meter}"/>'))
    assert problem.rule == "mesh-unit"


def test_parts_have_the_names_of_their_nodes(read):
    nodes = NODE.replace("<node>", '<node name="wheel" id="w">') + NODE.replace("<node>", '<node id="axle">') + NODE
    assert sorted(read(document(nodes=nodes)).parts) == [("", 2), ("axle", 2), ("wheel", 2)]
    assert read(document()).parts == ()


SINGLE_PRECISION = 1e-6  # the other program reads coordinates of about one metre as 32-bit numbers


@pytest.mark.parametrize("robot", ["panda_description", "tiago_description", "hyq_description"])
def test_meshes_of_real_robots_fill_the_same_box_as_with_another_reader(robot):
    files = sorted(robots_directory().joinpath(robot).rglob("*.dae"))[:5]
    assert files
    for path in files:
        other = coal.MeshLoader().load(str(path), np.ones(3))
        other.computeLocalAABB()
        mesh = read_mesh(path)
        corners = mesh.vertices[mesh.faces].reshape(-1, 3)
        box = [corners.min(axis=0), corners.max(axis=0)]
        np.testing.assert_allclose(box, [other.aabb_local.min_, other.aabb_local.max_], atol=SINGLE_PRECISION)
