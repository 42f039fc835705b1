"""`tarsus fit`."""

import json

import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.io.volume_file import read_volume_file

URDF = """<robot name="r">
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
  <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    return tmp_path / "r.urdf"


def run(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)])


def test_volumes_are_written_beside_the_model_and_found_by_load(robot):
    result = run(robot)
    assert result.exit_code == 0, result.output
    model = ts.load(robot)
    assert list(model.volumes) == ["a", "b"]
    assert [volume.kind for volume in model.volumes["b"]] == ["point"]
    fitted = ts.collision.fit(ts.load(robot, volumes=False))
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0][0] == "link" and rows[1][0] == "a" and rows[2][:3] == ["b", "1", "point"]
    assert sum(int(word) for word in rows[1][1:] if word.isdecimal()) >= len(fitted["a"])
    assert rows[2][-1] == f"{fitted.links[1].tightness:.2f}"
    assert rows[3][0] == "robot" and rows[3][-1] == f"{fitted.tightness:.2f}"
    assert rows[4] == "c: left out, no collision shapes".split()
    assert result.stdout.splitlines()[-1].endswith(f"{fitted.count} volumes of 2 links")


def test_options_reach_the_fit(robot, tmp_path):
    out = tmp_path / "coarse.toml"
    result = run(robot, "-o", out, "--max-volumes", 1, "--json")
    told = json.loads(result.stdout)
    assert told["count"] == 2 and told["file"] == str(out)
    assert [len(v) for v in read_volume_file(out).values()] == [1, 1]
    assert told["links"][0]["tightness"] > 1.5
    assert told["skipped"] == {"c": "no collision shapes"}
    assert not (tmp_path / "r.volumes.toml").exists()


def test_a_broken_volume_file_is_replaced(robot, tmp_path):
    (tmp_path / "r.volumes.toml").write_text("nonsense")
    assert run(robot).exit_code == 0
    assert ts.load(robot).volumes


def test_built_in_robots_need_a_file_to_write(tmp_path):
    result = run("robot:planar4")
    assert result.exit_code == 2 and "-o names" in result.output
    result = run("robot:planar4", "-o", tmp_path / "p.toml")
    assert result.exit_code == 0
    assert list(read_volume_file(tmp_path / "p.toml")) == list(ts.robots.planar4().bodies)


def test_what_cannot_be_enclosed_is_one_line(robot):
    robot.write_text(URDF.replace('<sphere radius="0.1"/>', '<mesh filename="gone.stl"/>'))
    result = run(robot)
    assert result.exit_code == 1
    assert "tarsus: link 'b': mesh 'gone.stl' cannot be enclosed: its file was not found" in result.stderr
    result = run(robot, "--shapes", "visual")
    assert "no link of 'r' has a visual shape to enclose" in result.stderr
