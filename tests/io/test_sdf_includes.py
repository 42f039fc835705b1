"""Models that SDF files include: where they stand, what they are called, which file is read."""

from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelFileError, ModelWarning
from tarsus.geometry.surface import surface_of
from tarsus.io.model_document import model_from_document, model_to_document
from tarsus.io.sdf import read_sdf, read_sdf_text

ROUND_OFF = 1e-14
"""Products of a few poses."""
INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BASE = f'<link name="a"><pose>0.2 0.3 0.1 0 0 0.4</pose>{INERTIAL}</link>'
WELD = '<joint name="ww" type="fixed"><parent>world</parent><child>a</child></joint>'
HAND = f"""<sdf version="1.9"><model name="h"><pose>0.3 0 0 0 0 0.2</pose>
<link name="palm"><pose>0 0.1 0 0.3 0 0</pose>{INERTIAL}</link>
<link name="finger"><pose relative_to="__model__">0 0.1 0.5 0.3 0 0.1</pose>{INERTIAL}
<visual name="v"><pose relative_to="__model__">1 0 0 0 0 0</pose><geometry><sphere/></geometry></visual></link>
<frame name="grip"><pose>0.5 0.1 0.2 0.4 0.3 0.2</pose></frame>
<frame name="tip" attached_to="fj"><pose>0 0 0.3 0 0 0</pose></frame>
<joint name="fj" type="revolute"><pose>0 0 0.1 0 0 0</pose><parent>palm</parent><child>finger</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint></model></sdf>"""


def robot(directory: Path, include: str, prefix: str = "", hand: str = HAND) -> ts.Model:
    """A robot that holds a hand by its palm."""
    (directory / "hand").mkdir(exist_ok=True)
    (directory / "hand" / "model.sdf").write_text(hand)
    hold = f'<joint name="w" type="fixed"><parent>a</parent><child>{prefix}palm</child></joint>'
    path = directory / "robot.sdf"
    path.write_text(f'<sdf version="1.10"><model name="m">{BASE}{include}{hold}{WELD}</model></sdf>')
    return ts.load(path)


def turn_z(angle: float, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])


X_WA = turn_z(0.4, 0.2, 0.3, 0.1)


def test_placement_frame_stands_where_the_pose_says(tmp_path):
    pose = '<pose relative_to="a">0 0 1 0 0 0.5</pose><placement_frame>grip</placement_frame>'
    model = robot(tmp_path, f"<include><uri>hand</uri><name>left</name>{pose}</include>", "left::")
    expected = X_WA @ turn_z(0.5, 0, 0, 1)
    np.testing.assert_allclose(ts.frame_pose(model, model.neutral(), "left::grip"), expected, atol=ROUND_OFF)


def test_merged_models_stand_and_move_as_nested_ones_under_their_own_names(tmp_path):
    inside = '<uri>hand</uri><name>left</name><pose relative_to="a">0 0 1 0 0 0.5</pose>'
    for extra in ("", "<placement_frame>grip</placement_frame>"):
        merged = robot(tmp_path, f'<include merge="true">{inside}{extra}</include>')
        nested = robot(tmp_path, f"<include>{inside}{extra}</include>", "left::")
        q = np.array([0.7])
        for name in ("palm", "finger", "grip", "tip"):
            expected = ts.frame_pose(nested, q, f"left::{name}")
            np.testing.assert_allclose(ts.frame_pose(merged, q, name), expected, atol=ROUND_OFF)
        assert "fj" in merged.joints


@pytest.mark.parametrize("version", ["1.4", "1.6", "1.9"])
def test_axes_of_merged_models_keep_the_frame_of_their_version(tmp_path, version):
    hand = HAND.replace('version="1.9"', f'version="{version}"').replace(' expressed_in="__model__"', "")
    inside = '<uri>hand</uri><name>left</name><pose relative_to="a">0 0 1 0.3 0 0.5</pose>'
    merged = robot(tmp_path, f'<include merge="1">{inside}</include>', hand=hand)
    nested = robot(tmp_path, f"<include>{inside}</include>", "left::", hand)
    q = np.array([0.7])
    expected = ts.frame_pose(nested, q, "left::finger")
    np.testing.assert_allclose(ts.frame_pose(merged, q, "finger"), expected, atol=ROUND_OFF)


