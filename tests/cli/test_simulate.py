"""`tarsus simulate`."""

import numpy as np
import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app

runner = CliRunner()


def run(*arguments):
    return runner.invoke(app, ["simulate", *arguments])


def test_dropped_robot_stands_and_is_recorded(tmp_path):
    path = tmp_path / "fall.h5"
    result = run("robot:hrp2", "--drop", "0.05", "--duration", "1.5", "--record", str(path))
    assert result.exit_code == 0, result.output
    trajectory = ts.open_recording(path)
    assert trajectory.finished and trajectory.time[-1] == pytest.approx(1.5)
    weight = trajectory.model.total_mass * 9.81
    assert trajectory.contact_force[-1, :, 2].sum() == pytest.approx(weight, rel=0.05)
    assert f"weight {weight:.1f} N" in result.output


def test_push_moves_the_robot_sideways(tmp_path):
    paths = [tmp_path / "still.h5", tmp_path / "pushed.h5"]
    assert run("robot:hrp2", "--duration", "0.4", "-o", str(paths[0])).exit_code == 0
    pushed = run("robot:hrp2", "--duration", "0.4", "--push", "BODY:0,80,0:0.1:0.1", "-o", str(paths[1]))
    assert pushed.exit_code == 0, pushed.output
    still, moved = (ts.open_recording(path) for path in paths)
    assert moved.q[-1, 1] > still.q[-1, 1] + 1e-3
    assert moved.energy["external"][-1] > 0 and np.all(still.energy["external"] == 0)


def test_a_robot_starts_above_the_mesh_that_it_stands_on(tmp_path):
    far, near = tmp_path / "far.obj", tmp_path / "near.obj"
    for path, x in ((far, 50), (near, -2)):
        path.write_text(f"v {x} -2 0.3\nv {x + 4} -2 0.3\nv {x + 4} 2 0.3\nv {x} 2 0.3\nf 1 2 3\nf 1 3 4\n")
    record = tmp_path / "run.h5"
    result = run("robot:hrp2", "--duration", "0.2", "--ground", str(near), "-o", str(record))
    assert result.exit_code == 0, result.output
    back = ts.open_recording(record)
    assert abs(back.q[0, 2] - ts.robots.hrp2().reference[2] - 0.3) < 0.02
    assert back.contact_force[-1, :, 2].sum() > 100.0
    assert "there is no ground below the robot" in run("robot:hrp2", "--ground", str(far)).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ground", "sea"), "is no ground"),
        (("--ground", "slope:steep"), "are not numbers"),
        (("--ground", "slope:95"), "too steep"),
        (("--ground", "stairs:2.5:0.1:0.3"), "no number of steps"),
        (("--ground", "stairs:0:0.1:0.3"), "steps >= 1"),
        (("--ground", "nowhere.stl"), "cannot be read"),
        (("--record", "run.txt"), ".h5"),
        (("--record", "nowhere/run.h5"), "no directory"),
        (("--drop", "-0.1"), "inside the ground"),
        (("--push", "BODY:1,2,3:0:-1"), "duration of Push is -1.0"),
        (("--push", "BODY:1,2:0:1"), "is no push"),
        (("--push", "BODI:1,2,3:0:1"), "BODY"),
        (("--duration", "-1"), "duration"),
        (("--integrator", "eulr"), "euler"),
        (("--integrator", "event-driven"), "--law rigid"),
        (("--integrator", "least-constraint"), "--law least-constraint"),
        (("--law", "riggid"), "'rigid'"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    result = run("robot:hrp2", "--duration", "0.01", *arguments)
    assert result.exit_code != 0
    assert message in result.output


def test_models_without_shapes_say_so(tmp_path):
    path = tmp_path / "bare.urdf"
    path.write_text(
        '<robot name="bare"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    result = run(str(path), "--base", "free")
    assert result.exit_code != 0 and "no collision shapes" in result.output
    assert run(str(path), "--base", "free", "--ground", "none", "--duration", "0.1").exit_code == 0


@pytest.mark.parametrize("degrees", [10.0, -10.0])
def test_robot_starts_on_the_slope_and_not_inside_it(tmp_path, degrees):
    path = tmp_path / "slope.h5"
    result = run("robot:hrp2", "--ground", f"slope:{degrees}", "--duration", "0.02", "-o", str(path))
    assert result.exit_code == 0, result.output
    trajectory = ts.open_recording(path)
    assert not np.any(trajectory.contact_force[0])
    assert np.any(trajectory.contact_force[-1])
    (plane,) = trajectory.ground.surfaces
    np.testing.assert_allclose(plane.normal, [-np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))])


def test_robot_fixed_to_the_world_touches_nothing_unless_asked(tmp_path):
    paths = [tmp_path / "free.h5", tmp_path / "flat.h5"]
    assert run("robot:crops9", "--duration", "0.01", "-o", str(paths[0])).exit_code == 0
    assert run("robot:crops9", "--duration", "0.01", "--ground", "flat", "-o", str(paths[1])).exit_code == 0
    free, flat = (ts.open_recording(path) for path in paths)
    assert free.ground is None and free.contacts == ()
    assert flat.contacts


def test_built_in_robot_without_its_prefix_is_pointed_to():
    result = run("hrp2")
    assert result.exit_code == 2
    assert "robot:hrp2" in result.output


LINK = """<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="1"/>
  <inertia ixx="0.001" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="{3} 0 0"/><axis xyz="0 -1 0"/></joint>"""
LOOPS = """independent = ["a"]
[[loop]]
frames = ["coupler", "rocker"]
position_a = [0.5, 0, 0]
position_b = [0.9, 0, 0]
kind = "revolute"
axis = [0, 1, 0]
[reference]
a = 1.0
b = -0.5
d = 1.5
"""


def test_leaders_change_at_dead_points_and_the_error_says_so(tmp_path):
    """A double rocker that falls, led by its crank."""
    robot, loops, path = (tmp_path / name for name in ("rocker.urdf", "loops.toml", "rocker.h5"))
    links = LINK.format("crank", 0.4) + LINK.format("coupler", 0.25) + LINK.format("rocker", 0.45)
    joints = (("a", "ground", "crank", 0.0), ("b", "crank", "coupler", 0.8), ("d", "ground", "rocker", 1.0))
    text = "".join(JOINT.format(*joint) for joint in joints)
    robot.write_text(f'<robot name="rocker"><link name="ground"/>{links}{text}</robot>')
    loops.write_text(LOOPS)
    options = [str(robot), "--loops", str(loops), "--integrator", "runge-kutta-4"]
    ended = run(*options, "--passive")
    assert ended.exit_code == 1 and "dead point" in ended.output and "leaders='change'" in ended.output
    assert "--passive" in run(*options, "--leaders", "change").output
    went_on = run(*options, "--passive", "--leaders", "change", "-o", str(path))
    assert went_on.exit_code == 0, went_on.output
    recorded = ts.open_recording(path)
    assert recorded.time[-1] == pytest.approx(2.0) and len(recorded.metadata["leaders"]) >= 2
    assert recorded.q.shape[-1] == 3 and np.abs(recorded.energy["integration"]).max() < 1e-4
