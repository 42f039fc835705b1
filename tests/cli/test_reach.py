"""`tarsus reach`."""

import numpy as np
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.recording import open_recording

TABLE = """
[[box]]
name = "table top"
size = [0.7, 1.3, 0.04]
position = [0.62, 0.0, 0.74]
"""


def run(*arguments):
    return CliRunner().invoke(app, ["reach", *map(str, arguments)])


def test_an_arm_gets_there_and_is_recorded(tmp_path):
    result = run("robot:crops9", "--frame", "tool", "--to", 0.8, 0.2, 0.9, "-o", tmp_path / "run.h5")
    assert result.exit_code == 0, result.stderr
    assert "arrived after" in result.stdout and "tool is at (0.800000, 0.200000, 0.900000) m" in result.stdout
    assert "% of its velocity limit" in result.stdout
    recorded = open_recording(tmp_path / "run.h5")
    assert np.allclose(ts.frame_pose(recorded.model, recorded.q[-1], "tool")[:3, 3], [0.8, 0.2, 0.9], atol=1e-8)


def test_a_humanoid_reaches_below_a_table_with_both_hands(tmp_path):
    (tmp_path / "table.toml").write_text(TABLE)
    result = run(
        *("robot:hrp2", "--frame", "r_hand", "--to", 0.42, -0.18, 0.58, "--also", "l_hand:0.42,0.18,0.58"),
        *("--obstacles", tmp_path / "table.toml", "-o", tmp_path / "run.h5", "--picture", tmp_path / "under.png"),
    )
    assert result.exit_code == 0, result.stderr
    recorded = open_recording(tmp_path / "run.h5")
    model = recorded.model
    assert [surface.name for surface in recorded.ground.surfaces] == ["ground", "table top"]
    for frame, y in (("r_hand", -0.18), ("l_hand", 0.18)):
        assert np.allclose(ts.frame_pose(model, recorded.q[-1], frame)[:3, 3], [0.42, y, 0.58], atol=1e-8)
    for task in ts.ik.stance(model):
        assert np.abs(task.error(model, recorded.q)).max() < 1e-6
    picture = imread(tmp_path / "under.png")
    assert picture.shape[:2] == (800, 800) and picture[..., :3].std() > 0.05


def test_the_orientation_is_roll_pitch_yaw(tmp_path):
    result = run(
        "robot:crops9", "--frame", "tool", "--to", 0.9, 0.1, 1.0, "--rpy-deg", 0, 20, 10, "-o", tmp_path / "a.h5"
    )
    assert result.exit_code == 0, result.stderr
    recorded = open_recording(tmp_path / "a.h5")
    R = ts.frame_pose(recorded.model, recorded.q[-1], "tool")[:3, :3]
    wanted = ts.spatial.rotation_matrix_from_angles(np.radians([0, 20, 10]), "roll-pitch-yaw")
    assert np.allclose(R, wanted, atol=1e-8)


def test_what_is_blocked_ends_with_code_1_and_says_why():
    result = run("robot:crops9", "--frame", "tool", "--to", 9, 0, 0)
    assert result.exit_code == 1 and "blocked" in result.stdout and "Position of 'tool'" in result.stdout


def test_robots_without_volumes_get_some(tmp_path):
    builder = ts.ModelBuilder("arm")
    builder.add_link("base")
    from tarsus.geometry.shapes import Box, Shape

    for k, parent in enumerate(("base", "link0")):
        shape = Shape(Box((0.05, 0.05, 0.3)), ts.pose([0, 0, 0.2]))
        builder.add_link(f"link{k}", ts.Inertia.of_box(1.0, (0.05, 0.05, 0.3)), collisions=[shape])
        builder.add_joint(f"j{k}", "revolute", parent, f"link{k}", axis=(0, 1, 0), position=(0, 0, 0.4 * k),
                          q_min=-2.0, q_max=2.0, v_max=1.0)  # fmt: skip
    builder.add_frame("tip", "link1", ts.pose([0, 0, 0.35]))
    ts.write_urdf(builder.build(), tmp_path / "arm.urdf")
    result = run(tmp_path / "arm.urdf", "--frame", "tip", "--to", 0.4, 0.0, 0.55)
    assert "has no volumes" in result.stderr
    assert result.exit_code == 0, result.stdout


BAD = [
    (("--frame", "tol", "--to", 1, 0, 0), "'tol' not found"),
    (("--frame", "tool", "--to", 1, 0, 0, "-o", "run.png"), "must end in .h5"),
    (("--frame", "tool", "--to", 1, 0, 0, "--picture", "run.h5"), "must end in .png"),
    (("--frame", "tool", "--to", 1, 0, 0, "--also", "tool:1,2"), "expected FRAME:X,Y,Z"),
    (("--frame", "tool", "--to", 1, 0, 0, "--start", "home", "--q", "q1=0.1"), "give one of them"),
    (("--frame", "tool", "--to", 1, 0, 0, "--start", "hme"), "no pose 'hme'"),
    (("--frame", "tool", "--to", 1, 0, 0, "--q", "q2=3"), "beyond its limits"),
]


@pytest.mark.parametrize(("arguments", "told"), BAD, ids=lambda value: str(value)[:40])
def test_bad_arguments_are_told_in_a_line(arguments, told):
    result = run("robot:crops9", *arguments)
    assert result.exit_code != 0
    assert told in " ".join(result.stderr.replace("│", " ").split())


SRDF = """<robot name="planar4">
  <group name="arm"><joint name="q1"/><joint name="q2"/><joint name="q3"/><joint name="q4"/></group>
  <group_state name="bent" group="arm">
    <joint name="q1" value="0.5"/><joint name="q2" value="0.4"/>
    <joint name="q3" value="0.3"/><joint name="q4" value="0.2"/>
  </group_state>
</robot>
"""


def test_poses_of_an_srdf_are_starts(tmp_path):
    model = ts.robots.planar4()
    ts.write_urdf(model, tmp_path / "arm.urdf")
    (tmp_path / "arm.srdf").write_text(SRDF)
    X = ts.frame_pose(model, [0.7, 0.4, 0.3, 0.2], "tool")[:3, 3]
    arguments = (tmp_path / "arm.urdf", "--frame", "tool", "--to", *X, "--start", "bent")
    found = run(*arguments, "--srdf", tmp_path / "arm.srdf", "-o", tmp_path / "run.h5")
    assert found.exit_code == 0, found.stderr
    assert np.allclose(open_recording(tmp_path / "run.h5").q[0], [0.5, 0.4, 0.3, 0.2])
    assert "has no pose 'bent'" in run(*arguments).stderr
    refused = run("robot:crops9", *arguments[1:], "--srdf", tmp_path / "arm.srdf")
    assert "--srdf is for robots of a file" in refused.stderr
