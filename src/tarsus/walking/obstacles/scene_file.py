"""Reading what stands in the way of a walk: an obstacle file, in which shapes may have a velocity.

As `tarsus.collision.obstacle_file`, with one more key, ``velocity = [0.0, 0.05, 0.0]`` [m/s].
"""

from __future__ import annotations

import os

from tarsus.collision.obstacle_file import obstacle_tables, shapes_of
from tarsus.errors import ArgumentError
from tarsus.untrusted_xml import refusal
from tarsus.walking.obstacles.obstruction import Obstruction

AT_REST = [0.0, 0.0, 0.0]


def read_scene_file(path: str | os.PathLike[str]) -> tuple[Obstruction, ...]:
    """What stands in the way.

    Raises
    ------
    ModelFileError
        Where the file cannot be read, is no TOML (with the line), or holds something else (with the key).
    """
    name = os.fspath(path)
    tables = obstacle_tables(name)
    velocities = []
    for kind, entries in tables.items():
        for entry in entries if isinstance(entries, list) else ():
            velocity = entry.pop("velocity", AT_REST) if isinstance(entry, dict) else AT_REST
            numbers = isinstance(velocity, list) and all(
                isinstance(x, int | float) and not isinstance(x, bool) for x in velocity
            )
            if not numbers or len(velocity) != 3:
                raise refusal(
                    "obstacle",
                    f"{kind} {entry.get('name', '')!r}: velocity is {velocity!r}; expected three numbers [m/s]",
                    name,
                )
            velocities.append(velocity)
    shapes = shapes_of(tables, name)
    try:
        return tuple(Obstruction(shape, velocity) for shape, velocity in zip(shapes, velocities, strict=True))
    except ArgumentError as error:
        raise refusal("obstacle", str(error), name) from None
