"""`tarsus replay`, `tarsus plot` and `tarsus export`."""

import io
import json
import os

import numpy as np
import pytest
from matplotlib.image import imread
from recording.runs import append, random_run
from rich.console import Console
from typer.testing import CliRunner

import tarsus as ts
from tarsus.cli.main import app
from tarsus.cli.results import replay
from tarsus.cli.results.terminal_player import BAR_WIDTH, bar, play


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ts.save(random_run(), "run.h5")
    ts.save(random_run(batch=(3,)), "many.h5")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.mark.parametrize("command", ["replay", "plot", "export"])
def test_help_shows_examples(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"tarsus {command} run.h5" in result.stdout


@pytest.mark.parametrize("command", [["replay"], ["plot"], ["export"]])
def test_file_that_is_no_recording_is_one_line(folder, command):
    (folder / "bad.h5").write_text("no")
    more = ["out.csv"] if command == ["export"] else []
    for name in ("bad.h5", "gone.h5"):
        result = run(*command, name, *more)
        assert result.exit_code == 1
        assert name in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_plot_is_named_after_the_recording(folder):
    assert run("plot", "run.h5").exit_code == 0
    assert run("plot", "run.h5", "--energy").exit_code == 0
    assert {"run.png", "run-energy.png"} <= set(os.listdir(folder))
    assert imread("run.png")[..., :3].std() > 0.01


def test_plot_of_chosen_signals_and_times(folder):
    result = run("plot", "run.h5", "--signals", "q.elbow, energy.total", "-s", "stance", "--from", 0.01, "--to", 0.02)
    assert result.exit_code == 0
    assert "3 panels, 11 samples of double pendulum" in result.stdout
    assert run("plot", "many.h5", "--simulation", 2, "-o", "two.svg").exit_code == 0
    assert (folder / "two.svg").read_text().startswith("<?xml")


def test_plot_lists_names(folder):
    result = run("plot", "run.h5", "--list")
    assert "q.elbow [rad]" in result.stdout.splitlines()
    assert not (folder / "run.png").exists()


def test_unknown_signal_is_one_line_with_close_names(folder):
    result = run("plot", "run.h5", "--signals", "q.elbwo")
    assert result.exit_code == 1
    assert "close: 'q.elbow'" in result.stderr
    assert not (folder / "run.png").exists()


@pytest.mark.parametrize(
    "options",
    [["-o", "a.bmp"], ["-o", "nowhere/a.png"], ["--energy", "--signals", "q"], ["--simulation", -1]],
)
def test_wrong_usage_of_plot(folder, options):
    assert run("plot", "run.h5", *options).exit_code == 2


def test_export_writes_what_the_library_writes(folder):
    assert run("export", "run.h5", "run.csv", "--signals", "q.elbow,stance").exit_code == 0
    ts.export(ts.open_recording("run.h5"), "again.csv", signals=["q.elbow", "stance"])
    assert (folder / "run.csv").read_bytes() == (folder / "again.csv").read_bytes()
    assert run("export", "many.h5", "many.npz").exit_code == 0
    with np.load("many.npz") as file:
        assert file["q"].shape == (40, 3, 2)


def test_export_of_a_batch_to_csv_needs_a_number(folder):
    result = run("export", "many.h5", "many.csv")
    assert result.exit_code == 1
    assert "choose one by its number, 0 to 2" in result.stderr
    assert run("export", "many.h5", "many.csv", "--simulation", 1).exit_code == 0


def test_summary_says_what_is_in_the_recording(folder):
    result = run("replay", "run.h5", "--summary")
    assert result.exit_code == 0
    for text in ("double pendulum", "40, 0 to 0.039 s", "0.001 s", "as planned", "left sole, right sole", "PD"):
        assert text in result.stdout


def test_unfinished_recording_is_replayed_with_its_reason(folder):
    motion = random_run()
    recorder = ts.Recorder("killed.h5", motion.model, contacts=motion.contacts)
    append(recorder, motion)
    recorder.flush()
    del recorder
    result = run("replay", "killed.h5", "--summary")
    assert result.exit_code == 0
    assert "not closed" in result.stdout


def test_replay_in_the_terminal_runs_to_the_end(folder):
    result = run("replay", "run.h5", "--terminal", "--speed", 10)
    assert result.exit_code == 0
    assert "0.039 of 0.039 s" in result.stdout
    assert run("replay", "many.h5", "--terminal", "--simulation", 2).exit_code == 0


def test_without_the_viewer_the_terminal_is_used_and_the_command_to_install_it_told(folder, monkeypatch):
    monkeypatch.setattr(replay, "_has_viewer", lambda: False)
    result = run("replay", "run.h5")
    assert result.exit_code == 0
    assert "pip install 'tarsus[viewer]'" in result.stderr
    assert "0.039 of 0.039 s" in result.stdout


def test_options_are_passed_on_to_the_viewer(folder, monkeypatch):
    calls = {}

    class Viewer:
        url = "http://127.0.0.1:1"

        def wait(self):
            calls["waited"] = True

    def show(shown, *, host, port, token, open_browser, block, overlays, speed=1.0):
        calls["show"] = (len(shown), host, port, token, open_browser, block, speed, *overlays)
        return Viewer()

    functions = {
        "show": show,
        "draw_moment": lambda shown, time, path, simulation: calls.update(png=(time, str(path), simulation)),
        "write_animation": lambda shown, path, simulation: calls.update(html=(str(path), simulation)),
        "write_video": lambda shown, path, speed, simulation: calls.update(video=(str(path), speed, simulation)),
    }
    monkeypatch.setattr(replay, "_has_viewer", lambda: True)
    monkeypatch.setattr(replay, "_viewer_function", functions.__getitem__)
    options = ["--speed", 0.5, "--no-browser", "--port", 8123, "--show", "cones", "--show", "region,strip"]
    result = run("replay", "run.h5", *options)
    assert result.exit_code == 0
    shown = (40, "127.0.0.1", 8123, None, False, False, 0.5, "cones", "region", "strip")
    assert calls == {"show": shown, "waited": True}
    assert "http://127.0.0.1:1" in result.stdout
    calls.clear()
    files = ["--png", "a.png", "--time", 0.01, "--html", "a.html", "--video", "a.gif", "--simulation", 1]
    assert run("replay", "many.h5", *files).exit_code == 0
    assert calls == {"png": (0.01, "a.png", 1), "html": ("a.html", 1), "video": ("a.gif", 1.0, 1)}


@pytest.mark.parametrize("speed", [0, -1, "nan", "inf"])
def test_impossible_speed_is_wrong_usage(folder, speed):
    assert run("replay", "run.h5", "--speed", speed).exit_code == 2


def test_terminal_shows_contacts_and_energies():
    screen = Console(file=io.StringIO(), width=100)
    play(random_run()[:39], 100.0, screen)  # both soles touch at the end of this part
    text = screen.file.getvalue()
    for part in ("left sole", "right sole", "kinetic energy", "centre of mass"):
        assert part in text


def test_bar_fills_from_left_to_right():
    assert bar(0.0).count("━") == 0
    assert bar(0.5) == "━" * (BAR_WIDTH // 2) + "╌" * (BAR_WIDTH // 2)
    assert bar(2.0).count("━") == BAR_WIDTH


@pytest.mark.parametrize("span", [("--from", 5), ("--from", 0.03, "--to", 0.01), ("--to", -1)])
def test_span_without_samples_is_told_with_the_span_of_the_recording(folder, span):
    result = run("plot", "run.h5", *span)
    assert result.exit_code == 1
    assert "it lasts from 0 to 0.039 s" in result.stderr


def test_the_terminal_lists_what_touches_and_not_what_does_not():
    from tarsus.cli.results.terminal_player import MOST_CONTACTS, frame

    def text(run):
        console = Console(file=io.StringIO(), width=120)
        console.print(frame(run, float(run.time[-1])))
        return console.file.getvalue()

    some = random_run()
    names = tuple(f"c{k}" for k in range(596))
    force = np.zeros((len(some), 596, 3))
    force[:, [100, 500], 2] = 50.0, 70.0
    run = ts.Trajectory(some.model, some.time, some.q, some.v, None, names, np.zeros_like(force), force)
    assert "c100" in text(run)
    assert "70.0 N" in text(run)
    assert "c0 " not in text(run)
    assert "2 of 596 contacts" in text(run)
    force[:, :40, 2] = np.arange(1.0, 41.0)
    run = ts.Trajectory(some.model, some.time, some.q, some.v, None, names, np.zeros_like(force), force)
    assert text(run).count(" N") == MOST_CONTACTS + 1
    assert "and 30 more, none above 30.0 N" in text(run)


def test_info_tells_what_a_recording_holds(folder):
    result = run("info", "run.h5")
    assert result.exit_code == 0, result.output
    assert "imu/acceleration" in result.stdout
    assert "40, 0 to 0.039 s" in result.stdout
    found = json.loads(run("info", "many.h5", "--json").stdout)
    assert (found["samples"], found["batch"], found["contacts"]) == (40, [3], ["left sole", "right sole"])
    assert found["signals"]["imu/acceleration"] == [40, 3, 3]
    assert run("info", "run.h5", "--base", "free").exit_code == 2
