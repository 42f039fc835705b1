"""Files that appear complete or not at all."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Name of a file to write, beside `path`; it takes the place of `path` when the block ends without an error.

    Whatever ends the block otherwise, an older file stays as it was and nothing is left behind. A file that is replaced
    passes its permissions on, a new one gets those that the umask allows. A symbolic link is followed: the file it
    points to is replaced, and the link stays.

    Raises
    ------
    OSError
        If the file cannot be written, or `path` is something else than a file: a directory, a device, a pipe.
    """
    target, mode = regular_target(path)
    with _directory_beside(target) as directory:
        unfinished = Path(directory) / Path(os.fsdecode(path)).name  # its suffix, not that behind a link
        yield unfinished
        if mode is not None:
            os.chmod(unfinished, mode)
        _to_disk(unfinished)
        os.replace(unfinished, target)


def regular_target(path: str | os.PathLike[str]) -> tuple[Path, int | None]:
    """Where a file is to be written: `path` with symbolic links followed, and the permissions of a file that is there.

    Raises
    ------
    OSError
        If something else than a file is there.
    """
    target = Path(os.path.realpath(os.fsdecode(path)))
    return target, _mode(target)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file; see `whole_file`."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(data)


def write_stream(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file; see `whole_file`."""
    with whole_file(path) as unfinished, open(unfinished, "wb") as stream:
        write(stream)


def _mode(target: Path) -> int | None:
    """Permissions of the file that will be replaced, None if there is none."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory, expected a file to write", os.fspath(target))
    if not stat.S_ISREG(mode):
        message = "is a device, a pipe or a socket, which no file may replace"
        raise FileExistsError(errno.EEXIST, message, os.fspath(target))
    return mode & 0o777


def _directory_beside(target: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix=".writing", dir=target.parent)
    except OSError as error:  # say it of the file that was asked for
        raise OSError(error.errno, error.strerror, os.fspath(target)) from None


def _to_disk(path: Path) -> None:
    """Have the system write what it may still keep in memory, so that a power failure leaves no empty file."""
    with open(path, "rb") as stream:
        os.fsync(stream.fileno())
