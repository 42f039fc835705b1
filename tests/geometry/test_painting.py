"""Colours and pictures of mesh files reach the triangles that are drawn."""

import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tarsus as ts
from tarsus.geometry.meshes import pictures
from tarsus.geometry.meshes.mtl import parse_mtl
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.shapes import Mesh
from tarsus.geometry.surface import MESH_FACES, surface_of
from tarsus.viewer.palette import COLORS, by_color
from tarsus.viewer.parts import parts_of

RED, BLUE, GREEN, YELLOW = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)
BYTE = 1.0 / 255.0
"""Colours pass through bytes."""

SQUARES = """mtllib two.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl plain
f 1 2 3 4
usemtl wrapped
f 5/1 6/2 7/3 8/4
"""
LIBRARY = "newmtl plain\nKd 1 0 0\nnewmtl wrapped\nKd 1 1 1\nmap_Kd -s 1 1 1 four.png\n"


def collada(effect: str, texcoord: str = "") -> str:
    return f"""<COLLADA><library_images><image id="img"><init_from>./four.png</init_from></image></library_images>
<library_effects><effect id="fx"><profile_COMMON>
<newparam sid="surf"><surface><init_from>img</init_from></surface></newparam>
<newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>
<technique><phong><diffuse>{effect}</diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mat"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array></source>
<source id="t"><float_array count="8">0 0 1 0 1 1 0 1</float_array>
<technique_common><accessor stride="2"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="sym"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#t" offset="1"/><vcount>4</vcount><p>0 0 1 1 2 2 3 3</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="sym" target="#mat"/></technique_common></bind_material></instance_geometry></node>
</visual_scene></library_visual_scenes></COLLADA>"""


@pytest.fixture(name="directory")
def _directory(tmp_path: Path) -> Path:
    """A picture of four colours: red and green above, blue and yellow below."""
    picture = np.zeros((2, 2, 3), dtype=np.uint8)
    picture[0], picture[1] = (np.array([RED, GREEN]) * 255), (np.array([BLUE, YELLOW]) * 255)
    Image.fromarray(np.kron(picture, np.ones((8, 8, 1), np.uint8))).save(tmp_path / "four.png")
    (tmp_path / "two.mtl").write_text(LIBRARY)
    (tmp_path / "two.obj").write_text(SQUARES)
    return tmp_path


def color_at(surface, x: float, y: float, z: float) -> np.ndarray:
    """Colour of the triangle whose centre is nearest to a point."""
    centres = surface.corners.mean(axis=1)
    return surface.colors[np.argmin(np.linalg.norm(centres - (x, y, z), axis=1))]


def four_colors(surface, z: float) -> None:
    """The picture lies on the square at height z the right way up."""
    for x, y, color in ((0.2, 0.8, RED), (0.8, 0.8, GREEN), (0.2, 0.2, BLUE), (0.8, 0.2, YELLOW)):
        np.testing.assert_allclose(color_at(surface, x, y, z), color, atol=BYTE)


def test_faces_of_an_obj_file_have_the_colours_and_pictures_of_their_materials(directory):
    surface = surface_of(Mesh("two", str(directory / "two.obj")))
    plain = surface.corners[:, 0, 2] == 0.0
    np.testing.assert_array_equal(surface.colors[plain], np.broadcast_to(RED, (plain.sum(), 3)))
    four_colors(surface, 1.0)


@pytest.mark.parametrize("unwrapped", [{"own_colors": False}, {}])
def test_a_mesh_without_colours_has_that_of_its_shape(directory, unwrapped):
    if not unwrapped:
        (directory / "two.mtl").unlink()
    surface = surface_of(Mesh("two", str(directory / "two.obj"), **unwrapped))
    assert surface.colors is None
    np.testing.assert_array_equal(surface.colors_over((0.1, 0.2, 0.3, 1.0))[0], (0.1, 0.2, 0.3))


def test_colours_and_pictures_of_collada_effects_are_bound_by_their_symbols(directory):
    path = directory / "plate.dae"
    path.write_text(collada("<color>0 0 1 1</color>"))
    np.testing.assert_array_equal(surface_of(Mesh("plate", str(path))).colors, [BLUE, BLUE])
    path.write_text(collada('<texture texture="samp" texcoord="UV"/>') + "\n")
    four_colors(surface_of(Mesh("plate", str(path))), 0.0)


