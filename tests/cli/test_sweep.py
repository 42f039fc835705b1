"""`tarsus sweep`."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from tarsus.analysis import PushMap, read_results
from tarsus.cli.main import app

STUDY = """
import time
from beside import twice

cases = [{"x": 1.0}, {"x": 2.0}]

def doubled(x, side="left"):
    return {"y": twice(x), "side": side}

def drawn(x, seed):
    return seed % 7 + x

def picky(x):
    if x == 2:
        raise ValueError("not 2")
    return x

def slow(x):
    if x > 1:
        time.sleep(60)
    return x
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.py").write_text("def twice(x):\n    return 2 * x\n")
    (tmp_path / "study.py").write_text(STUDY)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["sweep", *map(str, arguments)])


def test_cases_of_a_file_are_run_in_processes(study):
    result = run("study.py::doubled", "--workers", 2)
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "x=1: y=2 side=left" in result.stdout
    assert "doubled.jsonl: 2 cases, none without a value" in result.stdout
    assert read_results("doubled.jsonl").values == [{"y": 2.0, "side": "left"}, {"y": 4.0, "side": "left"}]


def test_grids_are_given_as_lists_and_ranges(study):
    result = run("study.py::doubled", "--grid", "x=0:1:3", "--grid", "side=left,right", "--engine", "serial", "-o", "r")
    assert result.exit_code == 0, result.stdout + result.stderr
    found = [(outcome.case["x"], outcome.case["side"]) for outcome in read_results("r")]
    assert found == [(x, side) for x in (0.0, 0.5, 1.0) for side in ("left", "right")]


def test_a_toml_file_says_everything(study):
    (study / "other").mkdir()
    (study / "other" / "plan.toml").write_text(
        'function = "../study.py::drawn"\nseed = 3\nengine = "serial"\n[grid]\nx = [1, 2]\n'
    )
    result = run("other/plan.toml")
    assert result.exit_code == 0, result.stdout + result.stderr
    found = read_results("other/plan.jsonl")
    assert [outcome.case for outcome in found] == [{"x": 1}, {"x": 2}]
    assert [outcome.value for outcome in found] == [outcome.seed % 7 + outcome.case["x"] for outcome in found]


def test_cases_of_a_toml_file_are_combined_with_its_grid(study):
    (study / "plan.toml").write_text(
        'function = "study.py::doubled"\nengine = "serial"\nresults = "out.jsonl"\n'
        '[arguments]\nside = "left"\n[[cases]]\nx = 1\n[[cases]]\nx = 2\nside = "right"\n'
    )
    assert run("plan.toml").exit_code == 0
    assert [outcome.case for outcome in read_results("out.jsonl")] == [
        {"side": "left", "x": 1},
        {"side": "right", "x": 2},
    ]


def test_failed_cases_are_told_and_make_the_exit_code(study):
    result = run("study.py::picky", "--grid", "x=1,2,3", "--engine", "serial")
    assert result.exit_code == 1
    assert "failed: x=2: ValueError: not 2" in result.stderr
    assert "3 cases, 1 without a value" in result.stdout


def listening():
    """Commands in the background of a shell start deaf to Ctrl-C; those that people start do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_sweep_says_how_far_it_came(study):
    command = [sys.executable, "-m", "tarsus", "sweep", "study.py::slow", "--grid", "x=0,1,2", "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=listening)
    path = study / "slow.jsonl"
    while not (path.exists() and len(path.read_text().splitlines()) == 3):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert "interrupted; slow.jsonl has 2 of 3 cases; the same command goes on" in told


def test_push_limits_are_a_study_with_a_name(study):
    (study / "robot.py").write_text("def stands(push):\n    return bool(abs(push.wrench[0]) * push.duration <= 7.5)\n")
    (study / "pushes.toml").write_text(
        'function = "push-limit"\nengine = "serial"\n[arguments]\nscenario = "robot.py::stands"\nframe = "chest"\n'
        "largest = 16.0\nprecision = 0.5\n[grid]\nangle = [0.0]\n"
    )
    result = run("pushes.toml")
    assert result.exit_code == 0, result.stdout + result.stderr
    found = PushMap.of(read_results("pushes.jsonl"))
    assert (found.limit[0], found.fall[0]) == (7.5, 8.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["study.py::doubledd", "--grid", "x=1"], "no function 'doubledd'; close: 'doubled'"),
        (["none.py::doubled", "--grid", "x=1"], "there is no file"),
        (["study.py", "--grid", "x=1"], "expected file.py::function"),
        (["no.such:thing", "--grid", "x=1"], "No module named"),
        (["math:nothing", "--grid", "x=1"], "no function 'nothing'"),
        (["math:sqrt"], "there are no cases"),
        (["study.py::doubled", "--grid", "x"], "expected NAME=1,2,3"),
        (["study.py::doubled", "--grid", "x=a:b:c"], "expected numbers"),
        (["study.py::doubled", "--grid", "y=1"], "does not suit the function"),
        (["broken.py::f", "--grid", "y=1"], "broken.py cannot be loaded: ZeroDivisionError"),
        (["plan.toml", "--grid", "x=1"], "its own [grid]"),
        (["plan.toml"], "there is no entry 'fuction'; close: 'function'"),
        (["empty.toml"], "function is missing"),
        (["odd.toml"], "grid.x is 3, expected a list"),
        (["seed.toml"], "seed is 'a', expected a whole number"),
        (["bad.toml"], "bad.toml"),
        (["none.toml"], "none.toml"),
    ],
)
def test_bad_input_is_told_in_one_line(study, arguments, words):
    (study / "broken.py").write_text("1 / 0\n")
    (study / "plan.toml").write_text("fuction = 1\n")
    (study / "empty.toml").write_text("")
    (study / "odd.toml").write_text('function = "study.py::doubled"\n[grid]\nx = 3\n')
    (study / "seed.toml").write_text('function = "study.py::doubled"\nseed = "a"\n')
    (study / "bad.toml").write_text("= 3")
    result = run(*arguments)
    assert result.exit_code in (1, 2), result.stdout
    assert words.replace(" ", "") in "".join(result.stderr.split()).replace("│", ""), result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_of_results_is_lines_of_json(study):
    run("study.py::doubled", "--engine", "serial")
    lines = [json.loads(line) for line in (study / "doubled.jsonl").read_text().splitlines()]
    assert lines[0] == {"sweep": 1, "function": "study.py::doubled", "seed": None}
    assert set(lines[1]) == {"case", "seed", "code", "value"}
