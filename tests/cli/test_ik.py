"""`tarsus ik`."""

import numpy as np
import pytest
from matplotlib.image import imread
from robot_data import robot_data_path
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app

CROPS9 = ts.robots.crops9()


def run(*arguments):
    return CliRunner().invoke(app, ["ik", *map(str, arguments)])


def coordinates(text):
    """Joint coordinates that were printed, by name."""
    rows = [line.split() for line in text.splitlines() if line.startswith("  ")]
    return {row[0]: float(row[1]) for row in rows}


def test_printed_coordinates_bring_the_frame_there():
    result = run("robot:crops9", "--frame", "tool", "--to", 0.8, 0.2, 0.9)
    assert result.exit_code == 0, result.stderr
    told = coordinates(result.stdout)
    q = list(told.values())
    assert np.allclose(ts.frame_pose(CROPS9, q, "tool")[:3, 3], [0.8, 0.2, 0.9], atol=1e-5)  # six digits are printed


def test_orientation_is_roll_pitch_yaw_in_the_world():
    result = run("robot:crops9", "--frame", "tool", "--to", 0.8, 0.2, 0.9, "--rpy-deg", 10, 20, 30)
    assert result.exit_code == 0, result.stderr
    told = coordinates(result.stdout)
    R = ts.frame_pose(CROPS9, list(told.values()), "tool")[:3, :3]
    x, y, z = (
        ts.spatial.rotation_matrix_from_axis_angle(a, np.radians(t))
        for a, t in zip(np.eye(3), (10, 20, 30), strict=True)
    )
    assert np.allclose(R, z @ y @ x, atol=1e-5)


def test_places_out_of_reach_exit_with_one_and_tell_how_far_off():
    result = run("robot:crops9", "--frame", "tool", "--to", 9, 0, 0)
    assert result.exit_code == 1
    assert "off" in result.stdout
    assert "Position of 'tool'" in result.stdout


def test_result_is_drawn(tmp_path):
    path = tmp_path / "reached.png"
    result = run("robot:crops9", "--frame", "tool", "--to", 0.8, 0.2, 0.9, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert imread(path)[..., :3].std() > 0.01


def listed(text):
    """Solutions that were printed, one a line."""
    rows = [line.split() for line in text.splitlines()[2:]]
    return np.array([[float(x) for x in row[1:]] for row in rows if row and row[0].isdigit()])


def test_all_solutions_of_a_six_axis_arm_are_listed():
    path = robot_data_path("ur_description/urdf/ur5_robot.urdf")
    pose = ("--to", 0.4, 0.2, 0.3, "--rpy-deg", 180, 0, 90)
    result = run(path, "--frame", "ee_link", *pose, "--all")
    assert result.exit_code == 0, result.stderr
    told = "8 solutions (solved; closed form: axes 2, 3, 4 are parallel; these are all)"
    assert result.stdout.splitlines()[0] == told
    q = listed(result.stdout)
    assert q.shape == (8, 6)
    model = ts.load(path)
    X = ts.frame_pose(model, q, "ee_link")
    assert np.abs(X - X[0]).max() < 1e-5  # six digits are printed
    assert np.abs(X[:, :3, 3] - [0.4, 0.2, 0.3]).max() < 1e-5


def test_solutions_of_other_robots_are_those_of_many_starts():
    result = run("robot:crops9", "--frame", "tool", "--to", 0.8, 0.2, 0.9, "--all")
    assert result.exit_code == 0, result.stderr
    assert "solutions (infinite; from 64 starts)" in result.stdout
    q = listed(result.stdout)
    assert np.abs(ts.frame_pose(CROPS9, q, "tool")[:, :3, 3] - [0.8, 0.2, 0.9]).max() < 1e-4


def test_no_solution_at_all_exits_with_one(tmp_path):
    path, picture = robot_data_path("ur_description/urdf/ur5_robot.urdf"), tmp_path / "nothing.png"
    pose = ("--to", 4, 0, 0, "--rpy-deg", 0, 0, 0)
    result = run(path, "--frame", "ee_link", *pose, "--all", "-o", picture)
    assert result.exit_code == 1
    assert result.stdout.startswith("0 solutions (out of reach;")
    assert not picture.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--frame", "tol", "--to", 0, 0, 0), 1, "tool"),
        (("--frame", "tool", "--to", 0, 0, 0, "--method", "newtn"), 1, "newton"),
        (("--frame", "tool", "--to", 0, 0, "nan"), 1, "target of Position"),
        (("--frame", "tool", "--to", 0, 0, 0, "--q", "q99=1"), 1, "q9"),
        (("--frame", "tool", "--to", 0, 0, 0, "-o", "picture.xyz"), 2, "must end"),
        (("--frame", "tool"), 2, "--to"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(arguments, code, told):
    result = run("robot:crops9", *arguments)
    assert result.exit_code == code
    assert told in result.stderr
    assert "Traceback" not in result.stderr
