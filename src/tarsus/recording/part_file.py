"""The file beside its final place in which a recording grows: one writer at a time, nothing lost of earlier runs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import warnings

from tarsus.errors import RecordingError, RecordingWarning
from tarsus.files import regular_target
from tarsus.recording.format import part_path


class PartFile:
    """New empty file that is locked, and has no name until `publish`.

    A process killed before that leaves nothing at all. (Where the system has no files without names, it leaves a file
    with the suffix ".new".)

    Parameters
    ----------
    path : str
        Where the finished file will be.

    Attributes
    ----------
    descriptor : int
    part : str
        Where the file is between `publish` and `put_in_place`.

    Raises
    ------
    RecordingError
        If the file cannot be written: a directory, a device or a pipe is there, or another recording is running.
    """

    def __init__(self, path: str) -> None:
        self._published = False
        self._named: str | None = None
        self.descriptor = -1
        try:
            self._path = os.fspath(regular_target(path)[0])
            self.part = part_path(self._path)
            _make_room(path, self.part)
            self._create()
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise RecordingError(f"{path}: cannot be written ({error.strerror})") from error

    def _create(self) -> None:
        flags = os.O_RDWR | os.O_CLOEXEC
        with contextlib.suppress(OSError, AttributeError):
            self.descriptor = os.open(os.path.dirname(self._path) or ".", flags | os.O_TMPFILE, 0o666)
            return
        self._named = f"{self.part}.{os.getpid()}.new"
        self.descriptor = os.open(self._named, flags | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)

    def publish(self) -> None:
        """Give the file its name.

        Raises
        ------
        FileExistsError
            If another recording took it in the meantime.
        """
        if self._published:
            return
        if self._named is None:
            # A directory descriptor, which is not used for an absolute path, makes Python follow the link.
            os.link(f"/proc/self/fd/{self.descriptor}", self.part, src_dir_fd=self.descriptor)
        else:
            os.link(self._named, self.part)
            os.unlink(self._named)
        self._published = True

    def put_in_place(self, *, replace: bool) -> str:
        """Move the file to its final place unless it would replace another against `replace`; returns where it is."""
        if replace:
            mode = regular_target(self._path)[1]  # what has come there since the beginning may be something else
            if mode is not None:
                os.fchmod(self.descriptor, mode)
            os.fsync(self.descriptor)
            os.replace(self.part, self._path)
            return self._path
        os.fsync(self.descriptor)
        try:
            os.link(self.part, self._path)  # unlike a rename it fails where a file exists
        except OSError:
            return self.part
        os.unlink(self.part)
        return self._path

    def remove(self) -> None:
        """Leave nothing of it behind."""
        for name in (self.part if self._published else None, self._named):
            if name is not None:
                with contextlib.suppress(OSError):
                    os.unlink(name)
        self.close()

    def close(self) -> None:
        """Close and unlock the file, wherever it is."""
        if self.descriptor >= 0:
            with contextlib.suppress(OSError):  # a forked child that still has it open would keep it locked
                fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            os.close(self.descriptor)
        self.descriptor = -1


def _make_room(path: str, part: str) -> None:
    """Rename an unfinished recording of an earlier run, so that it is not lost; refuse where the run still goes on."""
    try:
        descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RecordingError(f"{path}: cannot be written: {part} is no file")
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordingError(f"{path}: another recording to this file is running") from None
    else:
        number = 1
        while os.path.lexists(f"{part}.{number}"):
            number += 1
        os.rename(part, f"{part}.{number}")
        message = f"an unfinished recording of an earlier run was renamed to {part}.{number}"
        warnings.warn(message, RecordingWarning, stacklevel=5)
    finally:
        os.close(descriptor)
