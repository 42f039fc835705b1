"""Simulations that start from a pose of the model by its name."""

import numpy as np
import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.errors import ArgumentError, UnknownNameError

MJCF = """<mujoco model="arm"><worldbody><body name="b"><joint name="j" type="hinge" axis="0 0 1"/>
<geom size="0.1" mass="1"/></body></worldbody><keyframe><key name="home" qpos="0.5"/><key name="up" qpos="1.25"/>
</keyframe></mujoco>"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MJCF)
    return path


def test_a_run_starts_from_the_pose_of_that_name(file):
    model = ts.load(file)
    assert ts.simulate(model, duration=0.01, start="up").q[0, 0] == 1.25
    assert ts.simulate(model, duration=0.01, start="home").q[0, 0] == 0.5


def test_names_that_are_not_there_are_told_with_those_that_are(file):
    with pytest.raises(UnknownNameError, match="no pose 'hom'; close: 'home'; there are 'home', 'up'"):
        ts.simulate(ts.load(file), duration=0.01, start="hom")
    with pytest.raises(UnknownNameError, match="no pose 'home'; it has none"):
        ts.simulate(ts.robots.rabbit(), duration=0.01, start="home")


def test_a_name_and_numbers_exclude_each_other(file):
    with pytest.raises(ArgumentError, match="leave q0"):
        ts.simulate(ts.load(file), np.zeros(1), duration=0.01, start="home")


def test_the_command_line_starts_from_a_pose(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["simulate", str(file), "--start", "up", "--duration", "0.01", "-o", "run.h5"])
    assert result.exit_code == 0, result.output
    assert ts.open_recording("run.h5").q[0, 0] == 1.25
    result = CliRunner().invoke(app, ["simulate", str(file), "--start", "down"])
    assert result.exit_code != 0
    assert "there are 'home', 'up'" in result.output
