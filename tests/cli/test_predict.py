"""`tarsus predict`."""

import numpy as np
import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["predict", *map(str, arguments)])


def rows(text):
    """Energy and peak by name."""
    found = {}
    for name in ("local", "predictive", "global"):
        line = next(line for line in text.splitlines() if line.startswith(name))
        found[name] = [float(word) for word in line.removeprefix("predictive, 1 s").split() if word[0].isdigit()][:2]
    return found


def test_a_scene_is_compared():
    result = run("scene:planar4", "--iterations", 1)
    assert result.exit_code == 0, result.stderr
    told = rows(result.stdout)
    assert told["global"][0] <= told["predictive"][0] <= told["local"][0]
    assert told["local"][1] >= 2 * told["predictive"][1]


def test_a_robot_moves_along_a_line_and_is_recorded(tmp_path):
    path = tmp_path / "motion.h5"
    result = run(
        "robot:crops9", "--frame", "tool", "--to", 1.35, 0.3, 1.1, "--duration", 1, "--horizon", 0.3,
        "--keep-orientation", "--level", "acceleration", "-o", path,
    )  # fmt: skip
    assert result.exit_code == 0, result.stdout + result.stderr
    motion = ts.open_recording(path)
    X = ts.frame_pose(motion.model, motion.q, "tool")
    assert np.allclose(X[-1, :3, 3], [1.35, 0.3, 1.1], rtol=0, atol=1e-3)
    assert np.allclose(X[:, :3, :3], X[0, :3, :3], rtol=0, atol=1e-3)
    assert len(motion) == 101 and motion.duration == pytest.approx(1.0)


def test_what_cannot_be_followed_is_told_by_the_exit_code():
    result = run("robot:planar4", "--frame", "tool", "--to", 5, 0, 0.1, "--duration", 1, "--horizon", 0.2)
    assert result.exit_code == 1
    assert "tasks are missed" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scene:planar5"], "scene 'planar5' not found"),
        (["robot:crops9"], "--frame and --to"),
        (["robot:crops9", "--frame", "hand", "--to", 1, 0, 1], "'hand'"),
        (["robot:crops9", "--frame", "tool", "--to", 1, 0, 1, "--duration", 0.001], "shorter than a step"),
        (["scene:planar4", "-o", "motion.png"], "must end in .h5"),
        (["scene:planar4", "--horizon", 0.001], "shorter than a step"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    result = run(*arguments)
    assert result.exit_code != 0
    text = " ".join((result.stdout + result.stderr).replace("│", " ").split())
    assert words in text
