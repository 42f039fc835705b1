"""Recordings: trajectories in HDF5 files that stand alone, with the model and everything that was recorded."""

from __future__ import annotations

import fcntl
import os
import stat
import warnings

from tarsus.deferred_signals import deferred_signals
from tarsus.errors import ArgumentError, RecordingError, RecordingWarning, TarsusError
from tarsus.recording.committed_file import CommittedReader
from tarsus.recording.format import file_path, part_path
from tarsus.recording.reader import RecordingReader
from tarsus.recording.recorder import Recorder
from tarsus.recording.trajectory import Trajectory

MAX_SIZE = 4 * 2**30
"""Memory that the arrays of a recording may take by default, however long its file is [bytes]."""
SMALL_SIZE = 512 * 2**20
"""Memory that they may take by default, however short it is [bytes]."""
MOST_EXPANSION = 64
"""By how many times they may be longer than the file by default, between these two: gzip can make 1000 bytes of one."""

_READ_ALLOWANCE = 2**24
"""Bytes that may be read at once beyond what arrays may take: parts of HDF5's own bookkeeping."""
_SIGNATURE = b"\x89HDF\r\n\x1a\n"

__all__ = ["MAX_SIZE", "Recorder", "allowed_size", "open_recording", "save"]


def save(trajectory: Trajectory, path: str | os.PathLike[str], *, compression: int = 1) -> None:
    """Write a trajectory with its model to an HDF5 file.

    The file appears in its place complete or not at all; a file that was there stays whole until then.

    Parameters
    ----------
    trajectory : Trajectory
    path : path-like
        Usually with the suffix ".h5".
    compression : int
        0 (none) to 9 (smallest, slowest) of gzip. Nothing is rounded.

    Raises
    ------
    RecordingError
        If the file cannot be written; nothing is left behind then.

    See Also
    --------
    open_recording : Read it back.
    Recorder : Write while a simulation runs.
    """
    if not isinstance(trajectory, Trajectory):
        raise ArgumentError(f"trajectory is a {type(trajectory).__name__}, expected a tarsus.Trajectory")
    with Recorder(
        path,
        trajectory.model,
        contacts=trajectory.contacts,
        metadata=trajectory.metadata,
        interval=float("inf"),
        compression=compression,
        keep_unfinished=False,
    ) as recorder:
        recorder.append_whole(trajectory)
        recorder.close(finished=trajectory.finished, reason=trajectory.reason)


def open_recording(path: str | os.PathLike[str], *, max_size: int | None = None) -> Trajectory:
    """Read a recording.

    Where the file is missing because its recording was never completed (the process was killed), what was recorded
    until then is read from the file with ".part" added to its name; `finished` is False then.

    Parameters
    ----------
    path : path-like
    max_size : int, optional
        Refuse recordings whose arrays take more memory [bytes]. By default 64 times the length of the file, but at
        least 512 MiB and at most 4 GiB.

    Returns
    -------
    Trajectory

    Raises
    ------
    RecordingError
        If the file is missing, unreadable, damaged, not a recording, of a newer version, or too large.
    """
    name = file_path(path)
    target = os.path.realpath(name)
    part = part_path(target)
    if os.path.exists(part):
        if not os.path.lexists(target):
            name = part
        else:
            warnings.warn(f"beside {name} there is an unfinished recording, {part}", RecordingWarning, stacklevel=2)
    descriptor = _open_file(name)
    try:
        return _read(name, descriptor, allowed_size(descriptor) if max_size is None else max_size)
    finally:
        os.close(descriptor)


def allowed_size(descriptor: int) -> int:
    """Memory that the arrays of an open file may take by default [bytes]; holes of a file do not count as length."""
    status = os.fstat(descriptor)
    length = min(status.st_size, 512 * status.st_blocks)
    return min(max(MOST_EXPANSION * length, SMALL_SIZE), MAX_SIZE)


def _read(name: str, descriptor: int, max_size: int) -> Trajectory:
    try:
        file = CommittedReader(descriptor, max_size + _READ_ALLOWANCE)
    except RecordingError as error:
        raise RecordingError(f"{name}: {error}") from None
    if file.read(len(_SIGNATURE)) != _SIGNATURE:
        raise RecordingError(f"{name}: is not a recording: it does not begin like an HDF5 file")
    try:
        with deferred_signals():  # HDF5 calls Python to read: nothing may be raised through it
            reader = RecordingReader(file, max_size)
            try:
                return reader.trajectory()
            finally:
                reader.close()
    except RecordingError as error:
        raise RecordingError(f"{name}: {error}") from None
    except TarsusError as error:
        raise RecordingError(f"{name}: holds something impossible: {error}") from error
    except Exception as error:  # whatever HDF5 makes of damaged files
        raise RecordingError(f"{name}: is damaged or cut off: {error}") from error


def _open_file(name: str) -> int:
    """Descriptor of a regular file that nobody is writing."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise RecordingError(f"{name}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RecordingError(f"{name!r}: cannot be read ({error})") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RecordingError(f"{name}: is not a regular file")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordingError(f"{name}: is still being recorded") from None
        except OSError:
            pass  # a file system without locks
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
