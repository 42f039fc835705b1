"""SDF files with several models: one by name, or all of them together."""

from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ModelFileError, ModelWarning, UnknownNameError

ROUND_OFF = 1e-14
"""Products of a few poses."""
INERTIAL = "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
ROBOT = f"""<pose relative_to="table">0 0 1 0 0 1</pose><link name="a"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link>
<link name="b">{INERTIAL}</link><joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><initial_position>0.25</initial_position></axis></joint>"""
ARM = f"""<pose>0 0 5 0 0 0</pose><link name="a">{INERTIAL}</link>
<joint name="w" type="revolute"><parent>world</parent><child>a</child><axis/></joint>"""
BOX = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'
FLOOR = f'<static>1</static><link name="f"><pose>0 0 -0.5 0 0 0</pose>{BOX}</link>'
FRAME = '<frame name="table"><pose>1 2 3 0 0 0.5</pose></frame>'


def write(path: Path, **models: str) -> Path:
    inside = "".join(f'<model name="{name}">{body}</model>' for name, body in models.items())
    path.write_text(f'<sdf version="1.10"><world name="hall"><gravity>0 0 -2</gravity>{FRAME}{inside}</world></sdf>')
    return path


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write(tmp_path / "world.sdf", robot=ROBOT, floor=FLOOR, arm=ARM)


def test_several_models_that_move_are_refused_with_their_names_and_what_chooses(world):
    with pytest.raises(ModelFileError) as caught:
        ts.load(world)
    message = caught.value.first.message
    assert caught.value.first.rule == "several-models"
    assert all(text in message for text in ("'robot'", "'floor'", "'arm'", "name=", "--name", "'*'"))


def test_name_chooses_a_model_which_stands_where_the_world_has_it(world):
    model = ts.load(world, name="robot")
    assert (model.name, model.base, model.nv) == ("robot", "free", 7)
    assert list(model.gravity) == [0.0, 0.0, -2.0]
    X = ts.frame_pose(model, model.reference, "a")
    c, s = np.cos(1.5), np.sin(1.5)
    np.testing.assert_allclose(X[:3, 3], (1.0 + c, 2.0 + s, 4.0), atol=ROUND_OFF)
    np.testing.assert_allclose(X[:3, 0], (c, s, 0.0), atol=ROUND_OFF)
    assert model.reference[model.joints["j"].q_index] == 0.25


def test_a_name_that_is_not_there_is_refused_with_those_that_are(world):
    with pytest.raises(ModelFileError, match="there is no model 'robbot'; close: 'robot'.*'floor', 'arm'"):
        ts.load(world, name="robbot")


def test_all_models_together_hang_on_the_world_each_with_its_own_base(world):
    model = ts.load(world, name="*")
    assert (model.name, model.base, model.nv) == ("hall", "fixed", 6 + 1 + 1)
    kinds = {joint.name: joint.kind for joint in model.joints.values() if joint.index > 0}
    assert kinds == {"robot::a/free": "free", "robot::j": "continuous", "arm::w": "continuous"}
    alone = ts.load(world, name="robot")
    for name in ("a", "b"):
        expected = ts.frame_pose(alone, alone.reference, name)
        np.testing.assert_allclose(ts.frame_pose(model, model.reference, f"robot::{name}"), expected, atol=ROUND_OFF)
    np.testing.assert_allclose(ts.frame_pose(model, model.reference, "arm::a")[:3, 3], (0, 0, 5), atol=ROUND_OFF)
    np.testing.assert_allclose(ts.frame_pose(model, model.reference, "table")[:3, 3], (1, 2, 3), atol=ROUND_OFF)


def test_static_models_are_shapes_of_the_world_and_weigh_nothing(world):
    model = ts.load(world, name="*")
    (shape,) = model.bodies["world"].collisions
    np.testing.assert_allclose(shape.pose[:3, 3], (0.0, 0.0, -0.5))
    assert model.total_mass == 6.0
    assert model.warnings == ()


