"""`tarsus feng`."""

from typer.testing import CliRunner

from tarsus.cli.main import app
from tarsus.recording.files import open_recording

runner = CliRunner()


def test_it_walks_prints_its_table_and_writes_recording_and_pictures(tmp_path):
    record, figures = tmp_path / "walk.h5", tmp_path / "pictures"
    result = runner.invoke(app, ["feng", "--steps", "2", "-o", str(record), "--figures", str(figures)])
    assert result.exit_code == 0, result.output
    assert "2 steps" in result.output
    assert "step length [m]" in result.output
    assert "never    " in result.output
    run = open_recording(record)
    assert run.model.nq == 21
    assert run.finished
    for name in ("phase.png", "graph.png", "pressure.png"):
        assert (figures / name).read_bytes().startswith(b"\x89PNG")


def test_a_fall_is_told_with_exit_code_1():
    result = runner.invoke(app, ["feng", "--steps", "5", "--no-lifting"])
    assert result.exit_code == 1
    assert "ended in step" in result.output


def test_what_makes_no_sense_is_refused(tmp_path):
    for options in (["--first", "both"], ["--steps", "0"], ["-o", str(tmp_path / "walk.txt")], ["--delay", "-1"]):
        result = runner.invoke(app, ["feng", *options])
        assert result.exit_code != 0
        assert "Traceback" not in result.output
