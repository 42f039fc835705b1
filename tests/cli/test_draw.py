"""`tarsus draw`."""

import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

from tarsus.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["draw", *map(str, arguments)])


def test_picture_has_the_size_asked_for(tmp_path):
    path = tmp_path / "rabbit.png"
    result = run("robot:rabbit", "-o", path, "--size", 120, 90)
    assert result.exit_code == 0
    assert imread(path).shape[:2] == (90, 120)
    assert "rabbit.png" in result.stdout


def test_picture_shows_something(tmp_path):
    path = tmp_path / "rabbit.png"
    run("robot:rabbit", "-o", path, "--size", 120, 120)
    assert imread(path)[..., :3].std() > 0.01


def test_options_change_the_picture(tmp_path):
    pictures = []
    for index, options in enumerate(([], ["--view", 90, 0], ["--com"])):
        path = tmp_path / f"{index}.png"
        assert run("robot:rabbit", "-o", path, "--size", 120, 120, *options).exit_code == 0
        pictures.append(imread(path))
    assert (pictures[0] != pictures[1]).any()
    assert (pictures[0] != pictures[2]).any()


@pytest.mark.parametrize("name", ["picture.xyz", "picture", "nowhere/picture.png"])
def test_impossible_output_is_wrong_usage(tmp_path, name):
    result = run("robot:rabbit", "-o", tmp_path / name)
    assert result.exit_code == 2
    assert not any(tmp_path.iterdir())


def test_impossible_size_is_wrong_usage(tmp_path):
    assert run("robot:rabbit", "-o", tmp_path / "a.png", "--size", 0, 100).exit_code == 2


def test_output_is_required():
    assert run("robot:rabbit").exit_code == 2


def test_unknown_frame_is_one_line_and_nothing_is_written(tmp_path):
    result = run("robot:rabbit", "-o", tmp_path / "a.png", "--frame", "nose")
    assert result.exit_code == 1
    assert "'nose'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not any(tmp_path.iterdir())


def test_missing_file_is_one_line(tmp_path):
    result = run("gone.urdf", "-o", tmp_path / "a.png")
    assert result.exit_code == 1
    assert "gone.urdf" in result.stderr


def test_volumes_are_drawn(tmp_path):
    for k, more in enumerate(([], ["--volumes"], ["--volumes", "--witnesses", "3"])):
        out = tmp_path / f"{k}.png"
        result = CliRunner().invoke(app, ["draw", "robot:feng18", "-o", str(out), "--size", "150", "150", *more])
        assert result.exit_code == 0, result.output
    plain, volumes, lines = ((tmp_path / f"{k}.png").read_bytes() for k in range(3))
    assert len({plain, volumes, lines}) == 3
    result = CliRunner().invoke(app, ["draw", "robot:rabbit", "-o", str(tmp_path / "r.png"), "--volumes"])
    assert result.exit_code == 1 and "'rabbit' has none" in result.stderr
