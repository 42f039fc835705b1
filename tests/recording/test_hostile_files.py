"""Recordings made to take memory or time: refused for what they announce, before it is taken."""

import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest
from recording.runs import random_run

import tarsus as ts
from tarsus.errors import RecordingError
from tarsus.recording.committed_file import _ENTRY, _FOOTER, _MAGIC, PAGE

MEGABYTE = 2**20
ALLOWED = 150
"""Memory that reading may take beyond that of reading a small recording; files here ask for 500 to 60,000 [MB]."""
READ = """
import json, re, sys
import tarsus as ts
def peak():  # of this process: getrusage may tell that of the one that started it
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1]) // 1024
ts.open_recording(sys.argv[1])
before = peak()
try:
    ts.open_recording(sys.argv[2])
    told = ""
except ts.errors.RecordingError as error:
    told = str(error)
print(json.dumps([told, peak() - before]))
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.h5"
    ts.save(random_run(), path)
    return path


@pytest.fixture
def hostile(small: Path, tmp_path: Path) -> Path:
    path = tmp_path / "hostile.h5"
    path.write_bytes(small.read_bytes())
    return path


def read(small: Path, hostile: Path) -> str:
    """What is told of a file, given that memory was not taken for it."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(small), str(hostile)], capture_output=True, text=True, timeout=60, check=True
    )
    told, taken = json.loads(done.stdout)
    assert taken < ALLOWED
    return str(told)


def replace_signal(path: Path, make) -> None:
    with h5py.File(path, "r+") as file:
        make(file["signals"])


def zeros(count: int) -> bytes:
    return zlib.compress(bytes(count), 9)


def test_an_array_that_gzip_makes_of_few_bytes_is_refused(small, hostile):
    """4 GB of zeros in 4 MB."""

    def make(group):
        rows = 16 * MEGABYTE // 8
        data = group.create_dataset("bomb", (256 * rows,), "f8", chunks=(rows,), compression="gzip")
        packed = zeros(8 * rows)
        for k in range(250):
            data.id.write_direct_chunk((k * rows,), packed)
        data.attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    assert hostile.stat().st_size < 10 * MEGABYTE
    assert "max_size= admits them" in read(small, hostile)