def test_a_texture_of_mjcf_is_wrapped_around_a_mesh_and_its_own_colours_are_not_shown(directory):
    path = directory / "robot.xml"
    path.write_text("""<mujoco><asset><texture name="t" type="2d" file="four.png"/><material name="m" texture="t"/>
      <texture name="c" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
      <material name="checked" texture="c"/><mesh file="two.obj" inertia="shell"/></asset><worldbody><body><freejoint/>
      <geom type="mesh" mesh="two" material="m"/><geom type="box" size="1 1 1" material="checked"/></body></worldbody>
      </mujoco>""")
    wrapped, checked = next(iter(ts.load(path).bodies.values())).visuals
    four_colors(surface_of(wrapped.geometry), 1.0)
    assert checked.color == (0.5, 0.0, 0.5, 1.0)


def test_pictures_are_cut_finely_within_the_limit_of_triangles(directory):
    surface = surface_of(Mesh("two", str(directory / "two.obj")))
    assert 1000 < len(surface.corners) <= MESH_FACES
    area = np.linalg.norm(np.cross(*(np.diff(surface.corners, axis=1)[:, k] for k in (0, 1))), axis=1) / 2.0
    assert area.sum() == pytest.approx(2.0, rel=1e-12)


def test_renderers_get_one_part_a_colour_and_bounded_many(directory):
    (directory / "robot.urdf").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="two.obj"/></geometry></visual></link></robot>'
    )
    model = ts.load(directory / "robot.urdf")
    colors = {tuple(np.round(part.color[:3], 2)) for part in parts_of(model)}
    assert colors == {RED, BLUE, GREEN, YELLOW}
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    Image.fromarray(noise).save(directory / "four.png")
    surface = surface_of(Mesh("two", str(directory / "two.obj")))
    pieces = list(by_color(surface, (0.5, 0.5, 0.5, 0.3)))
    assert 10 < len(pieces) <= COLORS
    assert sum(len(piece.corners) for piece, _ in pieces) == len(surface.corners)
    assert {color[3] for _, color in pieces} == {0.3}


def bomb(side: int) -> bytes:
    """A PNG of side x side pixels in a few bytes; its pixels are missing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def test_a_picture_that_is_too_large_is_refused_by_its_header_before_memory_is_taken(directory):
    (directory / "four.png").write_bytes(bomb(9_000))
    tracemalloc.start()
    with pytest.warns(ts.errors.ModelWarning, match="9000 x 9000 pixels are more than the limit"):
        surface = surface_of(Mesh("two", str(directory / "two.obj")))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert len(surface.corners) == 4


def test_a_picture_file_beyond_the_limit_is_not_opened(directory, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PICTURE_SIZE", 10)
    assert "more than the limit of 10" in pictures.read_picture(str(directory / "four.png"))


@pytest.mark.parametrize("name", ["../../../../../../etc/passwd.png", "/etc/hostname", "missing.png"])
def test_pictures_far_from_the_mesh_are_not_looked_at(directory, name):
    inner = directory / "a" / "b" / "c"
    inner.mkdir(parents=True)
    assert pictures.find_picture(str(inner / "two.obj"), name) is None


def test_pictures_with_paths_of_another_machine_are_found_beside_the_mesh(directory):
    assert pictures.find_picture(str(directory / "two.obj"), "C:\\art\\four.png") == str(directory / "four.png")


def test_statements_of_a_library_that_make_no_sense_are_passed_over():
    found = parse_mtl(
        b"Kd 1 0 0\nnewmtl a\nKd one\nnewmtl b\nKd 0.5 0.25 7\nmap_Kd\n\xff\xfe\nnewmtl c\nmap_Kd my wood.png"
    )
    assert found["a"].color is None
    assert found["b"].color == (0.5, 0.25, 1.0, 1.0)
    assert found["c"].picture == "my wood.png"


def test_texture_coordinates_that_are_missing_or_wrong_are_no_defect_of_a_mesh(tmp_path):
    path = tmp_path / "odd.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt nan 0\nusemtl m\nf 1/9 2/1 3\nf 1/1 3/2 4/-7\n")
    mesh = read_mesh(path)
    assert len(mesh.faces) == 2
    assert mesh.paint is not None and mesh.paint.uv is None
