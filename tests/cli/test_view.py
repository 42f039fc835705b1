"""`tarsus view`."""

import subprocess
import sys
import types

import numpy as np
import pytest
from matplotlib.image import imread
from sample_trajectories import waving
from typer.testing import CliRunner

import tarsus.viewer.live.browser
from tarsus.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments)])


@pytest.fixture(name="recording")
def _recording(monkeypatch):
    """Name of a recording; the reader of recordings is tested elsewhere and replaced here."""
    module = types.ModuleType("tarsus.recording.files")
    module.open_recording = lambda path: waving(duration=0.2)
    monkeypatch.setitem(sys.modules, "tarsus.recording.files", module)
    return "run.h5"


@pytest.fixture(name="shown")
def _shown(monkeypatch):
    """What the browser viewer was asked to show, without starting it."""
    calls = []

    class Viewer:
        url = "http://127.0.0.1:8080/"

        def __init__(self, model):
            self.stage = types.SimpleNamespace(model=model)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def wait(self):
            pass

    def show(what, q=None, **options):
        calls.append((what, q, options))
        return Viewer(getattr(what, "model", what))

    monkeypatch.setattr(tarsus.viewer.live.browser, "show", show)
    return calls


def test_help_shows_examples():
    text = run("--help").stdout
    assert "tarsus view robot:hrp2" in text
    assert "--html run.html" in text


def test_model_is_shown_on_this_machine_only(shown):
    result = run("robot:rabbit")
    assert result.exit_code == 0
    assert "http://127.0.0.1:8080/" in result.stdout
    ((model, _, options),) = shown
    assert model.name == "rabbit"
    assert (options["host"], options["token"], options["open_browser"]) == ("127.0.0.1", None, True)


def test_options_reach_the_viewer(shown):
    run("robot:rabbit", "--host", "0.0.0.0", "--token", "0123456789abcdef", "--port", 9000, "--no-browser")
    options = shown[0][2]
    assert (options["host"], options["token"], options["port"]) == ("0.0.0.0", "0123456789abcdef", 9000)
    assert options["open_browser"] is False


def test_joints_can_be_given_by_name(shown):
    assert run("robot:hrp2", "--q", "LLEG_JOINT3=0.5, LARM_JOINT3 = -1").exit_code == 0
    model, q, _ = shown[0]
    expected = np.array(model.reference)
    expected[model.joints["LLEG_JOINT3"].q_index], expected[model.joints["LARM_JOINT3"].q_index] = 0.5, -1.0
    np.testing.assert_array_equal(q, expected)


def test_whole_configuration_can_be_given(shown):
    numbers = [0.1, 0.8, 0.0, 0.2, 0.3, 0.4, 0.5]
    assert run("robot:rabbit", "--q", ", ".join(map(str, numbers))).exit_code == 0
    np.testing.assert_array_equal(shown[0][1], numbers)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ("1, 2", "expected 7"),
        ("hips=1", "no joint 'hips'"),
        ("1,2,3,4,5,6,x", "not a number"),
        ("base=1", "expected 1"),
    ],
)
def test_wrong_configurations_are_told_in_one_line(shown, q, message):
    result = run("robot:rabbit", "--q", q)
    assert result.exit_code == 1
    assert message in result.stderr
    assert shown == []


def test_files_are_written_instead_of_a_page(shown, tmp_path):
    png, html = tmp_path / "a.png", tmp_path / "a.html"
    result = run("robot:rabbit", "--png", png, "--html", html, "--size", 90, 60)
    assert result.exit_code == 0
    assert imread(png).shape[:2] == (60, 90)
    assert "<html" in html.read_text()
    assert shown == []


def test_recording_is_shown_and_written(shown, recording, tmp_path):
    assert run(recording).exit_code == 0
    assert len(shown[0][0].time) == 21
    files = [tmp_path / name for name in ("a.png", "a.html", "a.gif")]
    options = [
        "--png",
        files[0],
        "--html",
        files[1],
        "--video",
        files[2],
        "--size",
        64,
        64,
        "--time",
        0.1,
        "--rate",
        10,
    ]
    result = run(recording, *options)
    assert result.exit_code == 0
    assert all(path.stat().st_size > 1000 for path in files)
    assert len(shown) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["robot:rabbit", "--video", "a.mp4"],
        ["robot:rabbit", "--png", "a.xyz"],
        ["robot:rabbit", "--html", "a.png"],
        ["robot:rabbit", "--png", "nowhere/a.png"],
        ["robot:rabbit", "--png", "a.png", "--size", "0", "10"],
        ["run.h5", "--q", "1"],
        ["robot:nothing"],
    ],
)
def test_wrong_usage_has_its_own_exit_code(shown, arguments):
    assert run(*arguments).exit_code == 2
    assert shown == []


def test_other_host_without_token_is_told_before_anything_is_served():
    result = run("robot:rabbit", "--host", "0.0.0.0", "--no-browser")
    assert result.exit_code == 1
    assert "token" in result.stderr


def test_missing_extra_is_told_with_the_command_that_installs_it():
    code = "import sys; sys.modules['viser'] = None; from tarsus.cli.main import app; app(['view', 'robot:rabbit'])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    assert "pip install 'tarsus[viewer]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_parts_of_joint_names_are_suggested_and_limits_told(tmp_path):
    result = CliRunner().invoke(app, ["view", "robot:quadruped", "--q", "nee=1", "--png", str(tmp_path / "a.png")])
    assert result.exit_code != 0
    assert "_knee'" in result.output
    result = CliRunner().invoke(app, ["view", "robot:quadruped", "--q", "fl_knee=99", "--png", str(tmp_path / "a.png")])
    assert result.exit_code == 0, result.output
    assert "fl_knee = 99 is beyond its limits" in result.output


def test_volumes_are_edited_beside_the_model(shown, tmp_path):
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert run(tmp_path / "r.urdf", "--edit-volumes").exit_code == 0
    assert shown[-1][2]["edit_volumes"] == tmp_path / "r.volumes.toml"
    assert run(tmp_path / "r.urdf").exit_code == 0
    assert shown[-1][2]["edit_volumes"] is None


def test_volumes_of_a_file_are_shown_and_edited_there(shown, tmp_path):
    path = tmp_path / "few.toml"
    path.write_text('[[volume]]\nlink = "torso"\nradius = 0.3\nvertices = [[0, 0, 0]]\n')
    assert run("robot:lola", "--volumes", path, "--edit-volumes").exit_code == 0
    model, _, options = shown[-1]
    assert list(model.volumes) == ["torso"] and options["edit_volumes"] == path
    assert run("robot:lola", "--volumes", tmp_path / "new.toml", "--edit-volumes").exit_code == 0
    assert len(shown[-1][0].volumes) == 25  # a file that is not there yet: the robot's own


def test_wrong_use_of_volumes_is_told(shown, recording, tmp_path):
    assert "--volumes names one" in " ".join(run("robot:lola", "--edit-volumes").output.replace("│", "").split())
    assert run(recording, "--edit-volumes").exit_code == 2
    result = run("robot:lola", "--volumes", tmp_path / "none.toml")
    assert result.exit_code == 1 and "none.toml" in result.stderr
    assert shown == []
