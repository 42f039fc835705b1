"""Reading what closes the loops of a robot from a small TOML file beside the robot's own.

URDF has no loops; files of other formats may leave some out. Such a file says which frames coincide, which joints lead
and where the robot is closed:

    independent = ["left_shoulder", "right_shoulder"]

    [[loop]]
    frames = ["left_tip", "right_tip"]
    kind = "revolute"
    axis = [0, 1, 0]

    [reference]
    left_shoulder = 2.0
"""

from __future__ import annotations

import os
import tomllib
from typing import Any

from tarsus.errors import ArgumentError, nearest
from tarsus.io.xml import MAX_FILE_SIZE
from tarsus.model.coupling import Source
from tarsus.model.loops.given import GivenLoops, as_given
from tarsus.untrusted_xml import read_bytes, refusal

KEYS = ("loop", "independent", "reference")
"""Of the file; those of a loop are the arguments of `Model.with_loop`, with `frames` for the first two."""


def read_loop_file(path: str | os.PathLike[str], *, max_size: int = MAX_FILE_SIZE) -> GivenLoops:
    """Loops, leading joints and reference of a TOML file.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is no TOML, or holds something else.
    """
    name = os.fspath(path)
    try:
        content = tomllib.loads(read_bytes(name, max_size=max_size).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise refusal("file-format", f"this is no TOML: {error}", name) from None
    for key in content:
        if key not in KEYS:
            raise refusal("unknown-key", f"unknown key {key!r}{nearest(key, KEYS)}", name, key)
    loops: Any = content.get("loop", [])
    if not isinstance(loops, list) or not all(isinstance(entry, dict) for entry in loops):
        raise refusal("loop", "expected tables [[loop]]", name)
    try:
        placed = [{**entry, "source": Source(name)} for entry in loops]
        return as_given(placed, content.get("independent", ()), content.get("reference", {}))
    except (ArgumentError, TypeError) as error:
        raise refusal("loop", str(error), name) from None
