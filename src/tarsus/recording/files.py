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
"""Memory that the arrays of a recording may take by default [bytes]."""

_SIGNATURE = b"\x89HDF\r\n\x1a\n"

__all__ = ["MAX_SIZE", "Recorder", "open_recording", "save"]


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


def open_recording(path: str | os.PathLike[str], *, max_size: int = MAX_SIZE) -> Trajectory:
    """Read a recording.

    Where the file is missing because its recording was never completed (the process was killed), what was recorded
    until then is read from the file with ".part" added to its name; `finished` is False then.

    Parameters
    ----------
    path : path-like
    max_size : int
        Refuse recordings whose arrays take more memory [bytes].

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
        return _read(name, descriptor, max_size)
    finally:
        os.close(descriptor)


def _read(name: str, descriptor: int, max_size: int) -> Trajectory:
    file = CommittedReader(descriptor)
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
