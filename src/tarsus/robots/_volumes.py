"""Swept-sphere volumes that ship with built-in robots.

The files beside this one were written by ``tarsus fit robot:hrp2`` (lola's with ``--max-volumes 3``: a few volumes for
each segment, as Buschmann 2014, figure 5.6, shows them).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tarsus.io.volume_file import read_volume_file
from tarsus.model.volumes import Volumes

_FILES = Path(__file__).parent / "volumes"


@cache
def shipped_volumes(robot: str) -> Volumes:
    """Volumes of a built-in robot by link."""
    return read_volume_file(_FILES / f"{robot}.toml")
