"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from typing import IO

from tarsus.errors import RecordingError
from tarsus.recording.format import file_path


def write_file(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file beside the final place and move it there.

    Raises
    ------
    RecordingError
        If the file cannot be written; nothing is left behind and an older file stays as it was.
    """
    name = file_path(path)
    try:
        descriptor, unfinished = tempfile.mkstemp(prefix=".", suffix=".part", dir=os.path.dirname(name) or ".")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(descriptor, 0o666 & ~mask)
                write(stream)
            os.replace(unfinished, name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise
    except OSError as error:
        raise RecordingError(f"{name}: cannot be written ({error.strerror or error})") from error
