"""A committed file is the old or the new state, wherever its process dies."""

import errno
import os

import numpy as np
import pytest

from tarsus.recording import committed_file
from tarsus.recording.committed_file import PAGE, CommittedFile, CommittedReader


class Killed(BaseException):
    """The process ended here."""


class DyingSystem:
    """System calls that write, of a process that is killed at call number `last`, in the middle of its bytes."""

    def __init__(self, last, share):
        self.left, self.share, self.dead = last, share, False

    def pwrite(self, descriptor, data, offset):
        self._live()
        if self.left == 0:
            self.dead = True
            os.pwrite(descriptor, data[: int(self.share * len(data))], offset)
            raise Killed
        self.left -= 1
        return os.pwrite(descriptor, data, offset)

    def ftruncate(self, descriptor, size):
        self._live()
        if self.left == 0:
            self.dead = True
            raise Killed
        self.left -= 1
        os.ftruncate(descriptor, size)

    def _live(self):
        if self.dead:
            raise Killed

    def __getattr__(self, name):
        return getattr(os, name)


@pytest.fixture
def descriptor(tmp_path):
    number = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    yield number
    os.close(number)


def states(count=4):
    """Successive contents of a file that grows and changes inside."""
    rng = np.random.default_rng(1)
    content = bytearray(rng.bytes(3 * PAGE + 100))
    yield bytes(content)
    for _ in range(count - 1):
        for place in (7, PAGE - 3, 2 * PAGE + 50, len(content) - 5):
            content[place : place + 5] = rng.bytes(5)
        content += rng.bytes(PAGE + 777)
        yield bytes(content)


def write_changes(file, old, new):
    """Write what differs, as HDF5 would: pieces in any order."""
    for start in reversed(range(0, len(new), 97)):
        if old[start : start + 97] != new[start : start + 97]:
            file.seek(start)
            file.write(new[start : start + 97])


def read_back(descriptor):
    return CommittedReader(descriptor).read()


def test_nothing_reaches_the_disk_before_the_commit(descriptor):
    file = CommittedFile(descriptor)
    file.write(b"abc")
    assert os.fstat(descriptor).st_size == 0
    assert file.pending == 3
    file.commit()
    assert os.pread(descriptor, 10, 0) == b"abc"
    assert file.pending == 0


def test_reads_see_what_was_written_committed_or_not(descriptor):
    file = CommittedFile(descriptor)
    old = b""
    for new in states():
        write_changes(file, old, new)
        file.seek(0)
        assert file.read() == new
        file.commit()
        file.seek(PAGE - 10)
        assert file.read(20) == new[PAGE - 10 : PAGE + 10]
        old = new
    assert read_back(descriptor) == old


def count_of_calls(monkeypatch, descriptor):
    system = DyingSystem(10**9, 0.0)
    monkeypatch.setattr(committed_file, "os", system)
    write_all(descriptor)
    return 10**9 - system.left


def write_all(descriptor):
    """All states, one commit each; yields nothing, may be killed. Returns the number of commits."""
    os.ftruncate(descriptor, 0)
    file = CommittedFile(descriptor)
    old, done = b"", 0
    try:
        for new in states():
            write_changes(file, old, new)
            file.commit()
            old, done = new, done + 1
    except Killed:
        pass
    return done


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_killed_at_any_system_call_it_is_the_old_or_the_new_state(monkeypatch, descriptor, share):
    calls = count_of_calls(monkeypatch, descriptor)
    every = [b"", *states()]
    seen = set()
    for last in range(calls):
        monkeypatch.setattr(committed_file, "os", DyingSystem(last, share))
        done = write_all(descriptor)
        monkeypatch.setattr(committed_file, "os", os)
        found = read_back(descriptor)
        if found.startswith(every[done]):  # bytes behind the old end belong to nobody
            seen.add("old")
        else:
            assert found == every[done + 1], f"killed at call {last}"
            seen.add("new")
    assert seen == {"old", "new"}


def test_failed_write_leaves_the_last_commit_and_no_byte_more(monkeypatch, descriptor):
    first, second, *_ = states()
    file = CommittedFile(descriptor)
    file.write(first)
    file.commit()
    write_changes(file, first, second)

    class FullDisk(DyingSystem):
        def pwrite(self, descriptor, data, offset):
            if offset > len(first) + 1000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return os.pwrite(descriptor, data[:900], offset)

    monkeypatch.setattr(committed_file, "os", FullDisk(10**9, 0.0))
    with pytest.raises(OSError, match="No space"):
        file.commit()
    assert os.pread(descriptor, 10**6, 0) == first


def test_journal_with_a_wrong_checksum_is_no_journal(descriptor):
    footer = committed_file._FOOTER.pack(4, 0, committed_file._MAGIC)
    os.pwrite(descriptor, b"content" + b"abcd" + footer, 0)
    assert read_back(descriptor) == b"content" + b"abcd" + footer


def test_reader_changes_nothing(descriptor):
    os.pwrite(descriptor, b"content", 0)
    file = CommittedReader(descriptor)
    for change in (lambda: file.write(b"x"), lambda: file.truncate(0)):
        with pytest.raises(OSError):
            change()
    assert read_back(descriptor) == b"content"


def test_cut_file_reads_as_cut(descriptor):
    file = CommittedFile(descriptor)
    file.write(b"0123456789")
    file.truncate(4)
    file.commit()
    assert read_back(descriptor) == b"0123"
