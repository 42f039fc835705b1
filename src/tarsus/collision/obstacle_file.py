"""Reading what stands around a robot from a small TOML file.

Boxes, spheres, capsules, cylinders and hulls, each with a name, the place of its middle in the world [m] and, where it
is turned, roll, pitch and yaw [deg]; capsules and cylinders are about z, and a hull is that of points seen from there:

    [[box]]
    name = "table top"
    size = [0.8, 1.4, 0.04]
    position = [0.7, 0.0, 0.72]

    [[capsule]]
    name = "pipe"
    radius = 0.03
    length = 0.5
    position = [0.5, 0.3, 1.0]
    rpy_deg = [90, 0, 0]

    [[hull]]
    name = "wedge"
    points = [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]
    position = [1.0, 0.0, 0.0]
"""

from __future__ import annotations

import math
import os
import tomllib
from typing import Any

import numpy as np

from tarsus.errors import ModelFileError, nearest
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Shape, Sphere
from tarsus.spatial import pose, rotation_matrix_from_angles
from tarsus.untrusted_xml import read_bytes, refusal

SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "cylinder": ("radius", "length"),
    "hull": ("points",),
}
"""Kinds of shapes, and the keys that say how large they are."""
PLACES = ("name", "position", "rpy_deg")
MAX_SIZE = 2**20
"""Largest file that is read [bytes]."""
COLOR = (0.72, 0.66, 0.56, 1.0)


def read_obstacle_file(path: str | os.PathLike[str]) -> tuple[Shape, ...]:
    """Shapes in the world with their names, as `tarsus.collision.obstacle_of` and `tarsus.show` take them.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is no TOML, or holds something else; it names the shape and what is wrong.
    """
    name = os.fspath(path)
    return shapes_of(obstacle_tables(name), name)


def obstacle_tables(name: str) -> dict[str, Any]:
    """What a TOML file says, by its keys; nothing is judged yet."""
    try:
        return tomllib.loads(read_bytes(name, max_size=MAX_SIZE).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise refusal("file-format", f"this is no TOML: {error}", name) from None


def shapes_of(content: dict[str, Any], name: str) -> tuple[Shape, ...]:
    """Shapes of the tables of a file of this name, in their order."""
    shapes: list[Shape] = []
    for kind, entries in content.items():
        if kind not in SIZES:
            raise refusal("unknown-key", f"unknown key {kind!r}{nearest(kind, SIZES)}", name, kind)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise refusal("obstacle", f"expected tables [[{kind}]]", name)
        shapes.extend(_shape(kind, entry, len(shapes) + k, name) for k, entry in enumerate(entries))
    taken: set[str] = set()
    for shape in shapes:
        if shape.name in taken:
            raise refusal("obstacle", f"two shapes are called {shape.name!r}", name, shape.name)
        taken.add(shape.name)
    return tuple(shapes)


def _shape(kind: str, entry: dict[str, Any], number: int, file: str) -> Shape:
    called = entry.get("name", f"{kind} {number}")
    if not isinstance(called, str) or not called:
        raise refusal("obstacle", f"name of a {kind} is {called!r}; expected some text", file)
    known = (*SIZES[kind], *PLACES)
    for key in entry:
        if key not in known:
            raise refusal("unknown-key", f"{kind} {called!r}: unknown key {key!r}{nearest(key, known)}", file, called)
    for key in SIZES[kind]:
        if key not in entry:
            raise refusal("obstacle", f"{kind} {called!r} has no {key}", file, called)
    position = _vector(entry.get("position", [0.0, 0.0, 0.0]), "position", kind, called, file)
    angles = _vector(entry.get("rpy_deg", [0.0, 0.0, 0.0]), "rpy_deg", kind, called, file)
    X = pose(position, rotation_matrix_from_angles(np.radians(angles), "roll-pitch-yaw"))
    return Shape(_geometry(kind, entry, called, file), X, COLOR, called)


def _geometry(kind: str, entry: dict[str, Any], called: str, file: str) -> Geometry:
    if kind == "box":
        size = _vector(entry["size"], "size", kind, called, file)
        if min(size) <= 0:
            raise refusal("obstacle", f"box {called!r}: size is {size}; expected numbers above 0", file, called)
        return Box((size[0], size[1], size[2]))
    if kind == "hull":
        return _hull(entry["points"], called, file)
    numbers = [_positive(entry[key], key, kind, called, file) for key in SIZES[kind]]
    if kind == "sphere":
        return Sphere(*numbers)
    return Capsule(*numbers) if kind == "capsule" else Cylinder(*numbers)


def _hull(points: object, called: str, file: str) -> Mesh:
    if not isinstance(points, list) or len(points) < 4:
        raise refusal("obstacle", f"hull {called!r}: points is {points!r}; expected four points or more", file, called)
    hull = convex_hull(np.array([_vector(point, "a point", "hull", called, file) for point in points]))
    if not len(hull.faces):
        raise refusal("obstacle", f"hull {called!r}: points are in a plane; expected a solid", file, called)
    return Mesh(called, content=hull)


def _positive(value: object, key: str, kind: str, called: str, file: str) -> float:
    if not _is_number(value) or float(value) <= 0:  # type: ignore[arg-type]
        raise refusal(
            "obstacle", f"{kind} {called!r}: {key} is {value!r}; expected a number above 0, below 1e6", file, called
        )
    return float(value)  # type: ignore[arg-type]


def _vector(value: object, key: str, kind: str, called: str, file: str) -> list[float]:
    if not isinstance(value, list) or len(value) != 3 or not all(map(_is_number, value)):
        raise refusal(
            "obstacle", f"{kind} {called!r}: {key} is {value!r}; expected three numbers within 1e6", file, called
        )
    return [float(x) for x in value]


def _is_number(value: object) -> bool:
    """Whether it is one that a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value)) and abs(float(value)) < 1e6
    except OverflowError:
        return False
