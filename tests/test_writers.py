"""Everything that writes a file: what is no regular file is refused, links are followed, older files stay whole."""

import os
import re
import socket
import stat
from pathlib import Path

import pytest
from sample_models import double_pendulum

import tarsus as ts
from tarsus.errors import TarsusError
from tarsus.viewer import draw_moment, write_animation, write_video

SOURCE = Path(ts.__file__).parent


@pytest.fixture(scope="module")
def run():
    return ts.simulate(double_pendulum().build(), [0.3, -0.2], duration=0.02, sample_dt=0.01)


def record(run, path):
    ts.simulate(run.model, [0.3, -0.2], duration=0.02, sample_dt=0.01, record=path)


def append(run, path):
    with ts.Recorder(path, run.model) as recorder:
        recorder.append(run.time, run.q, run.v)


SMALL = {"size": (64, 64)}
WRITERS = {
    "save": (ts.save, ".h5"),
    "record": (record, ".h5"),
    "Recorder": (append, ".h5"),
    "export csv": (ts.export, ".csv"),
    "export npz": (ts.export, ".npz"),
    "export mcap": (ts.export, ".mcap"),
    "write_urdf": (lambda run, path: ts.write_urdf(run.model, path), ".urdf"),
    "draw png": (lambda run, path: ts.draw(run.model, path=path), ".png"),
    "draw svg": (lambda run, path: ts.draw(run.model, path=path), ".svg"),
    "draw_moment": (lambda run, path: draw_moment(run, 0.01, path, **SMALL), ".png"),
    "write_animation": (write_animation, ".html"),
    "write_video gif": (lambda run, path: write_video(run, path, **SMALL), ".gif"),
    "write_video mp4": (lambda run, path: write_video(run, path, **SMALL), ".mp4"),
    "plot_energy": (lambda run, path: ts.plot_energy(run, path=path), ".png"),
    "plot_signals": (lambda run, path: ts.plot_signals(run, "q", path=path), ".svg"),
}


@pytest.fixture(params=WRITERS)
def writer(request, run):
    """A function that writes to a path, and the suffix of such files."""
    write, suffix = WRITERS[request.param]
    return lambda path: write(run, path), suffix


def listing(folder):
    return sorted(p.name for p in folder.iterdir())


def make_directory(path):
    path.mkdir()


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as opened:
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            opened.bind(path.name)
        finally:
            os.chdir(here)


def make_link_to_a_device(path):
    master, slave = os.openpty()
    path.symlink_to(os.ttyname(slave))
    make_link_to_a_device.open = (master, slave)  # the device is there as long as they are


@pytest.mark.parametrize("make", [make_directory, make_pipe, make_socket, make_link_to_a_device])
def test_what_is_no_file_is_refused_and_stays(tmp_path, writer, make):
    write, suffix = writer
    path = tmp_path / f"place{suffix}"
    make(path)
    kind = stat.S_IFMT(path.stat().st_mode)
    with pytest.raises((OSError, TarsusError), match=r"is a directory|which no file may replace"):
        write(path)
    assert stat.S_IFMT(path.stat().st_mode) == kind
    assert path.is_symlink() == (make is make_link_to_a_device)
    assert listing(tmp_path) == [path.name]


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing yet"])
def test_a_link_is_followed_and_stays(tmp_path, writer, there):
    """The file behind it may have another suffix: the one that was asked for counts."""
    write, suffix = writer
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link, plain = folder / "behind", tmp_path / f"link{suffix}", tmp_path / f"plain{suffix}"
    if there:
        target.write_bytes(b"old")
        target.chmod(0o640)
    link.symlink_to(target)
    write(link)
    write(plain)
    assert link.is_symlink()
    assert listing(folder) == ["behind"]
    assert listing(tmp_path) == sorted(["elsewhere", link.name, plain.name])
    assert target.stat().st_size > 0.5 * plain.stat().st_size  # times and the like may differ
    assert target.read_bytes()[:4] == plain.read_bytes()[:4]
    if there:
        assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_recording_does_not_replace_what_came_to_its_place_meanwhile(tmp_path, run):
    path = tmp_path / "run.h5"
    recorder = ts.Recorder(path, run.model)
    recorder.append(run.time, run.q, run.v)
    os.mkfifo(path)
    with pytest.raises(ts.errors.RecordingError, match=r"cannot be put in place .* it is kept as .*run\.h5\.part"):
        recorder.close()
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert len(ts.open_recording(f"{path}.part")) == len(run)


def test_a_part_file_that_is_no_file_is_refused_and_stays(tmp_path, run):
    os.mkfifo(tmp_path / "run.h5.part")
    with pytest.raises(ts.errors.RecordingError, match=r"run\.h5\.part is no file"):
        ts.save(run, tmp_path / "run.h5")
    assert listing(tmp_path) == ["run.h5.part"]


def test_a_recording_behind_a_link_that_was_not_completed_is_found(tmp_path, run):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (tmp_path / "run.h5").symlink_to(folder / "run.h5")
    recorder = ts.Recorder(tmp_path / "run.h5", run.model)
    recorder.append(run.time, run.q, run.v)
    recorder.flush()
    assert listing(folder) == ["run.h5.part"]
    del recorder  # as a process that ends early
    assert len(ts.open_recording(tmp_path / "run.h5")) == len(run)


def test_nothing_else_writes_files():
    """Whoever opens a file for writing does so in `tarsus.files`, or adds to what must survive the end of a process:
    the part file of a recording, the results of a sweep.
    """
    mode = r"""["'][rwax+b]*[wax+][rwax+b]*["']"""
    writing = re.compile(rf"\bopen\([^)\n]*{mode}|write_bytes\(|write_text\(|os\.replace\(")
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if writing.search(re.sub(r"self\._write_text\(|def _write_text\(", "", path.read_text()))
    }
    assert found == {"files.py", "recording/part_file.py", "analysis/sweeps/results_file.py"}
