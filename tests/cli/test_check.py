"""`tarsus check`."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tarsus.cli.main import app

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def urdf(inertial=INERTIAL, limit=""):
    return (
        '<robot name="pendulum">\n<link name="ground"/>\n'
        f'<link name="bob">{inertial}</link>\n'
        f'<joint name="pivot" type="continuous">\n{limit}\n<parent link="ground"/><child link="bob"/>'
        '<axis xyz="0 1 0"/></joint>\n</robot>\n'
    )


SOUND = urdf()
SUSPICIOUS = urdf(inertial="")
WRONG = urdf(inertial=INERTIAL.replace('mass value="1"', 'mass value="-1"')).replace('xyz="0 1 0"', 'xyz="0 0 0"')
PROBLEM_KEYS = {"severity", "rule", "message", "element", "value", "file", "line"}


@pytest.fixture
def write(tmp_path):
    def writer(text, name="robot.urdf"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return writer


def run(*arguments):
    return CliRunner().invoke(app, ["check", *arguments])


def test_sound_file_has_exit_code_zero(write):
    result = run(write(SOUND))
    assert result.exit_code == 0
    assert "no problems (2 links, 1 joint)" in result.stdout


def test_warnings_are_shown_and_have_exit_code_zero(write):
    path = write(SUSPICIOUS)
    result = run(path)
    assert result.exit_code == 0
    assert f"{path}:3: warning: " in result.stdout
    assert "1 warning" in result.stdout.splitlines()[-1]


def test_warnings_are_errors_when_strict(write):
    result = run(write(SUSPICIOUS), "--strict")
    assert result.exit_code == 1
    assert ":3: error: " in result.stdout


def test_errors_are_listed_with_file_and_line_and_have_exit_code_one(write):
    path = write(WRONG)
    result = run(path)
    assert result.exit_code == 1
    assert f"{path}:4: error: axis of joint 'pivot'" in result.stdout
    assert "error" in result.stdout.splitlines()[-1]


def test_every_line_but_the_last_is_one_problem(write):
    result = run(write(WRONG))
    report = json.loads(run(write(WRONG), "--json").stdout)
    assert len(result.stdout.splitlines()) == len(report["problems"]) + 1


@pytest.mark.parametrize(("text", "ok"), [(SOUND, True), (SUSPICIOUS, True), (WRONG, False)])
def test_json_has_the_documented_keys(write, text, ok):
    path = write(text)
    result = run(path, "--json")
    report = json.loads(result.stdout)
    assert set(report) == {"file", "ok", "errors", "warnings", "problems"}
    assert (report["file"], report["ok"]) == (path, ok)
    assert report["errors"] == sum(problem["severity"] == "error" for problem in report["problems"])
    assert report["warnings"] == sum(problem["severity"] == "warning" for problem in report["problems"])
    assert all(set(problem) == PROBLEM_KEYS for problem in report["problems"])
    assert result.exit_code == (0 if ok else 1)


def test_missing_file_is_an_error_that_names_it(tmp_path):
    result = run(str(tmp_path / "gone.urdf"))
    assert result.exit_code == 1
    assert "gone.urdf" in result.stdout
    assert "Traceback" not in result.output


def test_directory_is_an_error_in_one_line(tmp_path):
    result = run(str(tmp_path))
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert result.output.strip() != ""


@pytest.mark.parametrize("text", ["", "not xml", "<robot", "<robot/><robot/>", "<!DOCTYPE x><robot/>"])
def test_file_that_is_no_model_is_refused(write, text):
    result = run(write(text))
    assert result.exit_code == 1
    assert "error: " in result.stdout


def test_size_limit_is_respected(write):
    path = write(SOUND + " " * 2**20)
    assert run(path).exit_code == 0
    result = run(path, "--max-size", "0.5")
    assert result.exit_code == 1
    assert "error" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.urdf", "b.urdf"], ["a.urdf", "--what"], ["a.urdf", "--max-size", "big"], ["a.urdf", "--max-size", "-1"]],
)
def test_wrong_usage_has_exit_code_two(arguments):
    assert run(*arguments).exit_code == 2


def test_package_directory_must_exist(write, tmp_path):
    assert run(write(SOUND), "--package-dir", str(tmp_path / "nowhere")).exit_code == 2


def test_meshes_are_found_in_the_package_directories(write, tmp_path):
    visual = '<visual><geometry><mesh filename="package://parts/bob.stl"/></geometry></visual>'
    path = write(SOUND.replace('<link name="ground"/>', f'<link name="ground">{visual}</link>'))
    assert "mesh" in run(path).stdout
    package = tmp_path / "elsewhere" / "parts"
    package.mkdir(parents=True)
    (package / "bob.stl").write_bytes(b"\0" * 80 + (1).to_bytes(4, "little") + b"\0" * 50)
    assert "not found" not in run(path, "--package-dir", str(package.parent)).stdout


def test_no_colours_where_there_is_no_terminal(write):
    assert "\x1b" not in run(write(WRONG)).stdout


def test_control_characters_of_a_file_do_not_reach_the_terminal(write):
    path = write(WRONG.replace('name="bob"', 'name="b&#10;ob"').replace('link="bob"', 'link="b&#10;ob"'))
    result = run(path)
    assert result.exit_code == 1
    assert all("error: " in line or "warning: " in line for line in result.stdout.splitlines()[:-1])


def test_names_that_the_terminal_cannot_show_are_escaped(write):
    path = write(SUSPICIOUS.replace("bob", "füße"))
    code = "from tarsus.cli.main import app; app()"
    command = [sys.executable, "-c", code, "check", path]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"f\\xfc\\xdfe" in result.stdout