def test_problems_in_merged_models_name_their_file(tmp_path):
    broken = HAND.replace("<mass>2</mass>", "<mass>x</mass>", 1)
    with pytest.raises(ModelFileError) as caught:
        robot(tmp_path, '<include merge="true"><uri>hand</uri></include>', hand=broken)
    assert (Path(caught.value.first.file).name, caught.value.first.line) == ("model.sdf", 2)


def test_a_world_cannot_merge(tmp_path):
    (tmp_path / "h.sdf").write_text(HAND)
    path = tmp_path / "w.sdf"
    include = '<include merge="true"><uri>h.sdf</uri></include>'
    path.write_text(f'<sdf version="1.10"><world name="w">{include}</world></sdf>')
    with pytest.raises(ModelFileError) as caught:
        read_sdf(path)
    assert caught.value.first.rule == "merge"


def test_model_config_names_the_file_of_the_newest_known_version(tmp_path):
    directory = tmp_path / "hand"
    directory.mkdir()
    for name in ("old", "new", "newest"):
        (directory / f"{name}.sdf").write_text(HAND.replace('name="h"', f'name="{name}"'))
    files = {"1.5": "old.sdf", "1.9": "new.sdf", "1.4": "older.sdf", "9.9": "newest.sdf"}
    entries = "".join(f'<sdf version="{version}">{file}</sdf>' for version, file in files.items())
    (directory / "model.config").write_text(f"<model><name>x</name>{entries}</model>")
    path = tmp_path / "robot.sdf"
    path.write_text(f'<sdf version="1.10"><model name="m">{BASE}<include><uri>hand</uri></include></model></sdf>')
    description, _ = read_sdf(path)
    assert [link.name for link in description.links][-2:] == ["new::palm", "new::finger"]


def test_model_config_cannot_lead_outside(tmp_path):
    (tmp_path / "secret.sdf").write_text(HAND)
    directory = tmp_path / "package" / "hand"
    directory.mkdir(parents=True)
    (directory / "model.config").write_text('<model><sdf version="1.9">../../secret.sdf</sdf></model>')
    path = tmp_path / "package" / "robot.sdf"
    path.write_text(f'<sdf version="1.10"><model name="m">{BASE}<include><uri>hand</uri></include></model></sdf>')
    with pytest.raises(ModelFileError) as caught:
        read_sdf(path)
    assert caught.value.first.rule == "path-outside-package"


def test_frames_attached_to_a_joint_move_with_its_child():
    description, problems = read_sdf_text(HAND)
    frames = {frame.name: frame for frame in description.frames}
    assert [p for p in problems if p.severity == "error"] == []
    assert frames["tip"].link == "finger"
    np.testing.assert_allclose(frames["tip"].pose[:3, 3], (0.0, 0.0, 0.4), atol=ROUND_OFF)


