"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

import typer


def check_directory(path: Path) -> None:
    """Refuse a file to write, before anything is computed, whose directory does not exist.

    Raises
    ------
    typer.BadParameter
        Also where symbolic links lead nowhere or back to themselves.
    """
    try:
        directory = path.resolve().parent
    except (OSError, RuntimeError):  # which of them depends on the version of Python
        raise typer.BadParameter(f"{str(path)!r} is a symbolic link that leads back to itself") from None
    if not directory.is_dir():
        raise typer.BadParameter(f"there is no directory {str(directory if path.is_symlink() else path.parent)!r}")