def test_models_of_a_world_move_as_each_does_alone(world):
    model, alone = ts.load(world, name="*"), ts.load(world, name="robot")
    rng = np.random.default_rng(1)
    q, v = alone.random(rng), rng.normal(size=7)
    Q, V = model.reference.copy(), np.zeros(8)
    for own, joined in (("base", "robot::a/free"), ("j", "robot::j")):
        Q[model.joints[joined].q_index] = q[alone.joints[own].q_index]
        V[model.joints[joined].v_index] = v[alone.joints[own].v_index]
    got = ts.forward_dynamics(model, Q, V, np.zeros(8))
    expected = ts.forward_dynamics(alone, q, v, np.zeros(7))
    for own, joined in (("base", "robot::a/free"), ("j", "robot::j")):
        np.testing.assert_allclose(
            got[model.joints[joined].v_index], expected[alone.joints[own].v_index], rtol=1e-11, atol=1e-11
        )


def test_loose_links_start_where_they_are_drawn(tmp_path):
    links = "".join(f'<link name="{n}"><pose>{i} 0 1 0 0 {i}</pose>{INERTIAL}</link>' for i, n in enumerate("ab"))
    path = tmp_path / "loose.sdf"
    path.write_text(f'<sdf version="1.10"><model name="m"><pose>0 3 0 0 0 0</pose>{links}</model></sdf>')
    model = ts.load(path)
    X = ts.frame_pose(model, model.reference, "b")
    np.testing.assert_allclose(X[:3, 3], (1.0, 3.0, 1.0), atol=ROUND_OFF)
    np.testing.assert_allclose(X[:2, 0], (np.cos(1), np.sin(1)), atol=ROUND_OFF)


def test_the_only_model_that_moves_is_meant_and_the_warning_tells_of_the_others(tmp_path):
    path = write(tmp_path / "w.sdf", floor=FLOOR, robot=ROBOT)
    with pytest.warns(ModelWarning, match="only 'robot' is read"):
        assert ts.load(path).name == "robot"


def test_static_ends_of_joints_stay_where_they_are(tmp_path):
    """A joint whose child is static: what moves is its parent."""
    joint = '<joint name="j" type="revolute"><parent>box::a</parent><child>floor::f</child><axis/></joint>'
    body = f'<link name="a"><pose>0 0 2 0 0 0</pose>{INERTIAL}</link>'
    path = write(tmp_path / "w.sdf", floor=FLOOR, box=body)
    path.write_text(path.read_text().replace("</world>", joint + "</world>"))
    model = ts.load(path, name="*")
    assert (model.nv, model.joints["j"].child) == (1, "box::a")
    q = np.array([0.5])
    np.testing.assert_allclose(ts.frame_pose(model, q, "floor::f")[:3, 3], (0.0, 0.0, -0.5))
    # The child seen from the parent turns by +0.5 about z, the parent seen from the child by -0.5.
    np.testing.assert_allclose(ts.frame_pose(model, q, "box::a")[0, 1], np.sin(0.5), atol=ROUND_OFF)


def test_a_nested_model_that_is_static_stands_beside_a_free_one(tmp_path):
    path = tmp_path / "m.sdf"
    path.write_text(f'<sdf version="1.10"><model name="m"><link name="a">{INERTIAL}</link>'
                    f'<model name="n">{FLOOR}</model></model></sdf>')  # fmt: skip
    model = ts.load(path)
    assert model.warnings == ()
    assert model.nv == 6


def test_a_link_must_not_be_called_world(tmp_path):
    path = tmp_path / "m.sdf"
    text = '<sdf version="1.6"><model name="m"><link name="world">{}</link>' + ARM + "</model></sdf>"
    path.write_text(text.format(INERTIAL))
    with pytest.raises(ModelFileError) as caught:
        ts.load(path)
    assert caught.value.first.rule == "reserved-name"
    path.write_text(text.format(""))
    with pytest.warns(ModelWarning, match="taken for the world"):
        assert ts.load(path).nv == 1


def test_other_formats_know_one_name(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="one"><link name="a"/></robot>')
    assert ts.load(path, name="one").name == "one"
    with pytest.raises(UnknownNameError, match="'two'.*'one'"):
        ts.load(path, name="two")
