"""`tarsus feng`."""

from typer.testing import CliRunner

from tarsus.cli.main import app
from tarsus.recording.files import open_recording
from tarsus.walking.feng.torques.walk_law import WalkLaw

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
    (tmp_path / "directory.h5").mkdir()
    for options in (
        ["--first", "both"],
        ["--steps", "0"],
        ["-o", str(tmp_path / "walk.txt")],
        ["-o", str(tmp_path / "directory.h5")],
        ["--figures", str(tmp_path / "missing" / "pictures")],
        ["--delay", "-1"],
        ["--noise", "0.01", "--seed", "-1"],
    ):
        result = runner.invoke(app, ["feng", *options])
        assert result.exit_code != 0
        assert "Traceback" not in result.output
        assert isinstance(result.exception, SystemExit)
        assert " steps," not in result.output  # before anything is walked


def test_ctrl_c_keeps_what_was_walked(tmp_path, monkeypatch):
    torque = WalkLaw.torque

    def interrupted(self, model, elapsed, q, across=1.0, head=None):
        if across > 0.0 and elapsed > 0.1:  # in the second step
            raise KeyboardInterrupt
        return torque(self, model, elapsed, q, across, head)

    monkeypatch.setattr(WalkLaw, "torque", interrupted)
    record = tmp_path / "walk.h5"
    result = runner.invoke(app, ["feng", "--steps", "5", "-o", str(record)])
    assert result.exit_code == 130
    assert "1 steps" in result.output
    assert "interrupted" in result.output
    run = open_recording(record)
    assert run.time[-1] > 0.6
    assert "interrupted" in run.reason


def test_pictures_that_cannot_be_written_do_not_take_the_recording_with_them(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "phase.png")

    monkeypatch.setattr("tarsus.plots.feng_walk.plot_phase_clouds", full)
    record = tmp_path / "walk.h5"
    result = runner.invoke(app, ["feng", "--steps", "2", "-o", str(record), "--figures", str(tmp_path / "pictures")])
    assert result.exit_code == 1
    assert "No space left" in result.output
    assert open_recording(record).finished
