"""`tarsus distances`."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.io.volume_file import write_volume_file

URDF = """<robot name="r">
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
    <limit lower="-5" upper="5" effort="1" velocity="1"/></joint>
  <joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><origin xyz="1 0 0"/>
    <limit lower="-5" upper="5" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    sphere = ts.collision.SweptSphere([0, 0, 0], 0.1)
    write_volume_file(tmp_path / "r.volumes.toml", {"a": sphere, "b": sphere, "c": sphere})
    return tmp_path / "r.urdf"


def run(*arguments):
    return CliRunner().invoke(app, ["distances", *map(str, arguments)])


def test_nearest_pair_is_printed_with_its_points(robot):
    result = run(robot)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("1 pair of 3 segments")  # neighbours are left out
    assert lines[1].replace("(", " ").replace(")", " ").replace(",", " ").split() == [
        *("a", "c", "0.8000"), *("0.1000", "0.0000", "0.0000"), *("0.9000", "0.0000", "0.0000")
    ]  # fmt: skip
    assert result.stderr == ""


def test_a_configuration_by_names_moves_the_robot_and_overlap_is_told(robot):
    result = run(robot, "--q", "j=-0.45", "--q", "k=-0.4", "--json")
    told = json.loads(result.stdout)
    assert told["pairs"] == 1
    assert told["nearest"][0]["pair"] == ["a", "c"]
    assert told["nearest"][0]["distance"] == pytest.approx(-0.05)
    assert "reference" not in result.stderr
    np.testing.assert_allclose(np.shape(told["nearest"][0]["points"]), (2, 3))


def test_overlap_in_the_reference_pose_is_a_warning(robot):
    head, tail = URDF.split('<joint name="k"')
    robot.write_text(f'{head}<joint name="k"' + tail.replace('<origin xyz="1 0 0"/>', '<origin xyz="0.05 0 0"/>'))
    result = run(robot)
    assert "1 pair overlap there: a and c by 150 mm" in result.stderr
    assert "already in the reference pose" in run(robot, "--q", "j=1").stderr


def test_built_in_robots_tell_what_is_left_out():
    result = run("robot:lola", "--count", 4)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 6 and "always overlap are left out; --all shows them" in lines[-1]
    every = run("robot:lola", "--count", 4, "--all").stdout.splitlines()
    assert len(every) == 5
    assert int(every[0].split()[0]) > int(lines[0].split()[0])


def test_models_without_volumes_say_how_to_get_some(robot):
    robot.with_name("r.volumes.toml").unlink()
    result = run(robot)
    assert result.exit_code == 1
    assert "has no volumes to measure between; `tarsus fit" in result.stderr
    assert "no joint 'x'" in run("robot:lola", "--q", "x=1").stderr


def test_the_hint_for_a_built_in_robot_works(tmp_path):
    result = run("robot:rabbit")
    assert "`tarsus fit robot:rabbit -o my.volumes.toml` and then `--volumes my.volumes.toml`" in result.stderr