def test_a_piece_that_unpacks_to_more_than_it_should_is_refused(small, hostile):
    """A piece of 1 MB for 1 MB of numbers, which HDF5 would unpack to 300 MB."""

    def make(group):
        data = group.create_dataset("bomb", (MEGABYTE // 8,), "f8", chunks=(MEGABYTE // 8,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(300 * MEGABYTE), 1))
        data.attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    assert "piece" in read(small, hostile)


def test_stacked_filters_are_refused(small, hostile):
    """Deflate over deflate: 35 kB that are 4 GB."""

    def make(group):
        rows = 16 * MEGABYTE // 8
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((rows,))
        for _ in range(3):
            plist.set_deflate(9)
        space = h5py.h5s.create_simple((16 * rows,))
        made = h5py.h5d.create(group.id, b"bomb", h5py.h5t.NATIVE_DOUBLE, space, plist)
        packed = zlib.compress(zlib.compress(zeros(8 * rows), 9), 9)
        for k in range(16):
            made.write_direct_chunk((k * rows,), packed)
        h5py.Dataset(made).attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    told = read(small, hostile)
    assert "packed 3 times by deflate" in told or "are stored" in told


def test_pieces_that_hang_over_are_refused(small, hostile):
    """A thousand pieces of 16 MB, of which eight bytes each are used."""

    def make(group):
        columns = 16 * MEGABYTE // 8
        data = group.create_dataset("bomb", (1000, 1), "f8", chunks=(1, columns), maxshape=(None, None), compression=1)
        packed = zeros(8 * columns)
        for k in range(1000):
            data.id.write_direct_chunk((k, 0), packed)
        data.attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    assert "larger than it is" in read(small, hostile)


def test_small_numbers_count_as_what_they_become(small, hostile):
    """Half precision takes four times its size once it is read."""

    def make(group):
        rows = 8 * MEGABYTE
        data = group.create_dataset("bomb", (12 * rows,), "f2", chunks=(rows,), compression=1)
        packed = zeros(2 * rows)
        for k in range(12):
            data.id.write_direct_chunk((k * rows,), packed)
        data.attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    assert "max_size= admits them" in read(small, hostile)


def test_a_text_of_many_values_is_refused(small, hostile):
    text = b"[" + b"[]," * 5_000_000 + b"[]]"
    with h5py.File(hostile, "r+") as file:
        del file["contacts/names"]
        file["contacts"].create_dataset("names", data=np.bytes_(text)).attrs["crc32"] = np.uint32(zlib.crc32(text))
    assert "values, more than" in read(small, hostile)


def append_journal(path: Path, entries: bytes) -> None:
    with path.open("ab") as file:
        file.write(entries + _FOOTER.pack(len(entries), zlib.crc32(entries), _MAGIC))


@pytest.mark.parametrize(
    "entry",
    [_ENTRY.pack(0, 0), _ENTRY.pack(0, 1) + b"x", _ENTRY.pack(0, PAGE) + bytes(PAGE)],
    ids=["nothing", "a byte", "a page"],
)
def test_a_journal_that_changes_a_place_again_and_again_is_refused(small, hostile, entry):
    """12 MB of entries, each of which every read would go through."""
    append_journal(hostile, entry * (12 * MEGABYTE // len(entry)))
    assert "journal that is damaged" in read(small, hostile)


@pytest.mark.parametrize("entry", [
    _ENTRY.pack(7, PAGE) + bytes(PAGE), _ENTRY.pack(2**62, PAGE) + bytes(PAGE), _ENTRY.pack(0, 2**31), b"xyz",
    _ENTRY.pack(PAGE, 8) + bytes(8) + _ENTRY.pack(0, 8) + bytes(8),
], ids=["between pages", "far away", "cut off", "too short", "backwards"])  # fmt: skip
def test_a_journal_that_no_commit_leaves_is_refused(hostile, entry):
    append_journal(hostile, entry)
    with pytest.raises(RecordingError, match="journal that is damaged"):
        ts.open_recording(hostile)


def test_a_long_journal_of_a_commit_reads_as_quickly_as_none(hostile):
    """Every page of the file once, in order: what a commit may leave, found by bisection."""
    data = hostile.read_bytes()
    pages = [data[start : start + PAGE] for start in range(0, len(data), PAGE)]
    append_journal(hostile, b"".join(_ENTRY.pack(k * PAGE, len(page)) + page for k, page in enumerate(pages)))
    assert len(ts.open_recording(hostile)) == len(random_run())


def sparse(path: Path, size: int, end: bytes = b"") -> None:
    with path.open("r+b") as file:
        file.truncate(size)
        file.seek(size - len(end))
        file.write(end)


def test_a_sparse_file_does_not_count_as_long(small, hostile):
    """60 GB of holes whose last bytes announce a journal of 59 GB."""
    size = 60 * 2**30
    sparse(hostile, size, _FOOTER.pack(59 * 2**30, 0, _MAGIC))
    assert os.stat(hostile).st_blocks * 512 < MEGABYTE * 10
    assert "journal of" in read(small, hostile)


def test_an_array_in_the_holes_of_a_sparse_file_is_refused(small, hostile):
    def make(group):
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple((60 * 2**30 // 8,))
        made = h5py.h5d.create(group.id, b"bomb", h5py.h5t.NATIVE_DOUBLE, space, plist)
        h5py.Dataset(made).attrs["crc32"] = np.uint32(0)

    replace_signal(hostile, make)
    assert hostile.stat().st_size > 60 * 2**30
    assert "max_size= admits them" in read(small, hostile)


def test_footers_of_other_lengths_are_no_journals(hostile):
    with hostile.open("ab") as file:
        file.write(struct.pack("<QI16s", 2**63, 0, _MAGIC))
    assert len(ts.open_recording(hostile)) == len(random_run())


def test_a_compressible_recording_of_ordinary_length_is_read(tmp_path):
    """A robot at rest for long: 40 MB of numbers that hardly change, in a file a hundred times shorter."""
    run = random_run()
    path = tmp_path / "rest.h5"
    signal = np.zeros((len(run), 5 * MEGABYTE // len(run)))
    long = ts.Trajectory(run.model, run.time, run.q, run.v, run.tau, signals={"rest": signal})
    ts.save(long, path)
    assert path.stat().st_size * 100 < signal.nbytes
    np.testing.assert_array_equal(ts.open_recording(path).signals["rest"], signal)
