"""Files that commands are to write, where links lead nowhere."""

import pytest
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.h5"
    ts.save(ts.simulate(ts.robots.rabbit(), duration=0.01, progress=False), path)
    return path


COMMANDS = {
    "draw": lambda run, path: ("draw", "robot:rabbit", "-o", path.with_suffix(".png")),
    "view": lambda run, path: ("view", run, "--html", path.with_suffix(".html")),
    "plot": lambda run, path: ("plot", run, "--energy", "-o", path.with_suffix(".png")),
    "simulate": lambda run, path: (
        "simulate", "robot:rabbit", "--duration", "0.01", "--record", path.with_suffix(".h5"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("target", ["itself", "nowhere"])
def test_a_link_that_leads_nowhere_is_an_error_in_words(command, target, recording, tmp_path):
    arguments = [str(a) for a in COMMANDS[command](recording, tmp_path / "link")]
    link = tmp_path / arguments[-1].rpartition("/")[2]
    link.symlink_to(link.name if target == "itself" else f"nowhere/{link.name}")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit)  # no traceback
    told = "".join(c for c in result.stderr if c.isalnum())  # lines of the box are broken anywhere
    assert "link" in told if target == "itself" else "nowhere" in told
    assert link.is_symlink()
