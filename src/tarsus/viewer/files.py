"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Name beside `path` to write to; it takes the place of `path` when the block ends without an error."""
    with tempfile.TemporaryDirectory(prefix=".writing", dir=path.parent) as directory:
        unfinished = Path(directory) / path.name
        yield unfinished
        os.replace(unfinished, path)


def write_whole(path: Path, data: bytes) -> None:
    """Write bytes to a file."""
    with whole_file(path) as unfinished:
        unfinished.write_bytes(data)
