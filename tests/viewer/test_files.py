"""Files appear complete or not at all."""

import pytest

from tarsus.viewer.files import whole_file, write_whole


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
