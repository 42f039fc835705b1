"""Volume files: written and read bit by bit, found beside a model, and refused by name where something is wrong."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError, ModelFileError
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.io.load import inspect_file
from tarsus.io.volume_file import MAX_VOLUMES, read_volume_file, volume_file_beside, write_volume_file

URDF = """<robot name="r">
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
</robot>"""
GOOD = '[[volume]]\nlink = "b"\nradius = 0.1\nvertices = [[0, 0, 0], [0.0, 0.0, 0.5]]\n'


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "r.urdf").write_text(URDF)
    return tmp_path / "r.urdf"


def volumes(rng):
    return {
        name: tuple(SweptSphere(rng.normal(size=(count, 3)), rng.uniform()) for count in (1, 2, 3))
        for name in ("a", 'odd "name" \\ \x7f\t é 𝄞', "b")
    }


def test_volumes_are_read_back_bit_by_bit(tmp_path):
    given = volumes(np.random.default_rng(1))
    given["b"] = (SweptSphere([1e-300, -1e22, 5e-324], 0.0),)
    path = tmp_path / "r.volumes.toml"
    write_volume_file(path, given, comment="two\nlines")
    back = read_volume_file(path)
    assert path.read_text().startswith("# two\n# lines\n")
    assert list(back) == list(given)
    for name in given:
        for one, other in zip(given[name], back[name], strict=True):
            np.testing.assert_array_equal(one.vertices, other.vertices)
            assert one.radius == other.radius


def test_the_file_beside_a_model_is_found(robot):
    assert not ts.load(robot).volumes
    volume_file_beside(robot).write_text(GOOD)
    assert volume_file_beside(robot).name == "r.volumes.toml"
    (volume,) = ts.load(robot).volumes["b"]
    assert volume.kind == "line" and volume.radius == 0.1
    assert not ts.load(robot, volumes=False).volumes


def test_another_file_can_be_named(robot, tmp_path):
    volume_file_beside(robot).write_text(GOOD)
    (tmp_path / "other.toml").write_text(GOOD.replace('"b"', '"hip"'))
    assert list(ts.load(robot, volumes=tmp_path / "other.toml").volumes) == ["hip"]
    with pytest.raises(ModelFileError, match="none.toml"):
        ts.load(robot, volumes=tmp_path / "none.toml")
    with pytest.raises(ArgumentError, match="volumes: expected a file or False, found True"):
        ts.load(robot, volumes=True)


def entry(**other):
    lines = {"link": '"b"', "radius": "0.1", "vertices": "[[0, 0, 0]]", **other}
    return "[[volume]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items() if value is not None) + "\n"


BAD = [
    ("[[volume", "this is no TOML"),
    ("\xff\xfe", "no TOML|encoding"),
    ("a = " + "[" * 5000, "no TOML"),
    ("volume = 3", r"expected tables \[\[volume\]\]"),
    ("volume = [3]", r"expected tables \[\[volume\]\]"),
    ("[[volumes]]\nx = 1", r"unknown key 'volumes'; expected tables \[\[volume\]\]"),
    (entry(radii="3"), "volume 1, of link 'b': unknown key 'radii'; close: 'radius'"),
    (entry(radius=None), "volume 1, of link 'b': radius is missing"),
    (entry(link=None), "volume 1: link is missing"),
    (entry(link="3"), "volume 1: link is 3, expected a name"),
    (entry(radius="-0.1"), "volume 1, of link 'b': radius: expected a finite number of at least 0, found -0.1"),
    (entry(radius="nan"), "radius: expected a finite number of at least 0, found nan"),
    (entry(radius="inf"), "radius: expected a finite number"),
    (entry(radius="true"), "radius is True, expected a number"),
    (entry(radius='"x"'), "radius is 'x', expected a number"),
    (entry(radius="1" + "0" * 400), "radius|no TOML|too large"),
    (entry(vertices="[[nan, 0, 0]]"), "volume 1, of link 'b': vertices: expected finite numbers"),
    (entry(vertices="[]"), "vertices are .*, expected one to three points of three numbers"),
    (entry(vertices="[[0, 0]]"), "expected one to three points"),
    (entry(vertices="[0, 0, 0]"), "expected one to three points"),
    (entry(vertices="[[0,0,0],[0,0,0],[0,0,0],[0,0,0]]"), "expected one to three points"),
    (entry(vertices="[[0, 0, true]]"), "expected one to three points"),
    (entry() + entry(radius="nan"), "volume 2, of link 'b'"),
    (entry(link='"bb"'), "volumes of the unknown link 'bb'; close: 'b'"),
    (entry(radius="1e200"), "volume 0 of 'b' has a number of size 1e"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_what_is_wrong_is_named_with_the_file(robot, text, message):
    volume_file_beside(robot).write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelFileError, match=message) as caught:
        ts.load(robot)
    assert "r.volumes.toml" in str(caught.value) or "1e200" in text
    assert ts.load(robot, volumes=False).nv == 1


def test_degenerate_volumes_are_fine(robot):
    volume_file_beside(robot).write_text(entry(vertices="[[1, 1, 1], [1, 1, 1], [1, 1, 1]]", radius="0"))
    (volume,) = ts.load(robot).volumes["b"]
    assert volume.volume == 0.0


def test_too_many_volumes_are_refused(tmp_path):
    (tmp_path / "v.toml").write_text("volume = [" + "{}," * (MAX_VOLUMES + 1) + "]")
    with pytest.raises(ModelFileError, match="20001 volumes are more than the limit of 20000"):
        read_volume_file(tmp_path / "v.toml")


def test_files_too_large_are_refused(tmp_path):
    (tmp_path / "v.toml").write_text("#" * 1000)
    with pytest.raises(ModelFileError, match="more than the limit"):
        read_volume_file(tmp_path / "v.toml", max_size=100)


def test_a_check_of_the_model_tells_problems_of_its_volumes(robot):
    volume_file_beside(robot).write_text(entry(link='"bb"'))
    _, problems = inspect_file(robot)
    assert [p.rule for p in problems if p.severity == "error"] == ["unknown-link"]
