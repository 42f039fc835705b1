"""Options of the whole tool, and `tarsus native`."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.cli.options.text import counted, finite, printable
from tarsus.errors import ModelFileError


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"tarsus {ts.__version__}\n")


def test_help_names_all_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert all(name in result.stdout for name in ("check", "info", "draw", "bench", "native"))


@pytest.mark.parametrize("command", ["check", "info", "draw"])
def test_help_of_a_command_has_examples(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"tarsus {command} robot" in result.stdout


def test_unknown_command_is_wrong_usage():
    assert run("fly").exit_code == 2


def test_native_tells_the_instruction_set():
    assert json.loads(run("native", "--json").stdout) == json.loads(json.dumps(ts.native_info()))
    assert f"isa        {ts.native_info()['isa']}" in run("native").stdout


def test_debug_shows_the_error_itself():
    result = run("--debug", "info", "gone.urdf")
    assert isinstance(result.exception, ModelFileError)
    assert isinstance(run("info", "gone.urdf").exception, SystemExit)


def test_installed_command_calls_the_tool():
    from importlib.metadata import entry_points

    scripts = [entry for entry in entry_points(group="console_scripts") if entry.name == "tarsus"]
    code = "import sys; from tarsus.cli.main import app; sys.argv = ['tarsus', '--version']; app()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"tarsus {ts.__version__}"
    assert {entry.value for entry in scripts} <= {"tarsus.cli.main:app"}


def test_reader_that_stops_early_causes_no_traceback():
    code = "from tarsus.cli.main import app; app()"
    command = [sys.executable, "-c", code, "info", "robot:coil:3000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_printable_escapes_control_characters_only():
    assert printable("füß\x1b[31m\n") == "füß\\x1b[31m\\n"


def test_counted_knows_plurals():
    assert [counted(n, word) for n, word in ((1, "error"), (0, "error"), (2, "body"))] == [
        "1 error",
        "0 errors",
        "2 bodies",
    ]


def test_finite_replaces_what_json_cannot_say():
    assert finite([1.0, float("inf"), float("-inf")]) == [1.0, None, None]


def test_module_runs_as_the_tool():
    done = subprocess.run([sys.executable, "-m", "tarsus", "--version"], capture_output=True, text=True, check=True)
    assert ts.__version__ in done.stdout


@pytest.mark.parametrize("command", [[], ["info"], ["check"], ["simulate"], ["view"], ["replay"], ["plot"], ["bench"]])
def test_flags_are_shown_without_a_type(command):
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "--help" in result.stdout
    assert "bool" not in result.stdout.lower()