def test_shapes_may_stand_relative_to_the_model():
    description, _ = read_sdf_text(HAND)
    finger = next(link for link in description.links if link.name == "finger")
    model = ts.model.assembly.assemble(description)
    X_WF = ts.frame_pose(model, model.reference, "finger")
    X_WM = turn_z(0.2, 0.3)
    expected = X_WM @ np.array([1.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose((X_WF @ finger.visuals[0].pose)[:, 3], expected, atol=ROUND_OFF)


def test_placement_frames_that_are_not_there_are_refused():
    text = HAND.replace('<model name="h">', '<model name="h" placement_frame="grib">')
    (error,) = [p for p in read_sdf_text(text)[1] if p.severity == "error"]
    assert error.rule == "unknown-frame"
    assert "close: 'grip'" in error.message


PARTS = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
o base
f 1 3 2
o wheel
v 5 0 0
v 7 0 0
v 5 4 0
v 5 0 6
f 5 7 6
f 5 6 8
f 5 8 7
f 6 7 8
"""


def with_part(tmp_path, submesh):
    (tmp_path / "m.obj").write_text(PARTS)
    shape = f"<geometry><mesh><uri>m.obj</uri><scale>2 2 2</scale>{submesh}</mesh></geometry>"
    shapes = f"<visual name='v'>{shape}</visual><collision name='c'>{shape}</collision>"
    path = tmp_path / "r.sdf"
    path.write_text(
        f'<sdf version="1.11"><model name="m"><link name="l"><inertial auto="true"/>{shapes}</link></model></sdf>'
    )
    return path


@pytest.mark.parametrize(("center", "middle"), [("false", (6.0, 2.0, 3.0)), ("true", (0.0, 0.0, 0.0))])
def test_a_part_of_a_mesh_stands_for_itself_in_pictures_and_mass(tmp_path, center, middle):
    """A tetrahedron of edges 2, 4, 6, twice as large: volume 8 x 2 x 4 x 6 / 6, centre a quarter along each edge."""
    path = with_part(tmp_path, f"<submesh><name>wheel</name><center>{center}</center></submesh>")
    model = ts.load(path)
    assert model.warnings == ()
    body = model.bodies["l"]
    corners = surface_of(body.visuals[0].geometry).corners.reshape(-1, 3)
    np.testing.assert_allclose(
        (corners.min(axis=0) + corners.max(axis=0)) / 2.0, 2.0 * np.array(middle), atol=ROUND_OFF
    )
    np.testing.assert_allclose(np.ptp(corners, axis=0), [4.0, 8.0, 12.0], atol=ROUND_OFF)
    assert body.inertia.mass == pytest.approx(1000.0 * 64.0)
    expected = 2.0 * (np.array(middle) + np.array([2.0, 4.0, 6.0]) * (0.25 - 0.5))
    np.testing.assert_allclose(body.inertia.com, expected, atol=1e-9)


def test_a_part_survives_a_document_and_is_not_written_to_urdf(tmp_path):
    model = ts.load(with_part(tmp_path, "<submesh><name>wheel</name><center>1</center></submesh>"))
    content, meshes, problems = model_to_document(model)
    assert problems == []
    again = model_from_document(content, meshes)
    before, after = (surface_of(m.bodies["l"].visuals[0].geometry).corners for m in (model, again))
    np.testing.assert_allclose(after, before, atol=ROUND_OFF)
    with pytest.warns(ModelWarning, match="part 'wheel' of a mesh of link 'l'"):
        ts.write_urdf(model, tmp_path / "r.urdf")


def test_a_part_that_is_not_there_is_told_with_those_that_are(tmp_path):
    path = with_part(tmp_path, "<submesh><name>wheels</name></submesh>")
    path.write_text(path.read_text().replace('<inertial auto="true"/>', INERTIAL))
    _, problems = read_sdf(path)
    assert {(p.severity, p.rule, p.value) for p in problems} == {("warning", "mesh-part", "wheels")}
    assert "there is no part 'wheels'; parts: 'base', 'wheel'" in problems[0].message


def test_a_submesh_without_a_name_is_refused(tmp_path):
    path = with_part(tmp_path, "<submesh/>")
    assert any(p.rule == "missing-element" and "<submesh>" in p.message for p in read_sdf(path)[1])


STATIC = f"""<sdf version="1.9"><model name="m"><pose>1 0 0 0 0 0.3</pose>
<link name="arm"><pose>0 0 1 0 0 0</pose>{INERTIAL}</link>
<model name="table"><static>true</static><pose>0 1 0 0 0 0</pose>
<link name="top">{INERTIAL}</link><link name="lamp"><pose>0 0 2 0 0 0</pose>{INERTIAL}</link>
<joint name="neck" type="revolute"><parent>top</parent><child>lamp</child><axis><xyz>0 1 0</xyz></axis></joint></model>
<joint name="j" type="revolute"><parent>arm</parent><child>table::top</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def test_a_static_nested_model_stands_still_and_what_hangs_on_it_moves(tmp_path):
    path = tmp_path / "r.sdf"
    path.write_text(STATIC)
    model = ts.load(path)
    assert model.warnings == ()
    assert (model.nv, list(model.bodies)) == (1, ["world", "arm"])
    drawn = ts.frame_poses(model, model.reference, ["arm", "table::top", "table::lamp"])
    X_WM = np.array([[np.cos(0.3), -np.sin(0.3), 1.0], [np.sin(0.3), np.cos(0.3), 0.0]])
    np.testing.assert_allclose(drawn[0, :3, 3], [1.0, 0.0, 1.0], atol=ROUND_OFF)
    np.testing.assert_allclose(drawn[1, :3, 3], [*(X_WM @ [0.0, 1.0, 1.0]), 0.0], atol=ROUND_OFF)
    moved = ts.frame_poses(model, model.reference + 0.7, ["arm", "table::top", "table::lamp"])
    np.testing.assert_allclose(moved[1:], drawn[1:], atol=ROUND_OFF)
    assert np.abs(moved[0] - drawn[0]).max() > 0.1
