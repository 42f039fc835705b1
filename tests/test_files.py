"""Files appear complete or not at all."""

import os
import stat
from contextlib import contextmanager

import pytest

from tarsus.files import whole_file, write_stream, write_whole


@contextmanager
def umask(mask):
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_file_is_written(tmp_path):
    write_whole(tmp_path / "a.bin", b"new")
    assert (tmp_path / "a.bin").read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def fail():
        with whole_file(path) as unfinished:
            unfinished.write_bytes(b"half")
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="middle"):
        fail()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


def test_stream_is_filled_and_its_error_leaves_nothing(tmp_path):
    write_stream(tmp_path / "a.bin", lambda stream: stream.write(b"new"))
    assert (tmp_path / "a.bin").read_bytes() == b"new"

    def fail(stream):
        stream.write(b"half")
        raise ValueError("in the middle")

    with pytest.raises(ValueError, match="middle"):
        write_stream(tmp_path / "b.bin", fail)
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit, MemoryError])
def test_nothing_is_left_however_the_block_ends(tmp_path, ending):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def end():
        with whole_file(path) as unfinished:
            unfinished.write_bytes(b"half")
            raise ending

    with pytest.raises(ending):
        end()
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


def test_failed_move_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_new_file_has_the_permissions_that_the_umask_allows(tmp_path, mask, expected):
    with umask(mask):
        write_whole(tmp_path / "a.bin", b"new")
        write_stream(tmp_path / "b.bin", lambda stream: stream.write(b"new"))
    assert mode(tmp_path / "a.bin") == mode(tmp_path / "b.bin") == expected


def test_replaced_file_passes_its_permissions_on(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with umask(0o077):
        write_whole(path, b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", 0o640)


def test_symbolic_link_is_followed_and_stays(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.bin", tmp_path / "link.bin"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert [p.name for p in (tmp_path / "there").iterdir()] == ["a.bin"]


def test_link_to_a_file_that_does_not_exist_yet_makes_it(tmp_path):
    link = tmp_path / "link.bin"
    link.symlink_to(tmp_path / "a.bin")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "a.bin").read_bytes() == b"new"


def test_link_to_itself_is_refused(tmp_path):
    link = tmp_path / "link.bin"
    link.symlink_to(link)
    with pytest.raises(OSError):
        write_whole(link, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["link.bin"]


def test_pipe_and_device_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "null").symlink_to("/dev/null")
    for path in (pipe, tmp_path / "null"):
        with pytest.raises(FileExistsError, match="which no file may replace"):
            write_whole(path, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_directory_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="expected a file to write"):
        write_whole(tmp_path, b"new")
    assert list(tmp_path.iterdir()) == []


def test_missing_directory_is_told_of_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as told:
        write_whole(tmp_path / "none" / "a.bin", b"new")
    assert told.value.filename == str(tmp_path / "none" / "a.bin")
