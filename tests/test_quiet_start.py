"""Ctrl-C while the command line tool starts."""

import os
import signal
import subprocess
import sys

import pytest

from tarsus import quiet_start

INTERRUPTING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
SCRIPT = "from tarsus.cli.main import app\napp()\n"


def listening():
    """Commands in the background of a shell start deaf to Ctrl-C; those that people start do not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(name="interrupted")
def _interrupted(tmp_path):
    """What becomes of a process that is interrupted when it imports a module."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    for name in ("tarsus", "study"):
        (tmp_path / name).write_text(SCRIPT)

    def run(module, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "INTERRUPTED_AT": module}
        command = [sys.executable, *(text.format(tmp_path) for text in arguments), "native"]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, preexec_fn=listening, check=False
        )

    return run


@pytest.mark.parametrize("module", ["numpy", "tarsus.cli.main", "typer.main", "tarsus.cli.motions.walk"])
@pytest.mark.parametrize("program", [("{}/tarsus",), ("-m", "tarsus")], ids=["script", "module"])
def test_tool_that_is_interrupted_while_it_starts_ends_quietly(interrupted, module, program):
    done = interrupted(module, *program)
    assert (done.returncode, done.stdout, done.stderr) == (quiet_start.INTERRUPTED, "", "")


def test_programs_that_use_the_package_are_interrupted_as_ever(interrupted):
    assert "KeyboardInterrupt" in interrupted("numpy", "{}/study").stderr


def test_commands_are_told_of_interruptions_once_they_begin():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        quiet_start.begin()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        quiet_start.end()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_ignores_interruptions_goes_on_to():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        quiet_start.begin()
        quiet_start.end()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
