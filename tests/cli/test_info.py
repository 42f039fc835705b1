"""`tarsus info`."""

import json

import pytest
from robot_data import robot_data_path
from sample_models import chain, zoo
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.cli.models.info import summary
from tarsus.cli.models.tree import tree_lines

KEYS = {
    "name",
    "file",
    "base",
    "nq",
    "nv",
    "nb",
    "total_mass",
    "center_of_mass",
    "extent",
    "bodies",
    "joints",
    "frames",
    "couplings",
    "loops",
    "tendons",
    "leading",
    "coupling_mode",
    "warnings",
}
LOOP = """<sdf version="1.7"><model name="fourbar">
<link name="ground"><inertial><mass>1</mass></inertial></link>
<link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><inertial><mass>1</mass></inertial></link>
<joint name="j1" type="revolute"><parent>ground</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j2" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="j3" type="revolute"><parent>ground</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def run(*arguments):
    return CliRunner().invoke(app, ["info", *arguments])


def test_every_body_and_joint_is_shown():
    result = run("robot:hrp2")
    model = ts.robots.hrp2()
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    for body in model.bodies.values():
        assert any(body.name in row and body.joint in row for row in rows)
    assert f"nq {model.nq}, nv {model.nv}" in result.stdout
    assert f"{model.total_mass:.4g} kg" in result.stdout


@pytest.mark.parametrize(
    "robot", ["crops9", "feng18", "hrp2", "lola", "planar4", "quadruped", "rabbit", "shah7", "coil:5", "dill:3"]
)
def test_every_built_in_robot_can_be_shown(robot):
    result = run(f"robot:{robot}")
    assert result.exit_code == 0
    assert "reference pose" in result.stdout


def test_json_has_the_documented_keys_and_the_models_numbers():
    result = run("robot:lola", "--json")
    report, model = json.loads(result.stdout), ts.robots.lola()
    assert set(report) == KEYS
    assert (report["nq"], report["nv"], report["nb"]) == (model.nq, model.nv, model.nb)
    assert report["total_mass"] == pytest.approx(model.total_mass)
    assert report["center_of_mass"] == pytest.approx(ts.center_of_mass(model, model.reference).tolist())
    assert [joint["name"] for joint in report["joints"]] == list(model.joints)
    assert [body["name"] for body in report["bodies"]] == list(model.bodies)


def test_json_has_null_where_there_is_no_limit():
    result = run("robot:coil:3", "--json")
    assert "Infinity" not in result.stdout
    joint = json.loads(result.stdout)["joints"][1]
    places, limits = {"q_index", "v_index"}, {"q_min", "q_max", "v_max", "tau_max"}
    assert set(joint) == {"name", "kind", "parent", "child", "axis", "actuated"} | places | limits
    assert (joint["q_min"], joint["tau_max"]) == ([None], [None])


def test_base_can_be_chosen():
    assert json.loads(run("robot:hrp2", "--base", "fixed", "--json").stdout)["base"] == "fixed"
    path = str(robot_data_path("talos_data/robots/talos_reduced.urdf"))
    fixed, free = (json.loads(run(path, *base, "--json").stdout) for base in ((), ("--base", "free")))
    assert free["nv"] == fixed["nv"] + 6


def test_couplings_are_shown():
    result = run(str(robot_data_path("panda_description/urdf/panda.urdf")))
    assert result.exit_code == 0
    assert "panda_finger_joint2 = 1 panda_finger_joint1 +0" in result.stdout
    assert "prismatic (follows)" in result.stdout


def test_loops_are_opened_and_this_is_said(tmp_path):
    path = tmp_path / "fourbar.sdf"
    path.write_text(LOOP)
    result = run(str(path))
    assert result.exit_code == 0
    assert "kinematic loops (opened" in result.stdout
    report = json.loads(run(str(path), "--json").stdout)
    assert (len(report["loops"]), report["coupling_mode"]) == (1, "cut")


def test_warnings_are_shown(tmp_path):
    path = tmp_path / "light.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    result = run(str(path))
    assert result.exit_code == 0
    assert "undetermined" in result.stdout
    assert "warning" in result.stdout.splitlines()[-1]


def test_height_of_a_robot_of_primitives_is_that_of_its_shapes():
    report = json.loads(run("robot:hrp2", "--json").stdout)
    assert report["extent"]["of"] == "shapes"
    assert report["extent"]["min"][2] == pytest.approx(0.0, abs=5e-3)
    assert 1.4 < report["extent"]["max"][2] < 1.7


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        (ts.model.Box((2.0, 4.0, 6.0)), (2.0, 6.0, 4.0)),
        (ts.model.Sphere(0.5), (1.0, 1.0, 1.0)),
        (ts.model.Cylinder(0.5, 3.0), (1.0, 3.0, 1.0)),
        (ts.model.Capsule(0.5, 3.0), (1.0, 4.0, 1.0)),
        (ts.model.Ellipsoid((1.0, 2.0, 3.0)), (2.0, 6.0, 4.0)),
    ],
)
def test_extent_of_a_shape_turned_about_x_by_a_quarter(geometry, expected):
    X = ts.pose((10.0, 0.0, 0.0), ts.spatial.rotation_x(3.141592653589793 / 2))
    builder = ts.ModelBuilder().add_link("a", visuals=[ts.model.Shape(geometry, X)])
    box = summary(builder.build())["extent"]
    assert [high - low for low, high in zip(box["min"], box["max"], strict=True)] == pytest.approx(expected)
    assert (box["min"][0] + box["max"][0]) / 2 == pytest.approx(10.0)


def test_extent_of_a_robot_with_meshes_is_that_of_its_frames():
    report = json.loads(run(str(robot_data_path("talos_data/robots/talos_reduced.urdf")), "--json").stdout)
    assert report["extent"]["of"] == "frames"


def test_tree_lists_every_body_once_parents_first():
    model = zoo().build()
    names = [body.name for _, body in tree_lines(model)]
    assert names == list(model.bodies)


def test_chain_of_ten_thousand_bodies_stays_narrow():
    lines = [lead + body.name for lead, body in tree_lines(chain(10_000).build())]
    assert len(lines) == 10_001
    assert max(map(len, lines)) < 20


def test_comb_of_a_thousand_teeth_stays_narrow():
    builder = ts.ModelBuilder("comb").add_link("s0")
    for i in range(1, 1001):
        builder.add_link(f"s{i}").add_joint(f"js{i}", "revolute", f"s{i - 1}", f"s{i}")
        builder.add_link(f"t{i}").add_joint(f"jt{i}", "revolute", f"s{i - 1}", f"t{i}")
    assert max(len(lead) for lead, _ in tree_lines(builder.build())) < 80


def test_unknown_robot_is_wrong_usage_and_close_names_are_told():
    result = run("robot:hrp3")
    assert result.exit_code == 2
    assert "hrp2" in result.output


@pytest.mark.parametrize(
    "arguments", [["robot:coil"], ["robot:coil:x"], ["robot:hrp2:3"], ["robot:coil:3", "--base", "free"], []]
)
def test_wrong_usage_has_exit_code_two(arguments):
    assert run(*arguments).exit_code == 2


def test_defective_file_is_one_line_on_stderr(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text('<robot name="r"><link name="a"/><link name="a"/><link name="b"/></robot>')
    result = run(str(path))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "bad.urdf:1: error: " in result.stderr
    assert "`tarsus check` lists all" in result.stderr


def test_missing_file_is_one_line_on_stderr():
    result = run("gone.urdf")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "gone.urdf" in result.stderr
