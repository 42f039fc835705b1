"""SRDF beside a URDF: poses by name, pairs that may not collide, and what does not fit."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ModelFileError, ModelWarning

URDF = """<robot name="r">
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="wheel" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
</robot>"""
SRDF = """<robot name="r">
  <virtual_joint name="world_joint" type="floating" parent_frame="world" child_link="a"/>
  <group_state name="standing" group="leg"><joint name="hip" value="0.5"/>
    <joint name="world_joint" value="0 0 0.9 0 0.6 0 0.8"/></group_state>
  <group_state name="standing" group="wheel"><joint name="wheel" value="0 1"/></group_state>
  <group_state name="zero" group="leg"><joint name="hip" value="0"/></group_state>
  <disable_collisions link1="b" link2="a" reason="Adjacent"/>
  {}
</robot>"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)

    def write(more=""):
        (tmp_path / "r.srdf").write_text(SRDF.format(more))
        return tmp_path / "r.urdf", tmp_path / "r.srdf"

    return write


def test_group_states_are_poses_and_pairs_are_kept(files):
    urdf, srdf = files()
    model = ts.load(urdf, "free", srdf=srdf)
    np.testing.assert_allclose(model.poses["standing"], [0, 0, 0.9, 0.8, 0, 0.6, 0, 0.5, np.pi / 2], atol=1e-15)
    np.testing.assert_allclose(model.poses["zero"], model.reference, atol=1e-15)
    assert model.collision_exclusions == (("a", "b"),)
    fixed = ts.load(urdf, srdf=srdf)
    np.testing.assert_allclose(fixed.poses["standing"], [0.5, np.pi / 2], atol=1e-15)
    standing = model.with_reference(model.poses["standing"])
    np.testing.assert_allclose(standing.reference, model.poses["standing"], atol=1e-15)
    assert standing.collision_exclusions == model.collision_exclusions


def test_what_the_robot_does_not_have_is_told(files):
    wrong = """<disable_collisions link1="a" link2="d"/>
      <group_state name="x" group="g"><joint name="hipp" value="1"/><joint name="hip" value="1 2"/></group_state>"""
    with pytest.warns(ModelWarning, match="the robot has no joint 'hipp'"):
        model = ts.load(*files(wrong)[:1], srdf=files(wrong)[1])
    assert {p.rule for p in model.warnings} == {"srdf-unknown-joint", "srdf-unknown-link", "srdf-coordinates"}
    with pytest.raises(ModelFileError, match="value"):
        urdf, srdf = files('<group_state name="x" group="g"><joint name="hip" value="up"/></group_state>')
        ts.load(urdf, srdf=srdf)


def test_an_srdf_is_told_from_a_model(files):
    urdf, srdf = files()
    with pytest.raises(ModelFileError, match="this is an SRDF: load the robot's URDF, with this file as srdf="):
        ts.load(srdf)
    with pytest.raises(ModelFileError, match="this is a URDF, not an SRDF"):
        ts.load(urdf, srdf=urdf)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_talos_half_sits():
    urdf = robot_data_path("talos_data/robots/talos_reduced.urdf")
    model = ts.load(urdf, "free", srdf=robot_data_path("talos_data/srdf/talos.srdf"))
    q = model.poses["half_sitting"]
    assert 0.9 < q[2] < 1.2 and np.any(q[7:])
    soles = [ts.frame_pose(model, q, f"{side}_sole_link")[2, 3] for side in ("left", "right")]
    np.testing.assert_allclose(soles, 0.0, atol=2e-3)


def test_the_warning_names_the_file_it_is_about(tmp_path):
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    path = tmp_path / "r.srdf"
    path.write_text('<robot name="r"><disable_collisions link1="a" link2="zz"/></robot>')
    with pytest.warns(ModelWarning) as caught:
        ts.load(tmp_path / "r.urdf", srdf=path)
    (message,) = [str(w.message) for w in caught]
    assert message.startswith(f"{path}: line 1: the robot has no link 'zz'")
    assert "r.urdf" not in message


def test_links_disabled_by_default_are_checked_only_where_enabled(tmp_path):
    (tmp_path / "r.urdf").write_text(
        '<robot name="r"><link name="a"/>'
        + "".join(
            f'<link name="{n}"/><joint name="j{n}" type="fixed"><parent link="a"/><child link="{n}"/></joint>'
            for n in "bcd"
        )
        + "</robot>"
    )
    (tmp_path / "r.srdf").write_text(
        '<robot name="r"><disable_default_collisions link="a"/><enable_collisions link1="c" link2="a"/>'
        '<disable_collisions link1="d" link2="b"/></robot>'
    )
    model = ts.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")
    assert model.collision_exclusions == (("a", "b"), ("a", "d"), ("b", "d"))
