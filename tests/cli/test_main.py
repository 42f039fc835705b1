"""Options of the whole tool, and `tarsus native`."""

import json
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.cli.options.text import counted, finite, printable
from tarsus.errors import ModelFileError

SOURCES = str(Path(__file__).parents[2] / "src")
"""Where the command is, in case an older installation has none; after all that is installed."""


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


def command(*arguments, before=""):
    """The command `tarsus` in a process of its own, with code that runs before it."""
    code = f"import sys; sys.path.append({SOURCES!r}); {before}\nfrom tarsus_command import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_installed_command_calls_the_tool():
    found = command("--version")
    assert (found.returncode, found.stdout) == (0, f"tarsus {ts.__version__}\n")
    for entry in entry_points(group="console_scripts", name="tarsus"):
        assert callable(entry.load())


INTERRUPT = """
import os, signal
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize("name", ["tarsus", "numpy", "typer", "tarsus.cli.results.sweep"])
def test_interrupt_while_the_tool_is_imported_ends_it_without_a_word(name):
    found = command("--version", before=INTERRUPT.format(name=name))
    assert (found.returncode, found.stdout, found.stderr) == (-signal.SIGINT, "", "")


def test_interrupt_that_a_shell_ignores_is_ignored_while_the_tool_is_imported():
    ignoring = INTERRUPT.format(name="typer") + "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    assert command("--version", before=ignoring).stdout == f"tarsus {ts.__version__}\n"


def test_interrupt_of_a_command_ends_it_with_the_usual_code():
    within = "import os, signal; import tarsus; tarsus.native_info = lambda: os.kill(os.getpid(), signal.SIGINT)"
    found = command("native", before=within)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")


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
