"""Exported files appear complete or not at all; what prevents it is an error of recordings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO

from tarsus.errors import RecordingError
from tarsus.files import write_stream
from tarsus.recording.format import file_path


def write_file(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a file.

    Raises
    ------
    RecordingError
        If the file cannot be written; nothing is left behind and an older file stays as it was.
    """
    try:
        write_stream(path, write)
    except OSError as error:
        raise RecordingError(f"{file_path(path)}: cannot be written ({error.strerror or error})") from error
